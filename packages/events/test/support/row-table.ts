/**
 * The 131 rows that the conformance suite declares for MCP Events, without their placeholder prefix `sep-9999-`.
 *
 * @see https://github.com/modelcontextprotocol/conformance/pull/504
 */
const SCENARIOS: Readonly<Record<string, string>> = {
  capability: 'events-object list-changed-flag',
  list: 'implemented pagination',
  descriptor: 'name description delivery-subset input-schema payload-schema meta',
  error:
    'not-found server-range unsupported callback-endpoint-error invalid-params forbidden resource-exhausted',
  poll: 'implemented one-subscription-per-request bootstraps-subscription events-array response-cursor next-poll-ms next-poll-ms-ignored-when-has-more has-more max-events-cap stateless-request errors-are-jsonrpc invalid-arguments mode-unsupported',
  occurrence: 'event-id name timestamp data cursor-optional meta-ungoverned event-id-from-upstream',
  cursor: 'opaque null-starts-from-now absent-equals-null consistency advances-when-quiet',
  'max-age-ms': 'floor sets-truncated ignored-when-cursor-null',
  'replay-ceiling': 'sets-truncated',
  truncated: 'returns-fresh-cursor poll-never-an-error false-when-no-replay',
  removal:
    'poll-not-found terminates-subscriptions error-not-found error-schema-changed additive-no-terminate',
  stream:
    'implemented error-before-open active-confirmation subscription-id-meta event-notification error-is-recoverable terminated-ends-subscription gap-resends-active heartbeat-required heartbeat-carries-cursor heartbeat-interval heartbeat-not-sse-comment final-result-shape final-result-timing cancel-stops-delivery exempt-from-concurrency-cap carries-only-event-notifications',
  subscribe:
    'webhook-only secret-required secret-format secret-rejected url-https-required url-non-https-rejected auth-required key-composition key-immutable idempotent-upsert id-derived id-not-an-input refresh-replaces-secret refresh-reactivates response-cursor response-truncated cross-tenant-isolation',
  ttl: 'refresh-before-lte-suggestion no-rejection-path null-only-when-requested omitted-means-default long-grant-retained no-expiry-persisted no-expiry-gc-terminated',
  unsubscribe: 'by-key unknown-not-found',
  delivery:
    'status-last-error-category post-json standard-webhooks-headers subscription-id-header signature-formula retry-regenerates-signature dual-sign-on-rotation body-size 413-non-retryable 410-non-retryable retries-bounded',
  ssrf: 'validate-callback-url reject-non-routable validate-at-delivery-time no-redirects',
  verification:
    'required-before-delivery challenge-echo failure-error cached-per-principal-url persisted-for-no-expiry uses-ssrf-hardened-path no-raw-endpoint-responses',
  'server-identity': 'key-discovery',
  envelope: 'type-discriminator signed-like-deliveries webhook-id-format gap terminated',
  'schema-evolution': 'additive',
  'breaking-change': 'new-name',
  'list-changed': 'notification',
  authz: 'subscribe-time delivery-time-reverify',
  payload: 'minimality',
}

export const ROWS: readonly string[] = Object.entries(SCENARIOS).flatMap(([scenario, rows]) =>
  rows.split(' ').map((row) => `${scenario}-${row}`),
)

/** Rows that no test here can decide, each with its reason. */
export const ROWS_WITHOUT_TEST: Readonly<Record<string, string>> = {}
