/** A request about events that must be refused, and how it was answered. */
import type { RpcReply } from '../../mcp/rpc.ts'
import type { ExpectedError } from './event-errors.ts'

export interface RefusedRequest {
  /** The request and what is wrong with it. */
  readonly what: string
  readonly expected: ExpectedError
  /** Whether a server that has nothing of this mode may not have the method either. */
  readonly mayBeUnknown?: boolean
  readonly reply: RpcReply
}

/** No server has it. */
export const UNKNOWN_TYPE = 'edgeway.doctor.unknown'
