/** A way to break the reference server, and what the doctor must say about it. */
import { CLIENT_NAMES } from '../../../client/src/names.ts'
import type { FaultCode } from '../../../faults/src/faults.ts'
import { type Defect, json } from '../reference-server.ts'

export interface Row {
  readonly fault: FaultCode
  readonly when: string
  readonly defect: Defect
  /** The clients that do not connect. */
  readonly breaks?: readonly string[]
  /** The clients with the finding; by default those that do not connect. */
  readonly at?: readonly string[]
  readonly fix: RegExp
  /** How long the doctor waits for a response, where the defect is that none comes. */
  readonly timeoutMs?: number
}

export const ALL: readonly string[] = CLIENT_NAMES

export const CLAUDE = ALL.slice(0, 3)

/** The clients that talk to the reference server with a session. */
export const WITH_SESSION = ALL.slice(3)

/** The reference server without the modern era. */
export const rejectsModern: Defect = (request, next) =>
  request.headers['mcp-protocol-version'] === '2026-07-28'
    ? json({ jsonrpc: '2.0', id: null, error: { code: -32601, message: 'No' } }, 400)
    : next()
