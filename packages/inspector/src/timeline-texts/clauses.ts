/** The clause behind each refusal and leniency, by name. The reasons are explained in `docs/reference/reasons.md`. */
import {
  AUTH,
  type Cited,
  HTTP,
  issue,
  legacy,
  mcp,
  rfc,
  TRANSPORTS,
} from '../../../faults/src/sources.ts'

/** A section of a specification or of an RFC, or a public report on the behaviour of clients. */
export interface Clause {
  readonly text: string
  readonly url: string
}

const SENDING = mcp('sending messages', `${HTTP}#sending-messages`)
const SECURITY = mcp('security', `${HTTP}#security-%26-endpoint`)
const SESSIONS = legacy('session management', `${TRANSPORTS}#session-management`)
const RESUMING = legacy('resumability', `${TRANSPORTS}#resumability-and-redelivery`)
const VERSION = legacy('protocol version header', `${TRANSPORTS}#protocol-version-header`)
const META = mcp('meta', 'basic#meta')
const RATE = rfc(6585, '4')
const TOKEN_ERROR = rfc(6749, '5.2')
const AUTHORIZATION_ERROR = rfc(6749, '4.1.2.1')
const TOKEN_USE = rfc(6750, '3.1')
const CODE = rfc(6749, '4.1.3')
const REFRESH = rfc(6749, '6')

const CLAUSES: Readonly<Record<string, Cited>> = {
  'host-not-served': SECURITY,
  'origin-not-allowed': SECURITY,
  'rate-limited': RATE,
  'http-method-not-allowed': rfc(9110, '15.5.6'),
  'content-encoding-not-supported': rfc(9110, '15.5.16'),
  'content-type-not-json': SENDING,
  'not-acceptable': rfc(9110, '12.5.1'),
  'body-too-large': rfc(9110, '15.5.14'),
  'body-incomplete': SENDING,
  'body-not-json': SENDING,
  'body-too-deep': SENDING,
  'body-has-too-many-values': SENDING,
  'body-has-duplicate-key': rfc(8259, '4'),
  'batch-not-allowed': SENDING,
  'message-malformed': mcp('messages', 'basic#messages'),
  'params-malformed': mcp('requests', 'basic#requests'),
  'unexpected-response': SENDING,
  'meta-malformed': META,
  'header-mismatch': mcp('request headers', `${HTTP}#sending-messages`),
  'protocol-version-unsupported': mcp('discovery', 'server/discover'),
  'method-not-found': mcp('responses', 'basic#responses'),
  'capability-missing': META,
  'too-many-listeners': RATE,
  'session-id-missing': SESSIONS,
  'session-not-found': SESSIONS,
  'session-unavailable': rfc(9110, '15.6.4'),
  'request-id-in-use': legacy('requests', 'basic#requests'),
  'too-many-requests': RATE,
  'event-id-invalid': RESUMING,
  'event-id-ahead': RESUMING,
  'event-id-pruned': RESUMING,
  'stream-complete': RESUMING,
  'too-many-streams': legacy('multiple connections', `${TRANSPORTS}#multiple-connections`),
  'accept-incomplete': SENDING,
  'client-info-malformed': META,
  'content-type-missing': SENDING,
  'initialize-with-modern-header': VERSION,
  'notification-in-modern-era': SENDING,
  'protocol-version-header-mismatch': VERSION,
  'protocol-version-header-repeated': VERSION,
  'protocol-version-header-unknown': VERSION,
  'client-assertion-audience': rfc(7523, '3'),
  'token-missing': mcp('error handling', `${AUTH}#error-handling`),
  access_denied: AUTHORIZATION_ERROR,
  insufficient_scope: TOKEN_USE,
  invalid_client: TOKEN_ERROR,
  invalid_client_metadata: rfc(7591, '3.2.2'),
  invalid_dpop_proof: rfc(9449, '5'),
  invalid_grant: TOKEN_ERROR,
  invalid_redirect_uri: rfc(7591, '3.2.2'),
  invalid_request: TOKEN_ERROR,
  invalid_scope: TOKEN_ERROR,
  invalid_target: rfc(8707, '2'),
  invalid_token: TOKEN_USE,
  server_error: AUTHORIZATION_ERROR,
  temporarily_unavailable: AUTHORIZATION_ERROR,
  unauthorized_client: TOKEN_ERROR,
  unsupported_grant_type: TOKEN_ERROR,
  unsupported_response_type: AUTHORIZATION_ERROR,
  unsupported_token_type: rfc(7009, '2.2.1'),
  use_dpop_nonce: rfc(9449, '8'),
  'code-client-mismatch': CODE,
  'code-dpop-key-mismatch': rfc(9449, '10'),
  'code-expired': rfc(6749, '4.1.2'),
  'code-redirect-uri-mismatch': CODE,
  'code-replayed': rfc(6749, '4.1.2'),
  'code-resource-mismatch': rfc(8707, '2.2'),
  'code-unknown': CODE,
  'code-verifier-mismatch': rfc(7636, '4.6'),
  'refresh-token-client-mismatch': REFRESH,
  'refresh-token-dpop-key-mismatch': rfc(9449, '5'),
  'refresh-token-expired': REFRESH,
  'refresh-token-resource-mismatch': rfc(8707, '2.2'),
  'refresh-token-reused': rfc(9700, '4.14.2'),
  'refresh-token-unknown': REFRESH,
  'grant-revoked': TOKEN_ERROR,
  'grant-unknown': TOKEN_ERROR,
  'scope-not-granted': REFRESH,
}

/** The behaviour of real clients is the reason of a leniency that no clause allows. */
const CLIENTS = { clause: 'Real clients send it', source: issue('anthropics/claude-code', 93290) }

/** Undefined for a decision of this server, such as a refused sign-in. */
export function clauseOf(
  type: 'refusal' | 'leniency' | 'failure',
  name: string,
): Clause | undefined {
  const clause = Object.hasOwn(CLAUSES, name) ? CLAUSES[name] : undefined
  const cited = clause ?? (type === 'leniency' ? CLIENTS : undefined)
  return cited && { text: cited.clause, url: cited.source }
}
