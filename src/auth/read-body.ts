/** Reads the body of a request to the authorization server: bounded in size, and of the one accepted media type. */
import { readBoundedText } from '../platform/bounded-body.ts'
import type { invalidRequest } from './oauth-error.ts'

/**
 * Undefined for a body above `maxBytes`.
 *
 * @param refuse creates the error of the endpoint
 * @throws {OAuthError} what `refuse` creates
 */
export async function readBody(
  { headers, body }: Request,
  mediaType: string,
  maxBytes: number,
  refuse: typeof invalidRequest,
): Promise<string | undefined> {
  const [type = ''] = (headers.get('content-type') ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== mediaType) throw refuse(`The body must be ${mediaType}`)
  return readBoundedText(body, maxBytes).catch((cause: unknown) => {
    throw refuse('The body cannot be read', { cause })
  })
}
