/** How each client that `edgeway/testing` plays can use the tools of a definition. Pure: the definition was read before. */

import { holdMsOf } from '../../../../../src/clients/limits.ts'
import type { Tool } from '../../../../../src/protocol/primitives.ts'
import { MODERN } from '../../../../../src/protocol/revisions.ts'
import { type ClientProfile, PROFILES, type ProfileName } from '../../../../client/src/profiles.ts'

export interface ToolUse {
  readonly name: string
  readonly usable: boolean
  /** How the client gets the result, or why it does not. */
  readonly how: string
}

export interface ClientTools {
  readonly client: ProfileName
  readonly title: string
  readonly tools: readonly ToolUse[]
  /** The members of `ctx` that end with an error at this client, because it cannot be asked. Empty without `asks()`. */
  readonly unasked: readonly string[]
}

/** What of an app decides besides its tools. Without `tasks()` the first two are absent. */
export interface LongWork {
  /** The name of the tool by which clients without tasks wait. */
  readonly resultTool?: string | undefined
  /** The name of the tool by which the model of a client without forms passes on answers. */
  readonly answerTool?: string | undefined
  /** How long a request holds a call, in milliseconds. */
  readonly holdMs?: number | undefined
  /** Whether its handlers may ask. Which of them do, no definition says. */
  readonly asks?: boolean | undefined
}

export function toolsOfClients(tools: readonly Tool[], longWork: LongWork): readonly ClientTools[] {
  return Object.entries(PROFILES).map(([client, profile]) => ({
    client: client as ProfileName,
    title: profile.title,
    tools: tools.flatMap((tool) => useOf(tool, longWork, profile) ?? []),
    unasked: longWork.asks === true ? unaskedBy(profile) : [],
  }))
}

const ASKS = [
  ['elicitation', 'ctx.elicit'],
  ['sampling', 'ctx.sample'],
  ['roots', 'ctx.listRoots'],
] as const

/** A question of 2025 comes within the session, which a client that does not name it does not have. */
function unaskedBy({ capabilities, revision, echoesSessionId }: ClientProfile): readonly string[] {
  const isReached = revision === MODERN.id || echoesSessionId
  return ASKS.flatMap(([capability, member]) =>
    isReached && capabilities[capability] !== undefined ? [] : [member],
  )
}

/** Undefined for a tool that the list of the client does not have. */
function useOf(tool: Tool, longWork: LongWork, profile: ClientProfile): ToolUse | undefined {
  const { name } = tool
  if (name === longWork.resultTool && profile.tasks !== undefined) return undefined
  if (name === longWork.answerTool && !unaskedBy(profile).includes('ctx.elicit')) return undefined
  const refused = refusalOf(tool, profile)
  return refused === undefined
    ? { name, usable: true, how: wayOf(tool, longWork, profile) }
    : { name, usable: false, how: refused }
}

function refusalOf(tool: Tool, { inputSchemaLength, tasks }: ClientProfile): string | undefined {
  const { length } = JSON.stringify(tool.inputSchema)
  if (inputSchemaLength !== undefined && length > inputSchemaLength) {
    return `drops the tool: its inputSchema has ${length} characters, and at most ${inputSchemaLength} are kept`
  }
  if (supportOf(tool) === 'required' && tasks === undefined) {
    return `has no tasks, and the tool runs as a task only: with task: 'optional' the client waits for its result`
  }
  return undefined
}

const supportOf = ({ execution }: Tool) => execution?.taskSupport

function wayOf(
  tool: Tool,
  { resultTool, holdMs }: LongWork,
  { tasks, callTimeoutMs, clientInfo }: ClientProfile,
): string {
  const support = supportOf(tool)
  const isTask = support === 'optional' || support === 'required'
  if (isTask && tasks !== undefined) return 'as a task'
  if (support === 'optional' && resultTool !== undefined && holdMs !== undefined) {
    return `within ${seconds(holdMsOf(clientInfo.name, holdMs))}, and then by ${resultTool}`
  }
  return callTimeoutMs === undefined
    ? 'in its request'
    : `in its request, within ${seconds(callTimeoutMs)}`
}

const seconds = (ms: number) => `${ms / 1000} s`
