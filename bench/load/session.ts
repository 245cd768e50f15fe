/** Opens a session, as a client does before it asks for anything. */
import { initialize, initialized, type LoadRequest } from './request.ts'

/**
 * The id that the server gives; undefined where it gives none.
 *
 * @throws {Error} for an answer other than a client waits for
 */
export async function openSession(url: string, revision: string): Promise<string | undefined> {
  const sessionId = await startSession(url, revision)
  if (sessionId === undefined) return undefined
  await ask(url, initialized(revision, sessionId), 202)
  return sessionId
}

/** `initialize` alone. */
export async function startSession(url: string, revision: string): Promise<string | undefined> {
  const { headers } = await ask(url, initialize(revision), 200)
  return headers.get('mcp-session-id') ?? undefined
}

async function ask(url: string, { headers, body }: LoadRequest, status: number) {
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  if (response.status === status) return response
  throw new Error(`A session opens with ${response.status}: ${text.slice(0, 400)}`)
}
