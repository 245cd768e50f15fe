/** What a step finds for one client. */
import { CHECKS, type SharedCode } from '../../../faults/src/checks/checks.ts'
import type { Facts } from '../../../faults/src/checks/facts.ts'
import type { FaultCode } from '../../../faults/src/faults.ts'
import { firstOf, quoted } from '../../../text/src/quoted.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import type { Client } from './clients.ts'
import type { HttpReply, HttpResponse } from './http/http-client.ts'
import { mediaTypeOf, type RpcReply } from './mcp/rpc.ts'
import type { Observations } from './observations.ts'

export interface Detected {
  readonly code: FaultCode
  /** What was seen, with the values of the server made printable. */
  readonly message: string
}

/** A part of the way of a client: pure, of what was observed before. */
export interface Step {
  readonly title: string
  readonly check: (observed: Observations, client: Client) => readonly Detected[]
}

export const detected = (code: FaultCode, message: string): Detected => ({ code, message })

/** The fault of an answer. */
export const answered = (code: FaultCode, request: string, reply: AnyReply): Detected =>
  detected(code, `${request} is answered with ${describe(reply)}`)

/** What the doctor has seen of a connection. */
export interface SeenFacts extends Facts {
  /** Values of documents behind a fault. The checks know only what they conclude from them. */
  readonly values?: Readonly<Partial<Record<SharedCode, unknown>>>
}

const MAX_SEEN_CHARACTERS = 1000

/** The faults among these that the checks find, in this order. */
export function failedChecks(facts: SeenFacts, ...codes: readonly SharedCode[]): Detected[] {
  return codes.flatMap((code) => {
    const answer = CHECKS[code](facts)
    if (answer?.passed !== false) return []
    const value = code in (facts.values ?? {}) ? `: ${quoted(facts.values?.[code])}` : ''
    return detected(code, printable(answer.seen, MAX_SEEN_CHARACTERS) + value)
  })
}

type AnyReply = RpcReply | HttpReply | HttpResponse

/** `status 404 text/html "<!doctype html>…"` */
export function describe(reply: AnyReply): string {
  if (!('kind' in reply)) {
    if ('ok' in reply && !reply.ok) return printable(reply.failure.detail)
    const body = reply.text.trim() === '' ? 'without a body' : quoted(reply.text.slice(0, 400))
    const type = printable(mediaTypeOf(reply), 60)
    return [`status ${reply.status}`, type, body].filter(Boolean).join(' ')
  }
  if (reply.kind === 'result') return `a result ${quoted(reply.result)}`
  if (reply.kind === 'failed') return describe(reply.reply)
  if (reply.kind !== 'error') return describe(reply.http)
  const code = Number.isFinite(reply.code) ? `error ${reply.code}` : 'an error without a valid code'
  return `status ${reply.http.status} with ${code} ${quoted(reply.message)}`
}

/** The fault of an answer that is no JSON-RPC message; undefined for a result and an error. */
export function transportFault(reply: RpcReply, request: string): Detected | undefined {
  if (reply.kind === 'malformed') return answered(reply.why, request, reply.http)
  if (reply.kind !== 'failed') return undefined
  const { kind } = reply.reply.failure
  const code = kind === 'address-refused' ? 'connection-failed' : kind
  return detected(code, `${request} has no response: ${describe(reply)}`)
}

/** What is around a result. */
export function envelopeFaults(reply: RpcReply, request: string): Detected[] {
  if (reply.kind !== 'result') return []
  return [
    ...(reply.isBatch
      ? [detected('response-batched', `${request} is answered with an array`)]
      : []),
    ...memberFaults(reply, request),
  ]
}

export function memberFaults(
  { others }: Extract<RpcReply, { others: unknown }>,
  request: string,
): Detected[] {
  if (others.length === 0) return []
  const text = `The response to ${request} has ${firstOf(others.map(quoted))}`
  return [detected('response-members-unknown', text)]
}
