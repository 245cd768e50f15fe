/** Reads what a running server lists, in the newest revision that it serves. Hostile servers cost bounded time and memory. */
import { EVENTS_EXTENSION } from '../../../../src/protocol/events.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { jsonOf } from '../../../text/src/json/json-text.ts'
import type { Members } from '../../../text/src/json/members.ts'
import { quoted } from '../../../text/src/quoted.ts'
import { HANDSHAKE_REVISIONS } from '../doctor/clients.ts'
import { describe } from '../doctor/detected.ts'
import type { HttpResponse } from '../doctor/http/http-client.ts'
import {
  type Endpoint,
  type Handshake,
  sendInitialize,
  sendInSession,
  sendModern,
  sendNotification,
} from '../doctor/mcp/endpoint.ts'
import type { RpcReply, Send } from '../doctor/mcp/rpc.ts'
import { entriesOf, type ListObservation, readLists, readPages } from '../doctor/probes/lists.ts'
import { modernCapabilities } from '../doctor/probes/modern.ts'
import { endSession, handshakeOf } from '../doctor/probes/session.ts'
import { type ListName, type MalformedEntry, type WellFormed, wellFormed } from './well-formed.ts'

export interface ReadLists extends WellFormed {
  /** What `initialize` says of the server, where the lists are those of a later revision; unchecked. */
  readonly initialized?: unknown
  /** Why the tools were not read. */
  readonly failure?: string
  /** The 401 to the request for the tools. */
  readonly challenge?: HttpResponse
}

/** Of one list. What comes after them is not read. */
const MAX_ENTRIES = 5000
const MAX_CHARACTERS = 4 * 1024 * 1024

const NAMES: Readonly<Record<string, ListName>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'events/list': 'events',
}

/** Sends requests in an era while `use` runs. */
export async function inNewestEra<Result>(
  endpoint: Endpoint,
  use: (send: Send, greeting: Greeting) => Promise<Result>,
): Promise<Result | string> {
  const discover = await sendModern(endpoint, 'server/discover')
  const capabilities = modernCapabilities(discover)
  if (capabilities !== undefined && discover.kind === 'result') {
    const send: Send = (method, params) => sendModern(endpoint, method, params)
    return use(send, { capabilities, result: discover.result, isModern: true })
  }
  return inSession(endpoint, use)
}

/** The answer that begins a connection. */
interface Greeting {
  readonly capabilities: Members
  readonly result: unknown
  readonly isModern: boolean
}

async function inSession<Result>(
  endpoint: Endpoint,
  use: (send: Send, greeting: Greeting) => Promise<Result>,
): Promise<Result | string> {
  let first: RpcReply | undefined
  for (const revision of HANDSHAKE_REVISIONS) {
    const reply = await sendInitialize(endpoint, revision)
    first ??= reply
    const handshake = handshakeOf(reply)
    if (handshake === undefined || reply.kind !== 'result') continue
    try {
      return await use(await opened(endpoint, handshake), greetingOf(reply.result))
    } finally {
      await endSession(endpoint, handshake)
    }
  }
  return `initialize is answered with ${first === undefined ? 'nothing' : describe(first)}`
}

async function opened(endpoint: Endpoint, handshake: Handshake): Promise<Send> {
  await sendNotification(endpoint, handshake, 'notifications/initialized')
  return (method, params) => sendInSession(endpoint, handshake, method, params)
}

function greetingOf(result: unknown): Greeting {
  const capabilities = isJsonObject(result) ? result.capabilities : undefined
  return { capabilities: isJsonObject(capabilities) ? capabilities : {}, result, isModern: false }
}

export async function readListsOf(endpoint: Endpoint): Promise<ReadLists> {
  const read = await inNewestEra(endpoint, async (send, greeting) => {
    const lists = await readLists(send, greeting.capabilities)
    const events = declaresEvents(greeting.capabilities)
      ? [{ method: 'events/list', member: 'events', ...(await readPages(send, 'events/list')) }]
      : []
    const initialized = greeting.isModern ? await initializedInfo(endpoint) : undefined
    return summed(greeting.result, initialized, [...lists, ...events])
  })
  return typeof read === 'string' ? { ...wellFormed({}), failure: read } : read
}

