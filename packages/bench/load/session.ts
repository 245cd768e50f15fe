/** Opens a session, as a client does before its first request. */
import { initialize, initialized, type LoadRequest } from './request.ts'

/**
 * Sends `initialize` and `notifications/initialized`.
 *
 * @returns the session id; undefined when the server issues none
 * @throws {Error} for an unexpected status
 */
export async function openSession(url: string, revision: string): Promise<string | undefined> {
  const sessionId = await startSession(url, revision)
  if (sessionId === undefined) return undefined
  await send(url, initialized(revision, sessionId), 202)
  return sessionId
}

/** Sends `initialize` only. */
export async function startSession(url: string, revision: string): Promise<string | undefined> {
  const { headers } = await send(url, initialize(revision), 200)
  return headers.get('mcp-session-id') ?? undefined
}

async function send(url: string, { headers, body }: LoadRequest, status: number) {
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  if (response.status === status) return response
  throw new Error(`Opening a session failed with ${response.status}: ${text.slice(0, 400)}`)
}
