/**
 * Bindings between Workers and objects of which one side runs the next version of Edgeway. Every argument
 * and result of an RPC has members that this version does not know, and so has every message on a stream
 * socket, beside messages of kinds that this version does not know.
 */

import type { Sealer, SealPurpose } from '../../src/ports/sealer.ts'

/** A member of the next version. */
export const ADDED = { addedInTheNextVersion: { list: [1, null] } }

/** How many objects inside each other get the member. Below are texts of clients, such as `params`. */
const DEPTH = 2

export function asNextVersion(value: unknown, depth = DEPTH): unknown {
  if (depth === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => asNextVersion(item, depth))
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  const members = Object.entries(value).map(([name, member]) => [
    name,
    name === 'claims' && typeof member === 'string'
      ? jsonAsNextVersion(member)
      : asNextVersion(member, depth - 1),
  ])
  return { ...Object.fromEntries(members), ...ADDED }
}

/** A JSON text of an object with the member. */
export function jsonAsNextVersion(text: string): string {
  return JSON.stringify(asNextVersion(JSON.parse(text)))
}

/** Seals the JSON of a seal again, with the member. */
export async function resealedAsNextVersion(
  sealer: Sealer,
  purpose: SealPurpose,
  text: string,
  context: string,
): Promise<string> {
  const opened = await sealer.open(purpose, text, context)
  if (opened === undefined) throw new Error(`Not a seal of ${purpose} in this context`)
  const next = jsonAsNextVersion(new TextDecoder().decode(opened))
  return sealer.seal(purpose, new TextEncoder().encode(next), context)
}

/** A seal as a text of the next version of its purpose. */
export function sealOfNextVersion(text: string): string {
  return `2${text.slice(1)}`
}

/** Wraps the namespaces of an environment. Everything else stays. */
export function nextVersionBindings<Bindings extends object>(bindings: Bindings): Bindings {
  const wrapped = Object.entries(bindings).map(([name, binding]) => [
    name,
    isNamespace(binding) ? { getByName: (of: string) => wrapStub(binding.getByName(of)) } : binding,
  ])
  return Object.fromEntries(wrapped) as Bindings
}

interface Stub {
  fetch(request: Request): Promise<Response>
  readonly [method: string]: (...args: readonly never[]) => Promise<unknown>
}

function isNamespace(binding: unknown): binding is { getByName(name: string): Stub } {
  return typeof binding === 'object' && binding !== null && 'getByName' in binding
}

function wrapStub(stub: Stub): Stub {
  return new Proxy(stub, {
    get: (_, method) => {
      if (method === 'then') return undefined
      if (method === 'fetch') return (request: Request) => openRelay(stub, request)
      return async (...args: readonly unknown[]) =>
        asNextVersion(
          // A property of an RPC stub cannot be called apart from its stub.
          await stub[String(method)]?.(...(args.map((arg) => asNextVersion(arg)) as never[])),
        )
    },
  })
}

async function openRelay(stub: Stub, request: Request): Promise<Response> {
  const url = new URL(request.url)
  url.searchParams.set('addedInTheNextVersion', 'true')
  const headers = new Headers(request.headers)
  const read = headers.get('x-stream-read')
  if (read !== null) headers.set('x-stream-read', jsonAsNextVersion(read))
  const response = await stub.fetch(new Request(url, { headers }))
  const { webSocket: object, status } = response
  if (object === null) return response
  const { 0: worker, 1: end } = new WebSocketPair()
  relay(object, end, (text) => [...FUTURE_TEXTS, objectTextAsNextVersion(text)])
  relay(end, object, (text) => [...FUTURE_TEXTS, ...workerTextsAsNextVersion(text)])
  object.accept()
  end.accept()
  return new Response(null, { status, webSocket: worker, headers: response.headers })
}

const FUTURE_TEXTS = [
  'z{"kind":"of the next version"}',
  JSON.stringify({ kind: 'next-kind', version: 1, seq: 1, claims: ADDED }),
]

function relay(from: WebSocket, to: WebSocket, textsOf: (text: string) => readonly string[]) {
  from.addEventListener('message', ({ data }) => {
    const isHeartbeat = data === 'ping' || data === 'pong'
    for (const text of isHeartbeat ? [data] : textsOf(String(data))) to.send(text)
  })
  from.addEventListener('close', ({ code }) => {
    // 1005 and 1006 stand for the absence of a code, and cannot be sent.
    to.close(code === 1005 || code === 1006 ? 1000 : code)
  })
}

/** An event contains a message for the client, and an election of a secondary has no members. */
function objectTextAsNextVersion(text: string): string {
  if (text.startsWith('p')) return `p${jsonAsNextVersion(text.slice(1))}`
  return text.startsWith('{') ? jsonAsNextVersion(text) : text
}

function workerTextsAsNextVersion(text: string): readonly string[] {
  const message = JSON.parse(text)
  const next = JSON.stringify(asNextVersion(message))
  if (message.kind !== 'change') return [next]
  // A change of the next version beside each known one.
  return [next, JSON.stringify({ ...message, change: { kind: 'next_kind', about: 'x' } })]
}
