/** What the authorization server and the resource server refuse: an OAuth error code, a status, a sentence. */

export type OAuthErrorCode =
  | 'access_denied'
  | 'insufficient_scope'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_dpop_proof'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_token'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'use_dpop_nonce'

const STATUS: Partial<Record<OAuthErrorCode, number>> = {
  invalid_client: 401,
  invalid_token: 401,
  insufficient_scope: 403,
  server_error: 500,
  temporarily_unavailable: 503,
}

/**
 * An error that crosses the wire. Its description is for the peer: printable ASCII without quotes
 * and backslashes (RFC 6749 §5.2), no secrets.
 */
export class OAuthError extends Error {
  override readonly name = 'OAuthError'
  readonly code: OAuthErrorCode
  readonly status: number

  constructor(
    code: OAuthErrorCode,
    description: string,
    options?: ErrorOptions & { readonly status?: number },
  ) {
    super(description, options)
    this.code = code
    this.status = options?.status ?? STATUS[code] ?? 400
  }
}
