/**
 * The tool `wait_for_event`, by which a client without MCP Events waits for an event. It polls the log as `events/poll` does,
 * with the same checks, for as long as a request may hold a call.
 */

import { ToolError } from '../../../src/index.ts'
import {
  type Call,
  defineTool,
  type FullContext,
  holdMsOf,
  type ListClient,
  READS_SERVER,
  runOf,
  type ToolExtension,
} from '../../../src/internal.ts'
import { delay } from '../../../src/platform/deadline.ts'
import { hasCapability } from '../../../src/protocol/capabilities.ts'
import type { JsonSchema } from '../../../src/protocol/content.ts'
import { EVENTS_EXTENSION, type PollResult } from '../../../src/protocol/events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/protocol/json.ts'
import { excerpt, ProtocolError } from '../../../src/protocol/protocol-error.ts'
import type { EventDefinition } from './compile-event.ts'
import type { PollBounds } from './poll.ts'

/** How often the log is read while a call waits. */
const POLL_MS = 1000

/** Less than the clients pass on to the model, which would not see the last events of a longer answer. */
const WAIT_BOUNDS: PollBounds = { events: 20, length: 10_000 }

/** Checked as the params of a poll are, so that no validator is bundled for it. */
const INPUT: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'The name of the event.' },
    arguments: { type: 'object', description: 'Which of its occurrences are wanted.' },
    cursor: {
      type: 'string',
      description: 'The cursor of the last answer. Without it, events from now on are waited for.',
    },
  },
  required: ['name'],
}

/** What the tool waits for. */
interface WaitSource {
  /** How long a request holds a call at most, in milliseconds. */
  readonly holdMs: number
  readonly types: ReadonlyMap<string, EventDefinition>
  /** Answers one poll of the caller of a call. @throws {ProtocolError} */
  readonly poll: (call: Call, params: JsonObject, bounds: PollBounds) => Promise<PollResult>
}

/** The member with the tool. */
export const WAIT_TOOL: unique symbol = Symbol('edgeway.wait-tool')

/** A value for `events({ waitTool })`. */
export interface WaitTool {
  /** @internal */
  readonly [WAIT_TOOL]: (source: WaitSource) => ToolExtension
}

/** Gives clients without MCP Events a tool that waits for the next event of a type with `history`. */
export function waitTool(name = 'wait_for_event'): WaitTool {
  return { [WAIT_TOOL]: (source) => toolOf(name, source) }
}

function toolOf(name: string, source: WaitSource): ToolExtension {
  const { types } = source
  const description = `Waits for an event, and answers with what has come and a cursor for the next call. Events: ${describe(types)}`
  const run = (_: unknown, ctx: FullContext) => waitForEvents(name, source, ctx)
  const defined = defineTool(
    name,
    { title: 'Wait for an event', description, annotations: READS_SERVER },
    run,
  )
  const tool = { ...defined, info: { ...defined.info, inputSchema: INPUT }, run }
  return {
    add: () => [tool],
    viewOf: () => ({
      variantOf: (client) => (hasEvents(client) ? 'e' : ''),
      listed: (listed) => (listed.name === name ? undefined : listed),
    }),
  }
}

const hasEvents = ({ capabilities }: ListClient) =>
  hasCapability(capabilities, ['extensions', EVENTS_EXTENSION]) ||
  hasCapability(capabilities, ['events'])

/** The description of the tool is the same for all callers, so a type that some do not see is not in it. */
function describe(types: ReadonlyMap<string, EventDefinition>): string {
  const shown = [...types.values()].filter(
    ({ visible, historyMs }) => visible === undefined && historyMs > 0,
  )
  return shown.map(({ name, descriptor }) => `${name} (${descriptor.description})`).join(', ')
}

async function waitForEvents(tool: string, { types, poll, holdMs }: WaitSource, ctx: FullContext) {
  const call = runOf(ctx)?.call
  if (call === undefined) throw new TypeError('The tool needs its call')
  const params = (call.request.params?.arguments ?? {}) as JsonObject
  const until = Date.now() + holdMsOf(call.client.info?.name, holdMs)
  const pollFrom = (cursor: JsonValue) =>
    asToolError(params.name, poll(call, { ...params, cursor }, WAIT_BOUNDS))
  let result = await pollFrom(params.cursor ?? null)
  if (result.cursor === null || types.get(String(params.name))?.historyMs === 0) {
    throw new ToolError(`${params.name} keeps no events, so a tool cannot wait for it.`)
  }
  while (result.events.length === 0 && !result.truncated && !ctx.signal.aborted) {
    const left = until - Date.now()
    if (left <= 0) break
    await delay(Math.min(left, POLL_MS))
    result = await pollFrom(result.cursor)
  }
  const { events, cursor, truncated, hasMore } = result
  const next =
    events.length === 0 && !truncated
      ? `No event has come yet. Call ${tool} again with this cursor to wait on.`
      : `Call ${tool} again with this cursor for the next events.`
  const gap = truncated ? 'Earlier events are missing: the cursor is too old or unknown. ' : ''
  const structuredContent = { events, cursor, truncated, hasMore }
  // The cursor comes first, because clients cut the end of a long text.
  const texts = [`${gap}${next}\ncursor: ${cursor}`, JSON.stringify(structuredContent)]
  return { content: texts.map((text) => ({ type: 'text' as const, text })), structuredContent }
}

/** A model reads the reason of a refusal; a client answers missing scopes. */
async function asToolError<T>(name: unknown, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.missingScopes) throw error
    throw new ToolError(reasonOf(name, error))
  }
}

/** The errors of the extension have a name as their message, and details beside it. */
function reasonOf(name: unknown, { message, data }: ProtocolError): string {
  const { kind, feature, reason } = isJsonObject(data) ? data : {}
  if (kind === 'event') return `There is no event ${excerpt(String(name))}.`
  if (feature === 'deliveryMode')
    return `${name} is delivered otherwise, so a tool cannot wait for it.`
  return typeof reason === 'string' ? reason : message
}
