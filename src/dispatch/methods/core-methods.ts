/**
 * The methods that every app has. A method that an era does not have is absent from its table: the same
 * server answers `ping` in the session eras and method not found in the modern era.
 */
import { isLogLevel } from '../../protocol/log-level.ts'
import { MetaKey } from '../../protocol/meta.ts'
import { invalidParams } from '../../protocol/protocol-error.ts'
import { MODERN_VERSIONS } from '../../protocol/revisions.ts'
import type { Call } from '../call.ts'
import type { MethodRow } from '../extensions.ts'
import { complete } from './completion.ts'
import { initialize } from './initialize.ts'
import { instructionsFor } from './instructions.ts'
import { listAllResources, listMethod, listTools } from './lists.ts'
import type { RevisionContext } from './method.ts'
import { getPrompt } from './prompts-get.ts'
import { readResource } from './resources-read.ts'
import { callTool } from './tools-call.ts'

export const CORE_METHODS: readonly MethodRow[] = [
  { method: 'server/discover', era: 'modern', run: discover },
  { method: 'initialize', era: 'session', run: initialize },
  { method: 'ping', era: 'session', run: ({ codec }) => codec.resultText({}) },
  { method: 'logging/setLevel', era: 'session', run: setLogLevel, needs: 'logging' },
  { method: 'tools/list', run: listTools, needs: 'tools' },
  { method: 'tools/call', run: callTool, needs: 'tools', names: 'tool', nameParam: 'name' },
  { method: 'resources/list', run: listAllResources, needs: 'resources' },
  {
    method: 'resources/templates/list',
    run: listMethod('resources/templates/list'),
    needs: 'resources',
  },
  {
    method: 'resources/read',
    run: readResource,
    needs: 'resources',
    names: 'uri',
    nameParam: 'uri',
  },
  { method: 'prompts/list', run: listMethod('prompts/list'), needs: 'prompts' },
  { method: 'prompts/get', run: getPrompt, needs: 'prompts', names: 'prompt', nameParam: 'name' },
  { method: 'completion/complete', run: complete, needs: 'completions', names: 'ref' },
]

/** `server/discover`. @see https://modelcontextprotocol.io/specification/2026-07-28/server/discover */
function discover(context: RevisionContext, call: Call): string {
  const { definition, codec, capabilities } = context
  const { info, listTtlMs, isPrivate } = definition
  const { text: instructions, varies } = instructionsFor(context, call)
  const offered = call.deployment.extensions.offered(capabilities, call)
  const body = {
    supportedVersions: MODERN_VERSIONS,
    capabilities: codec.capabilities(offered),
    ...(instructions === undefined ? undefined : { instructions }),
    _meta: { [MetaKey.serverInfo]: codec.implementation(info) },
  }
  const cacheScope = isPrivate || varies ? 'private' : 'public'
  return codec.resultText(body, { ttlMs: listTtlMs, cacheScope })
}

/**
 * `logging/setLevel`. Without a session the level cannot be stored: it is checked and acknowledged, and the
 * default level applies.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging#setting-log-level
 */
function setLogLevel({ codec }: RevisionContext, { request, run }: Call): string {
  const level = request.params?.level
  if (!isLogLevel(level)) throw invalidParams('params.level must be a log level')
  run.session?.setLogLevel(level)
  return codec.resultText({})
}
