/** The headers that a call has: those of `protocol/credential-headers.ts` are removed where they are kept or read. */
import type { Endpoint } from './exchange.ts'

/** Returns the headers of a request without the one that the author's verifier reads. */
export function handlerHeaders(
  { headers }: Request,
  { credentialHeader }: Pick<Endpoint, 'credentialHeader'>,
): Headers {
  if (credentialHeader === undefined) return headers
  const copy = new Headers(headers)
  copy.delete(credentialHeader)
  return copy
}
