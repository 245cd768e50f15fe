/** What names the planted faults besides the doctor: the timeline, and the directories. */
import type { ClientName } from '../../../client/src/names.ts'
import type { FaultCode } from '../../src/faults.ts'
import { WITH_MODERN, WITH_SESSION } from './row.ts'

export interface Seen {
  /** The clients that meet the fault, where they are not all that the catalogue names. */
  readonly met?: readonly ClientName[]
  /** The step that does not come, as the timeline names it; `connects` where the client connects all the same. */
  readonly timeline?: string
  /** The codes of directories. */
  readonly directories?: readonly string[]
}

const TO_RESOURCE = 'protected resource metadata'
const TO_SERVER = 'metadata of the authorization server'
const TO_REGISTRATION = 'registration'
const TO_PAGE = 'authorization request'
const TO_TOKEN = 'token request'
const TO_USE = 'request with the token'

const named = (...directories: readonly string[]): Seen => ({ directories })
const stops = (timeline: string, ...directories: readonly string[]) => ({ timeline, directories })
const connects = (...directories: readonly string[]) => stops('connects', ...directories)

/** The document of ChatGPT belongs to each connector, so it is not sent. */
const WITH_DOCUMENT: readonly ClientName[] = [
  'Claude (web)',
  'Claude Desktop',
  'Claude Code',
  'VS Code',
  'Codex',
]

export const SEEN: Readonly<Partial<Record<FaultCode, Seen>>> = {
  'no-answer': named('server-not-reached'),
  'response-endless': named('server-not-reached'),
  'https-expected': named('server-not-reached'),
  'redirect-drops-request': named('server-not-reached'),
  'bot-challenge': named('server-not-reached'),
  'host-refused': named('server-not-reached'),
  'origin-required': named('server-not-reached'),
  'user-agent-blocked': named('client-does-not-connect'),
  'rate-limited': named('server-not-reached'),
  'proxy-cannot-reach-server': named('server-not-reached'),
  'server-error': named('client-does-not-connect'),
  'request-refused': named('server-not-reached'),
  'endpoint-not-found': named('server-not-reached'),
  'endpoint-answers-html': named('server-not-reached'),
  'legacy-sse-only': named('server-not-reached'),
  'accept-refused': named('client-does-not-connect'),
  'unauthenticated-not-401': named('server-not-reached'),
  'authorization-not-offered': named('oauth-missing'),
  'challenge-missing': stops(TO_RESOURCE, 'challenge-without-metadata'),
  'challenge-without-metadata': stops(TO_RESOURCE, 'challenge-without-metadata'),
  'resource-metadata-missing': stops(TO_RESOURCE, 'resource-metadata-missing'),
  'resource-metadata-skipped': named('resource-metadata-missing'),
  'resource-metadata-invalid': stops(TO_SERVER, 'resource-metadata-missing'),
  'resource-mismatch': stops(TO_SERVER, 'resource-differs'),
  'resource-not-exact': stops(TO_SERVER, 'resource-differs'),
  'resource-trailing-slash': stops(TO_SERVER, 'resource-differs'),
  'authorization-servers-missing': stops(TO_SERVER, 'authorization-server-missing'),
  'metadata-names-unreachable-host': named('oauth-endpoint-not-public'),
  'metadata-without-cors': connects(),
  'server-metadata-missing': stops(TO_SERVER, 'authorization-server-missing'),
  'server-metadata-invalid': stops(TO_REGISTRATION, 'authorization-server-missing'),
  'metadata-redirected': named('lists-not-read'),
  'issuer-mismatch': stops(TO_REGISTRATION, 'issuer-differs'),
  'issuer-trailing-slash': stops(TO_REGISTRATION, 'issuer-differs'),
  'pkce-not-advertised': stops(TO_REGISTRATION, 'pkce-missing'),
  'code-flow-not-advertised': stops(TO_REGISTRATION, 'client-does-not-connect'),
  'authorization-endpoint-elsewhere': connects('lists-not-read'),
  'no-client-registration': named('registration-missing'),
  'no-dynamic-registration': stops(TO_REGISTRATION, 'lists-not-read'),
  'cimd-without-none': connects('cimd-without-none'),
  'registration-refused': stops(TO_REGISTRATION, 'client-does-not-connect'),
  'registration-status': connects(),
  'registration-response-invalid': stops(TO_PAGE, 'client-does-not-connect'),
  'registration-redirects-changed': { met: ['VS Code', 'Cursor'] },
  'registration-not-concurrent': named('client-does-not-connect'),
  'registration-limited': named('client-does-not-connect', 'lists-not-read'),
  'authorization-page-missing': named('client-does-not-connect'),
  'authorization-refused': stops(TO_PAGE, 'client-does-not-connect'),
  'client-document-refused': { ...named('client-does-not-connect'), met: WITH_DOCUMENT },
  'consent-page-csp': connects('lists-not-read'),
  'redirect-uri-changed': stops(TO_TOKEN, 'client-does-not-connect'),
  'state-changed': stops(TO_TOKEN, 'client-does-not-connect'),
  'iss-missing': stops(TO_TOKEN, 'lists-not-read', 'client-does-not-connect'),
  'iss-mismatch': stops(TO_TOKEN, 'client-does-not-connect'),
  'token-request-refused': stops(TO_TOKEN, 'client-does-not-connect'),
  'token-response-invalid': stops(TO_USE, 'client-does-not-connect'),
  'token-expiry-invalid': stops(TO_USE, 'client-does-not-connect'),
  'token-without-expiry': connects(),
  'token-short-lived': connects(),
  'token-without-refresh': connects(),
  'token-audience-mismatch': stops(TO_USE, 'lists-not-read'),
  'token-refused': named('lists-not-read'),
  'scope-insufficient': named('lists-not-read'),
  'response-not-json': named('server-not-reached'),
  'response-content-type': named('server-not-reached'),
  'event-stream-invalid': named('server-not-reached'),
  'response-missing': named('server-not-reached'),
  'initialize-version-unknown': { met: WITH_SESSION },
  'initialize-result-invalid': { met: WITH_SESSION },
  'newer-version-refused': { met: WITH_SESSION },
  'error-not-json': connects(),
  'version-header-refused': named('lists-not-read'),
  'response-batched': { met: WITH_SESSION },
  'second-client-refused': { met: WITH_SESSION },
  'notification-refused': { met: WITH_SESSION },
  'session-id-invalid': { met: WITH_SESSION },
  'response-id-changed': { met: WITH_MODERN },
  'session-not-found-at-once': { met: WITH_SESSION },
  'session-lost-not-404': { met: WITH_SESSION },
  'stream-event-unknown': { met: WITH_SESSION },
  'allow-header-missing': { met: WITH_SESSION },
  'session-end-fails': { met: WITH_SESSION },
  'stream-ends': { met: WITH_SESSION },
  'second-stream-refused': { met: WITH_SESSION },
  'well-known-not-json': named('proof-is-a-page', 'catalog-invalid'),
  'list-failed': named('lists-not-read'),
  'list-does-not-end': named('list-incomplete'),
  'tool-schema-not-object': named('tool-input-not-object'),
  'tool-schema-too-large': named('tool-input-too-large'),
  'tool-schema-composed': named('tool-input-composed'),
  'tool-output-not-object': named('tool-output-not-object'),
  'tool-output-composed': named('tool-output-composed'),
  'tool-name-too-long': named('tool-name-too-long'),
  'tool-name-dropped': named('tool-name-too-long'),
  'tool-name-repeated': named('tool-name-repeated'),
  'view-type-wrong': named('view-without-policy'),
  'view-policy-invalid': named('view-domain-invalid'),
  'call-failed': named('tool-call-failed'),
  'call-result-invalid': named('tool-call-failed'),
  'result-too-long': named('result-too-large'),
}

