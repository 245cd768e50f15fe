/**
 * The methods that every app has. A method that an era does not have is absent from its table: the same
 * server answers `ping` in the session eras and method not found in the modern era.
 */
import type { MethodRow } from '../extensions.ts'
import { complete } from './completion.ts'
import { discover } from './discover.ts'
import { initialize } from './initialize.ts'
import { listAllResources, listMethod } from './lists.ts'
import { getPrompt } from './prompts-get.ts'
import { readResource } from './resources-read.ts'
import { setLogLevel } from './set-log-level.ts'
import { callTool } from './tools-call.ts'

export const CORE_METHODS: readonly MethodRow[] = [
  { method: 'server/discover', era: 'modern', run: discover },
  { method: 'initialize', era: 'session', run: initialize },
  { method: 'ping', era: 'session', run: ({ codec }) => codec.resultText({}) },
  { method: 'logging/setLevel', era: 'session', run: setLogLevel, needs: 'logging' },
  { method: 'tools/list', run: listMethod('tools/list'), needs: 'tools' },
  { method: 'tools/call', run: callTool, needs: 'tools' },
  { method: 'resources/list', run: listAllResources, needs: 'resources' },
  {
    method: 'resources/templates/list',
    run: listMethod('resources/templates/list'),
    needs: 'resources',
  },
  { method: 'resources/read', run: readResource, needs: 'resources' },
  { method: 'prompts/list', run: listMethod('prompts/list'), needs: 'prompts' },
  { method: 'prompts/get', run: getPrompt, needs: 'prompts' },
  { method: 'completion/complete', run: complete, needs: 'completions' },
]
