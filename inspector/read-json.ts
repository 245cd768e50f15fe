/** Reads the JSON of the inspector's own paths. */

/** A read that failed. The message says what the person can do. */
export class ReadError extends Error {
  override readonly name = 'ReadError'
}

/** @throws {ReadError} */
export async function readJson<T>(path: string): Promise<T> {
  let response: Response
  try {
    response = await fetch(path, { headers: { accept: 'application/json' } })
  } catch (cause) {
    throw new ReadError('The server does not answer. Check that it is running.', { cause })
  }
  if (response.ok) return (await response.json()) as T
  throw new ReadError(adviceOf(response.status))
}

function adviceOf(status: number): string {
  if (status === 401 || status === 403 || status === 404) {
    return `The server does not show this to you (${status}). In production, sign in at /account as a subject that the option "owners" of the inspector names.`
  }
  if (status === 429) return 'Too many requests. Wait for a moment, then try again.'
  return `The server answered ${status}. Its log has the cause.`
}
