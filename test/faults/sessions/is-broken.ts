/** Whether an error says that a connection broke, as it does when the server is killed. */
import { StreamEndedError } from './event-reader.ts'

/** Codes of errors of a socket whose other end is gone. */
const BROKEN = new Set(['ECONNRESET', 'ECONNREFUSED', 'ECONNABORTED', 'EPIPE'])

export function isBroken(error: unknown): boolean {
  if (error instanceof StreamEndedError) return true
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return (typeof code === 'string' && BROKEN.has(code)) || isBroken(error.cause)
}
