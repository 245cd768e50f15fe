/**
 * The methods of each era. A method that an era does not have is absent from its table: the same server
 * answers `ping` in the session eras and method not found in the modern era.
 */
import type { ServerCapabilities } from '../../protocol/capabilities.ts'
import type { WireFeatures } from '../../protocol/revisions.ts'
import { SKILLS_EXTENSION } from '../../protocol/skills.ts'
import { complete } from './completion.ts'
import { discover } from './discover.ts'
import { initialize } from './initialize.ts'
import { listAllResources, listMethod } from './lists.ts'
import type { Method } from './method.ts'
import { getPrompt } from './prompts-get.ts'
import { readResource } from './resources-read.ts'
import { subscribe, unsubscribe } from './resources-subscribe.ts'
import { setLogLevel } from './set-log-level.ts'
import { getSkill, listSkills, readDirectory } from './skills.ts'
import { cancelTask, getTask, listTasks, updateTask } from './tasks.ts'
import { taskResult } from './tasks-result.ts'
import { callTool } from './tools-call.ts'

export interface MethodEntry {
  readonly run: Method
  /** The method exists only if the server declares this capability. */
  readonly needs?: keyof ServerCapabilities
  /** The method exists only if the server declares this extension. */
  readonly extension?: string
  /** The method exists only in revisions with this feature. */
  readonly feature?: keyof WireFeatures
}

const FEATURES: readonly (readonly [string, MethodEntry])[] = [
  ['tools/list', { run: listMethod('tools/list'), needs: 'tools' }],
  ['tools/call', { run: callTool, needs: 'tools' }],
  ['resources/list', { run: listAllResources, needs: 'resources' }],
  ['resources/templates/list', { run: listMethod('resources/templates/list'), needs: 'resources' }],
  ['resources/read', { run: readResource, needs: 'resources' }],
  ['prompts/list', { run: listMethod('prompts/list'), needs: 'prompts' }],
  ['prompts/get', { run: getPrompt, needs: 'prompts' }],
  ['completion/complete', { run: complete, needs: 'completions' }],
]

const SKILLS: readonly (readonly [string, MethodEntry])[] = [
  ['skills/list', { run: listSkills, extension: SKILLS_EXTENSION, feature: 'extensions' }],
  ['skills/get', { run: getSkill, extension: SKILLS_EXTENSION, feature: 'extensions' }],
  [
    'resources/directory/read',
    { run: readDirectory, extension: SKILLS_EXTENSION, feature: 'extensions' },
  ],
]

export const MODERN_METHODS: ReadonlyMap<string, MethodEntry> = new Map<string, MethodEntry>([
  ['server/discover', { run: discover }],
  ['tasks/get', { run: getTask, needs: 'tasks' }],
  ['tasks/update', { run: updateTask, needs: 'tasks' }],
  ['tasks/cancel', { run: cancelTask, needs: 'tasks' }],
  ...SKILLS,
  ...FEATURES,
])

export const SESSION_METHODS: ReadonlyMap<string, MethodEntry> = new Map<string, MethodEntry>([
  ['initialize', { run: initialize }],
  ['ping', { run: ({ codec }) => codec.resultText({}) }],
  ['logging/setLevel', { run: setLogLevel, needs: 'logging' }],
  ['resources/subscribe', { run: subscribe, needs: 'resources' }],
  ['resources/unsubscribe', { run: unsubscribe, needs: 'resources' }],
  ['tasks/get', { run: getTask, needs: 'tasks', feature: 'tasks' }],
  ['tasks/result', { run: taskResult, needs: 'tasks', feature: 'tasks' }],
  ['tasks/list', { run: listTasks, needs: 'tasks', feature: 'tasks' }],
  ['tasks/cancel', { run: cancelTask, needs: 'tasks', feature: 'tasks' }],
  ...SKILLS,
  ...FEATURES,
])

/** Methods and notifications of clients that other parts serve. */
const OTHER_METHODS: readonly string[] = [
  'subscriptions/listen',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
  'notifications/tasks/status',
]

/** Whether any revision has the method: a method that a client has made up is not recorded. */
export function isKnownMethod(method: string): boolean {
  return MODERN_METHODS.has(method) || SESSION_METHODS.has(method) || OTHER_METHODS.includes(method)
}
