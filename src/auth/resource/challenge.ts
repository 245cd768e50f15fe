/**
 * `WWW-Authenticate` challenges, and the responses that carry them.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-3
 * @see https://www.rfc-editor.org/rfc/rfc9728#section-5.1
 */
import { ErrorCode } from '../../protocol/error-codes.ts'
import { errorResponse } from '../../protocol/json-rpc.ts'
import type { OAuthErrorCode } from '../oauth-error.ts'
import type { Scheme } from './bearer.ts'

export interface Challenge {
  readonly metadataUrl: string
  readonly scopes: readonly string[]
  /** Absent if the request has no credentials (RFC 6750 §3.1). */
  readonly error?: { readonly code: OAuthErrorCode; readonly message: string } | undefined
  /** The scheme of the challenge that carries the error. */
  readonly scheme?: Scheme
  /** Whether a DPoP challenge follows. Default: if the scheme is DPoP. */
  readonly dpop?: boolean
  /** The algorithms of DPoP proofs. Undefined on a server without DPoP, whose only challenge is `Bearer`. */
  readonly dpopAlgorithms: readonly string[] | undefined
}

/** `Bearer` is the first challenge, because some clients read only the first word of the header. */
export function challengeText({
  metadataUrl,
  scopes,
  error,
  scheme = 'Bearer',
  dpop = scheme === 'DPoP',
  dpopAlgorithms,
}: Challenge): string {
  const where = [
    `resource_metadata=${quoted(metadataUrl)}`,
    ...(scopes.length > 0 ? [`scope=${quoted(scopes.join(' '))}`] : []),
  ]
  const why = error && [`error="${error.code}"`, `error_description=${quoted(error.message)}`]
  const isBearer = scheme === 'Bearer' || dpopAlgorithms === undefined
  const bearer = [...where, ...((isBearer && why) || [])]
  if (!dpop || dpopAlgorithms === undefined) return `Bearer ${bearer.join(', ')}`
  const algorithms = `algs="${dpopAlgorithms.join(' ')}"`
  const proof = [...where, ...((scheme === 'DPoP' && why) || []), algorithms]
  return `Bearer ${bearer.join(', ')}, DPoP ${proof.join(', ')}`
}

/** @param challenge undefined if other credentials would not change the response */
export function refusalResponse(
  status: 400 | 401 | 503,
  message: string,
  challenge: string | undefined,
): Response {
  const code = status === 503 ? ErrorCode.internalError : ErrorCode.invalidRequest
  return new Response(JSON.stringify(errorResponse(undefined, code, message)), {
    status,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(challenge !== undefined && { 'www-authenticate': challenge }),
      ...(status === 503 && { 'retry-after': '1' }),
    },
  })
}

/** Replaces quotes, backslashes and unprintable characters, so that nothing needs to be escaped. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')}"`
}
