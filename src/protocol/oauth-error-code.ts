/**
 * The error codes of authorization: OAuth 2.0 and its extensions.
 *
 * @see https://www.iana.org/assignments/oauth-parameters/oauth-parameters.xhtml#extensions-error
 */
export type OAuthErrorCode =
  | 'access_denied'
  | 'consent_required'
  | 'insufficient_scope'
  | 'interaction_required'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_dpop_proof'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_token'
  | 'login_required'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type'
  | 'use_dpop_nonce'
