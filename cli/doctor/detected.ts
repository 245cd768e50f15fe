/** What a step finds for one client. */
import type { FaultCode } from '../../src/faults/faults.ts'
import type { Client } from './clients.ts'
import type { HttpReply, HttpResponse } from './http/http-client.ts'
import { mediaTypeOf, type RpcReply } from './mcp/rpc.ts'
import type { Observations } from './observations.ts'
import { printable, quoted } from './text.ts'

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

/** `404 text/html "<!doctype html>…"` */
export function describeHttp(http: HttpResponse): string {
  const body = http.text.trim() === '' ? 'without a body' : quoted(http.text.slice(0, 400))
  return [`status ${http.status}`, printable(mediaTypeOf(http), 60), body].filter(Boolean).join(' ')
}

export function describeReply(reply: HttpReply): string {
  return reply.ok ? describeHttp(reply) : printable(reply.failure.detail)
}

export function describeRpc(reply: RpcReply): string {
  switch (reply.kind) {
    case 'result':
      return `a result ${quoted(reply.result)}`
    case 'error':
      return `status ${reply.http.status} with error ${reply.code} ${quoted(reply.message)}`
    case 'failed':
      return printable(reply.reply.failure.detail)
    default:
      return describeHttp(reply.http)
  }
}

/** The fault of an answer that is no JSON-RPC message; undefined for a result and an error. */
export function transportFault(reply: RpcReply, request: string): Detected | undefined {
  if (reply.kind === 'malformed') {
    return detected(reply.why, `${request} is answered with ${describeHttp(reply.http)}`)
  }
  if (reply.kind !== 'failed') return undefined
  const { kind, detail } = reply.reply.failure
  const code = kind === 'address-refused' ? 'connection-failed' : kind
  return detected(code, `${request} has no response: ${printable(detail)}`)
}