function declaresEvents({ events, extensions }: Members): boolean {
  return isJsonObject(events) || (isJsonObject(extensions) && EVENTS_EXTENSION in extensions)
}

/** Undefined for a server that serves no earlier revision. */
async function initializedInfo(endpoint: Endpoint): Promise<unknown> {
  const reply = await sendInitialize(endpoint, HANDSHAKE_REVISIONS[0] ?? '')
  const handshake = handshakeOf(reply)
  if (handshake === undefined || reply.kind !== 'result') return undefined
  await endSession(endpoint, handshake)
  return isJsonObject(reply.result) ? reply.result.serverInfo : undefined
}

function summed(
  greeting: unknown,
  initialized: unknown,
  lists: readonly ListObservation[],
): ReadLists {
  const raw: Partial<Record<ListName, readonly unknown[]>> = {}
  const incomplete: MalformedEntry[] = []
  for (const observed of lists) {
    const list = NAMES[observed.method]
    if (list === undefined) continue
    const entries = entriesOf(observed)
    const kept = bounded(entries)
    raw[list] = kept
    const seen = endOf(observed) ?? (kept.length < entries.length ? tooMany(entries) : undefined)
    if (seen !== undefined) incomplete.push({ kind: 'list', list, seen })
  }
  const { info, instructions } = introduction(greeting)
  const { surface, malformed } = wellFormed({ ...raw, info: info ?? initialized, instructions })
  const first = lists[0]?.pages[0]
  return {
    surface,
    malformed: [...malformed, ...incomplete],
    ...(initialized === undefined ? {} : { initialized }),
    ...(first?.kind === 'result' || isUnknownMethod(first)
      ? {}
      : { failure: `tools/list is answered with ${first ? describe(first) : 'nothing'}` }),
    ...(first !== undefined && first.kind !== 'failed' && first.http.status === 401
      ? { challenge: first.http }
      : {}),
  }
}

const tooMany = (entries: readonly unknown[]) =>
  `It has ${entries.length} entries, of which the first ${MAX_ENTRIES} and 4 MiB were read`

function bounded(entries: readonly unknown[]): readonly unknown[] {
  let characters = 0
  const end = entries.slice(0, MAX_ENTRIES + 1).findIndex((entry, index) => {
    characters += jsonOf(entry)?.length ?? MAX_CHARACTERS
    return index === MAX_ENTRIES || characters > MAX_CHARACTERS
  })
  return end === -1 ? entries : entries.slice(0, end)
}

/** Why a list has no end; undefined for a complete one, and for an optional one that the server does not have. */
function endOf({ method, member, pages, isEndless }: ListObservation): string | undefined {
  for (const [index, page] of pages.entries()) {
    const seen = page.kind === 'result' ? formFault(page.result, member) : undefined
    if (seen !== undefined) return `Page ${index + 1} of ${method} ${seen}`
  }
  if (isEndless) return `${method} has a nextCursor on page ${pages.length}`
  const last = pages.at(-1)
  if (last === undefined || last.kind === 'result') return undefined
  // The first page of the tools is reported as a whole, and templates are optional.
  const isOptional = method === 'resources/templates/list' || method === 'tools/list'
  if (pages.length === 1 && isOptional) return undefined
  return `Page ${pages.length} of ${method} is answered with ${describe(last)}`
}

/** Why clients reject a page as a whole, before they look at its entries. */
function formFault(result: unknown, member: string): string | undefined {
  if (!isJsonObject(result)) return `has the result ${quoted(result)}`
  const { [member]: entries, nextCursor } = result
  if (!Array.isArray(entries)) return `has ${member} ${quoted(entries)}`
  if (nextCursor === undefined || typeof nextCursor === 'string') return undefined
  return `has nextCursor ${quoted(nextCursor)}`
}

const isUnknownMethod = (reply: RpcReply | undefined) =>
  reply?.kind === 'error' && reply.code === -32601

/** The identity is in `_meta` since 2026-07-28. */
function introduction(greeting: unknown): { info?: unknown; instructions?: unknown } {
  if (!isJsonObject(greeting)) return {}
  const { _meta, serverInfo, instructions } = greeting
  const info = isJsonObject(_meta) ? _meta['io.modelcontextprotocol/serverInfo'] : undefined
  return { info: info ?? serverInfo, instructions }
}
