/** Asks of a handler in a session, as a client of a revision receives them. */
import { openSession } from './session-client.ts'
import type { Handler } from './session-server.ts'

/** Opens a session of a revision, calls the handler, and returns its first server request. */
export async function askedIn(version: string, handler: Handler) {
  const session = await openSession({ version })
  const call = await session.stream(handler)
  return { session, call, question: await call.message() }
}