/** The codes of directories where a fault that is planted in this way has others. */
export const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  'the metadata has no resource, and the authorization server has none': [
    'authorization-server-missing',
  ],
  'a firewall protects the well-known paths': ['resource-metadata-missing', 'proof-refused'],
  'a request with a token gets the page of a site': ['lists-not-read'],
  'the response of tools/list has an error of null beside its result': ['lists-not-read'],
  'the gateway fails to verify the token': ['lists-not-read'],
  'the endpoint answers with 500': ['server-not-reached'],
  'an error with status 500 says that the server lacks an API key': ['server-not-reached'],
  'every request with a token crashes': ['lists-not-read'],
  'prompts are declared and their list is an error': ['list-incomplete'],
  'an internal error with status 200 says that an authentication failed': ['lists-not-read'],
  'nextCursor is null': ['list-incomplete'],
  'the notification after initialize is not answered': [],
  'the well-known paths are a page with 404': [],
  'an outputSchema has anyOf at its root': ['tool-output-composed'],
  'an outputSchema has oneOf at its root': ['tool-output-composed'],
  'a view has an address of the web': ['view-without-policy'],
  'a view has neither text nor blob': ['view-without-policy'],
  'an entry of a policy ends the directive': ['view-domain-wildcard'],
  'an entry of a policy is any host': ['view-domain-wildcard'],
  'an entry of a policy is in a list without a meaning': [],
  'the fallback of a site answers the well-known paths': [
    'oauth-missing',
    'proof-is-a-page',
    'catalog-invalid',
  ],
  'the registration endpoint is null': ['registration-missing'],
  'private-use schemes are refused': [],
  'loopback redirect URIs are compared with their port': ['lists-not-read'],
  'a call with the token is a JSON-RPC error with status 401': [],
}
