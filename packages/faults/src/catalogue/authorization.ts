/** Faults of registration, the authorization page, tokens and authenticated requests. */
import { faultGroup } from '../fault.ts'
import { AUTH, issue, mcp, modern, rfc } from '../sources.ts'

export const AUTHORIZATION = faultGroup('breaks', {
  'registration-refused': {
    meaning: 'The registration of the client with its own redirect URIs is refused.',
    ...rfc(7591, '3.2'),
    fix: 'Accept anonymous registrations with redirect URIs that are https, loopback http with any port, or a private-use scheme such as cursor://, and token_endpoint_auth_method "none".',
  },
  'registration-status': {
    meaning: 'A registration is answered with another status than 201.',
    ...rfc(7591, '3.2.1'),
    fix: 'Answer a registration with status 201.',
    degrades: 'all',
  },
  'registration-response-invalid': {
    meaning: 'The response of a registration is not a valid client.',
    ...rfc(7591, '3.2.1'),
    fix: 'Answer with JSON that has client_id, redirect_uris and all other registered metadata.',
  },
  'registration-redirects-changed': {
    meaning: 'The registered redirect URIs are not those that the client sent.',
    ...rfc(7591, '3.2.1'),
    fix: 'Register and return every redirect URI exactly as the client sent it.',
  },
  'registration-not-concurrent': {
    meaning: 'A second registration of the same client right after the first one fails.',
    clause: 'Claude registers twice within a second',
    source: issue('anthropics/claude-ai-mcp', 654),
    fix: 'Answer a repeated or concurrent registration like the first one, and do not limit registrations by address alone.',
    breaks: ['Claude (web)', 'Claude Desktop'],
  },
  'registration-limited': {
    meaning: 'A registration is refused with 429.',
    clause: 'Claude registers twice within a second; hosted clients share few addresses',
    source: issue('anthropics/claude-ai-mcp', 654),
    fix: 'Do not limit registrations by address alone, or set the limit far above 20 in a minute.',
    breaks: ['Claude (web)', 'Claude Desktop'],
    degrades: 'all',
  },
  'authorization-page-missing': {
    meaning: 'There is nothing at the authorization endpoint of the metadata.',
    ...rfc(6749, '3.1'),
    fix: 'Answer GET at the authorization_endpoint of the metadata, or correct its URL. Check that the router leads to its path.',
  },
  'authorization-refused': {
    meaning: 'The authorization endpoint refuses the request of the client.',
    clause: 'RFC 6749 §4.1.1; MCP, resource parameter implementation',
    source: modern(`${AUTH}#resource-parameter-implementation`),
    fix: 'Accept response_type=code with the registered redirect_uri, code_challenge (S256), state, scope and resource, and ignore unknown parameters.',
  },
  'client-document-refused': {
    meaning:
      'Client id metadata documents are advertised, and the authorization endpoint refuses such a client id.',
    clause: 'MCP, client id metadata documents',
    source: modern(`${AUTH}/client-registration#client-id-metadata-documents`),
    fix: 'Fetch the document at the client_id over https and accept its redirect_uris (loopback with any port), or do not advertise client_id_metadata_document_supported.',
  },
  'consent-page-csp': {
    meaning:
      'The content security policy of the authorization page blocks the redirect to the client.',
    clause: 'CSP Level 3 §6.4.2, form-action',
    source: 'https://www.w3.org/TR/CSP3/#directive-form-action',
    fix: 'Add the origin or the scheme of the redirect URI to form-action of the page whose form ends in the redirect.',
    degrades: 'all',
  },
  'redirect-uri-changed': {
    meaning: 'The authorization response is redirected to another URI than the redirect_uri.',
    ...rfc(6749, '3.1.2', '; RFC 8252 §7.3'),
    fix: 'Redirect to exactly the redirect_uri of the request, with its port and its path.',
  },
  'state-changed': {
    meaning: 'The authorization response does not return the state of the request.',
    ...rfc(6749, '4.1.2'),
    fix: 'Return state exactly as it was received, with success and with errors.',
  },
  'iss-missing': {
    meaning: 'The metadata advertises iss, and the authorization response does not have it.',
    ...rfc(9207, '2.4'),
    fix: 'Add iss with the issuer to every authorization response, also to errors, or do not advertise authorization_response_iss_parameter_supported.',
    breaks: ['Claude Code', 'Codex', 'ChatGPT'],
  },
  'iss-mismatch': {
    meaning: 'iss of the authorization response is not the issuer of the metadata.',
    ...rfc(9207, '2.4'),
    fix: 'Send iss with exactly the issuer of the metadata, from configuration and not from the host of the request.',
  },
  'token-request-refused': {
    meaning: 'The token endpoint refuses an authorization code that was just issued.',
    ...rfc(6749, '4.1.3'),
    fix: 'Accept grant_type=authorization_code with code, code_verifier, redirect_uri, client_id and resource of a public client, as a form.',
  },
  'invalid-client-missing': {
    meaning: 'The token endpoint does not answer an unknown client with the error invalid_client.',
    ...rfc(6749, '5.2', '; Claude registers again after invalid_client alone'),
    fix: 'Check the client before the grant, and answer an unknown client_id with 401 and { "error": "invalid_client" }.',
    degrades: ['Claude (web)', 'Claude Desktop', 'Claude Code'],
  },
  'token-response-invalid': {
    meaning: 'The response of the token endpoint does not match RFC 6749.',
    ...rfc(6749, '5.1'),
    fix: 'Answer with status 200 and JSON: access_token, token_type "Bearer" and expires_in as a number of seconds.',
  },
  'token-expiry-invalid': {
    meaning: 'expires_in is not a positive number of seconds.',
    ...rfc(6749, '5.1'),
    fix: 'Send expires_in as the lifetime of the token in seconds: a number, not a string, a date or 0.',
  },
  'token-without-expiry': {
    meaning: 'The token response has no expires_in, so clients do not know when to refresh.',
    ...rfc(6749, '5.1'),
    fix: 'Send expires_in with the lifetime of the access token in seconds.',
    degrades: 'all',
  },
  'token-short-lived': {
    meaning:
      'The access token lives less than a day. Claude often does not refresh, so people sign in again.',
    clause: 'Claude often does not refresh',
    source: issue('anthropics/claude-ai-mcp', 228),
    fix: 'Issue access tokens that live a day (expires_in 86400) with a check for revocation, and always a refresh token.',
    degrades: ['Claude (web)', 'Claude Desktop', 'Claude Code'],
  },
  'token-without-refresh': {
    meaning: 'The access token expires and there is no refresh token, so people sign in again.',
    ...mcp('refresh tokens', `${AUTH}#refresh-tokens`),
    fix: 'Issue a refresh token with every access token that expires.',
    degrades: 'all',
  },
  'token-audience-mismatch': {
    meaning:
      'The server refuses the token that its own authorization server issued: the audience is another one.',
    clause: 'RFC 8707 §2; MCP, token audience binding and validation',
    source: modern(`${AUTH}/security-considerations#token-audience-binding-and-validation`),
    fix: 'Bind the resource parameter to the token as its audience (aud), and compare it at the endpoint with the URL that people paste.',
  },
  'token-refused': {
    meaning: 'An authenticated request is still answered with 401.',
    ...mcp('token handling; RFC 6750 §3.1', `${AUTH}#token-handling`),
    fix: 'Check that the endpoint gets the Authorization header, which proxies and redirects may drop, and that it accepts issuer, audience and signature of this authorization server.',
  },
  'scope-insufficient': {
    meaning: 'An authenticated request is refused with 403.',
    clause: 'MCP, runtime insufficient scope errors; RFC 6750 §3.1',
    source: modern(`${AUTH}#runtime-insufficient-scope-errors`),
    fix: 'Name the needed scopes in the challenge of the 401 (scope="…") and in scopes_supported, so that clients request them at sign-in.',
  },
  'refresh-refused': {
    meaning: 'The refresh token that was just issued is refused.',
    ...rfc(6749, '6'),
    fix: 'Accept grant_type=refresh_token with refresh_token, client_id and resource of a public client.',
    loses: 'all',
  },
  'refresh-not-concurrent': {
    meaning: 'Two refreshes at once with the same refresh token end the grant or fail.',
    clause: 'Clients refresh in parallel and repeat a refresh whose response was lost',
    source: issue('anthropics/claude-code', 55055),
    fix: 'Answer the same refresh token for a short time (for example 30 seconds) with the same successor. Treat only later reuse as theft.',
    loses: 'all',
  },
  'authorization-lost-at-restart': {
    meaning: 'The access token is not valid any more after a restart of the server.',
    ...rfc(6749, '5.1'),
    clause: 'Signing keys, tokens and clients must outlive a deployment',
    fix: 'Keep signing keys, tokens and registered clients in storage, not in memory.',
    loses: 'all',
  },
})
