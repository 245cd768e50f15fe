/** The third-party flow of 2025-03-26, and the security best practices of each revision. */
import { mcp, type RequirementDocument } from './requirement.ts'

const guide = (anchor: string, ...revisions: readonly string[]): readonly string[] =>
  revisions.map(
    (revision) =>
      `https://modelcontextprotocol.io/docs/${revision}/tutorials/security/security_best_practices${anchor}`,
  )

export const authorizationSecurityPractices: RequirementDocument = {
  title: 'Authorization: third parties and security best practices',
  pages: [
    ...mcp('basic/authorization', '2025-03-26'),
    ...guide('', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'third-party-token-mapping',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#session-binding-requirements', '2025-03-26')],
      says: 'The server keeps a secure mapping between the tokens of a third party and its own: the tokens of the third party are sealed in the props of the grant.',
      tests: [
        'test/auth/server/grants/hooks.test.ts > the hooks see the claims and tokens of a sign-in elsewhere as props',
        'test/durable-objects/account/storage.test.ts > the storage of an account > contains no issued secret and no readable props',
      ],
    },
    {
      id: 'third-party-token-status',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#session-binding-requirements', '2025-03-26')],
      says: 'The server checks the status of the third-party token before it honours its own.',
      deviation:
        'The status is checked with each refresh, and not with each call, which would be a request to the provider for every call; the hooks of the author and a shorter accessTtlMs narrow the time.',
      tests: [
        'test/auth/server/grants/upstream-renewal.test.ts > a refresh > is rejected with invalid_grant and ends the grant when the provider has ended it',
      ],
    },
    {
      id: 'third-party-token-lifecycle',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#session-binding-requirements', '2025-03-26')],
      says: 'The server manages the lifecycle of its tokens: their lifetime is limited, and revocation ends them.',
      tests: [
        'test/auth/server/issue-tokens.test.ts > an access token of a grant > expires after accessTtlMs, in whole seconds',
        'test/auth/server/revoke.test.ts > the revocation endpoint > ends the grant of the %s token',
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is rejected with invalid_grant when the grant is 365 days old, however recently it was used',
      ],
    },
    {
      id: 'third-party-token-renewal',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#session-binding-requirements', '2025-03-26')],
      says: 'The server renews third-party tokens that expire, and ends the grant when they cannot be renewed.',
      tests: [
        'test/auth/server/grants/upstream-renewal.test.ts > a refresh > renews the token of the provider, and keeps the new one for the next time',
        'test/auth/server/grants/upstream-renewal.test.ts > a refresh > is rejected with invalid_grant and ends the grant when the provider has ended it',
        'test/auth/server/grants/upstream-renewal.test.ts > a refresh > is answered with 503 when the provider %s, and the token stays',
      ],
    },
    {
      id: 'third-party-redirect-uris',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#security-considerations-2', '2025-03-26')],
      says: 'The server validates all redirect URIs, its own callback and those of its clients.',
      tests: [
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
        'test/auth/server/callback.test.ts > the callback is rejected with a page and status 400 > when the registration of the client has expired since',
        'test/auth/login/oidc.test.ts > the callback of an OpenID login > exchanges the code with the PKCE verifier and the same callback URL',
      ],
    },
    {
      id: 'third-party-credentials',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#security-considerations-2', '2025-03-26')],
      says: 'The server stores third-party credentials securely.',
      tests: [
        'test/durable-objects/account/storage.test.ts > the storage of an account > contains no issued secret and no readable props',
        'test/auth/login/hostile-upstream.test.ts > the error of a failed sign-in > holds no secret, code or token in its message or causes',
      ],
    },
    {
      id: 'third-party-timeouts',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#security-considerations-2', '2025-03-26')],
      says: 'The server ends a sign-in that takes too long.',
      tests: [
        'test/auth/server/callback.test.ts > the callback is rejected with a page and status 400 > when the approval is 10 minutes old',
        'test/auth/server/account-page.test.ts > the account page > asks again when the login has expired after 12 hours',
      ],
    },
    {
      id: 'token-chaining',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#security-considerations-2', '2025-03-26')],
      says: 'The operator considers the implications of chained tokens.',
      concerns: 'author',
    },
    {
      id: 'third-party-errors',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#security-considerations-2', '2025-03-26')],
      says: 'The server handles errors of the third party without disclosing them.',
      tests: [
        'test/auth/server/callback.test.ts > an approval > redirects to the client with temporarily_unavailable when the provider is down',
        'test/auth/server/callback.test.ts > a sign-in that fails > redirects to the client with access_denied %s',
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > does not show error texts of the provider',
      ],
    },
    {
      id: 'per-client-consent',
      level: 'MUST',
      clauses: [...guide('#mitigation', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28')],
      says: 'A proxy to another provider asks for consent for each client.',
      tests: [
        'test/attacks/auth/upstream.test.ts > /authorize does not redirect to the provider before the consent',
        'test/auth/server/consent.test.ts > a consent given after a direct navigation (Sec-Fetch-Site: none) > is asked for again where people sign in elsewhere',
      ],
    },
    {
      id: 'approved-clients',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The server records which clients a person has approved, and checks it before the third-party flow.',
      tests: [
        'test/attacks/auth/upstream.test.ts > /authorize does not redirect to the provider before the consent',
        'test/auth/server/consent.test.ts > a consent given after a direct navigation (Sec-Fetch-Site: none) > is asked for again where people sign in elsewhere',
        'test/auth/server/consent.test.ts > a consent given after a direct navigation (Sec-Fetch-Site: none) > does not cover %s',
        'test/auth/server/account-page.test.ts > the account page > lists a connected app with its name, resource, scopes and dates',
      ],
    },
    {
      id: 'consent-decisions-are-stored-securely',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The server stores consent decisions on its side.',
      tests: [
        'test/auth/server/consent.test.ts > a consent given after a direct navigation (Sec-Fetch-Site: none) > is remembered: the next request receives a code without a question',
        'test/durable-objects/account/storage.test.ts > consents in storage > are limited to the newest two hundred',
      ],
    },
    {
      id: 'consent-page-names-client',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The consent page names the requesting client.',
      tests: [
        'test/auth/pages/consent-page.test.ts > the consent page > names the app and the server in its heading',
        'test/auth/pages/consent-page.test.ts > the consent page > marks an app without a verified host as unverified',
      ],
    },
    {
      id: 'consent-page-lists-scopes',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The consent page shows the scopes that are requested at the third party.',
      deviation:
        'The page lists the scopes of this server and announces the sign-in with the provider, which shows its own scopes: these are configured by the author, the same for every client.',
      tests: [
        'test/auth/pages/consent-page.test.ts > the consent page > lists each requested scope with its description and its name',
        'test/auth/pages/consent-page.test.ts > the consent page > announces the sign-in with the upstream provider',
      ],
    },
    {
      id: 'consent-page-shows-redirect',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The consent page shows where the answer is sent.',
      tests: [
        'test/auth/pages/consent-page.test.ts > the consent page > shows where the answer is sent and which resource the app connects to',
        'test/auth/server/consent.test.ts > the consent page > shows the host of the redirect URI for a client without a name',
      ],
    },
    {
      id: 'consent-page-csrf',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The consent form is protected from cross-site requests.',
      tests: [
        'test/attacks/auth/consent.test.ts > /authorize/decision refuses, without a redirect, > a form that is sent %s',
        'test/attacks/auth/consent.test.ts > /authorize/decision refuses, without a redirect, > the form token %j',
        'test/auth/server/browser-form.test.ts > the form at %s is rejected with a page and status 403 > %s',
      ],
    },
    {
      id: 'consent-page-framing',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The consent page cannot be framed.',
      tests: [
        'test/auth/pages/policy.test.ts > the %s page > has headers that forbid caching, framing and content sniffing',
        'test/auth/pages/policy.test.ts > the %s page > has a policy that forbids resources, scripts, frames and another base URL',
        'test/attacks/auth/authorize.test.ts > the consent page cannot be framed, cached or read by other origins',
      ],
    },
    {
      id: 'consent-cookies',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'Cookies of the consent have the prefix __Host- and the attributes Secure, HttpOnly and SameSite=Lax, and are sealed.',
      tests: [
        'test/auth/server/browser-form.test.ts > the cookie of forms > is bound to the host, hidden from scripts and kept for 12 hours',
        'test/auth/server/browser-form.test.ts > the cookie of forms > is replaced when it was not made by this server',
      ],
    },
    {
      id: 'consent-is-for-a-client',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'A remembered consent belongs to one client id.',
      tests: [
        'test/auth/server/consent.test.ts > a consent given after a direct navigation (Sec-Fetch-Site: none) > does not cover %s',
        'test/auth/server/consent.test.ts > a consent given after a direct navigation (Sec-Fetch-Site: none) > does not cover another registration of the same client',
        'test/attacks/auth/consent.test.ts > /authorize/decision ignores redirect URI, scope, client and state in the form',
      ],
    },
    {
      id: 'redirect-uri-matches',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The server compares the redirect URI with the registered one as strings, and refuses a changed one.',
      tests: [
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
        'test/auth/clients/redirect-uri.test.ts > matchRedirectUri > with the registered %s rejects %s',
        'test/property/redirects.test.ts > matchRedirectUri > accepts no URI that differs from the registered one in a single character',
      ],
    },
    {
      id: 'upstream-state-is-random',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The server creates a random state for each request to the provider.',
      tests: [
        'test/auth/server/callback.test.ts > an approval > sends the browser to the provider with a nonce, a state and PKCE',
        'test/auth/server/callback.test.ts > the callback > serves two sign-ins of one browser at the same time',
      ],
    },
    {
      id: 'upstream-state-after-consent',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The server stores the state only after the person has approved, and sets its cookie with the redirect to the provider.',
      tests: [
        'test/attacks/auth/upstream.test.ts > /authorize does not redirect to the provider before the consent',
        'test/auth/server/callback.test.ts > an approval > sends the browser to the provider with a nonce, a state and PKCE',
        'test/auth/server/callback.test.ts > the callback is rejected with a page and status 400 > in a browser without the cookie of the approval',
      ],
    },
    {
      id: 'upstream-state-is-checked',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The callback compares the state with the cookie of the browser, and refuses a missing or foreign one.',
      tests: [
        'test/auth/server/callback.test.ts > the callback is rejected with a page and status 400 > %s',
        'test/auth/server/callback.test.ts > the callback is rejected with a page and status 400 > in a browser without the cookie of the approval',
        'test/auth/server/callback.test.ts > the callback is rejected with a page and status 400 > in a browser with another value of that cookie',
        'test/attacks/auth/upstream.test.ts > /authorize/callback shows an error page without a redirect when > the state is %j',
        'test/attacks/auth/upstream.test.ts > /authorize/callback shows an error page without a redirect when > the sign-in was begun in another browser',
      ],
    },
    {
      id: 'upstream-state-is-single-use',
      level: 'MUST',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'A state is used once and expires after ten minutes.',
      tests: [
        'test/auth/server/callback.test.ts > the callback is rejected with a page and status 400 > when the approval is 10 minutes old',
        'test/auth/server/callback.test.ts > the callback is rejected with a page and status 400 > when the sign-in was finished before',
        'test/attacks/auth/upstream.test.ts > /authorize/callback shows an error page without a redirect when > the response is sent a second time',
        'test/attacks/auth/upstream.test.ts > /authorize/callback accepts one of twenty concurrent responses',
      ],
    },
    {
      id: 'no-state-before-consent',
      level: 'MUST NOT',
      clauses: [
        ...guide('#required-protections', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The cookie of the state is not set before the approval.',
      tests: [
        'test/attacks/auth/upstream.test.ts > /authorize does not redirect to the provider before the consent',
        'test/auth/server/callback.test.ts > an approval > sets the cookie of the sign-in, which the consent page has not set',
      ],
    },
    {
      id: 'token-passthrough',
      level: 'MUST NOT',
      clauses: [...guide('#mitigation-2', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28')],
      says: 'The server accepts no token that was not issued for it.',
      tests: [
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > the audience of another resource',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with an external issuer > accepts only the configured audience',
      ],
    },
    {
      id: 'client-ssrf',
      level: 'MUST',
      clauses: [...guide('#mitigation-3', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28')],
      says: 'A client on a server considers requests to internal hosts.',
      concerns: 'client',
    },
    {
      id: 'sessions-verify-requests',
      level: 'MUST',
      clauses: [...guide('#mitigation-4', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28')],
      says: 'The server verifies every inbound request, also within a session.',
      tests: [
        'test/attacks/auth/bearer.test.ts > %s answers 401 or 404 to every method without a token',
        'test/clients/auth/principals.test.ts > a session of %s > is unknown to another person and requires a token',
        'test/clients/auth/resource-updates.test.ts > a request without a token > is rejected for a stream at %s',
      ],
    },
    {
      id: 'sessions-are-no-authentication',
      level: 'MUST NOT',
      clauses: [...guide('#mitigation-4', '2025-03-26', '2025-06-18', '2025-11-25')],
      says: 'The server does not take a session id for authentication.',
      tests: [
        'test/clients/auth/principals.test.ts > a session of %s > is unknown to another person and requires a token',
        'test/clients/auth/principals.test.ts > a session of %s > cannot be read or deleted by another person',
        'test/clients/auth/principals.test.ts > a session of %s > is unknown at another resource, for the same person and the same app',
      ],
    },
    {
      id: 'session-ids-are-random',
      level: 'MUST',
      clauses: [...guide('#mitigation-4', '2025-03-26', '2025-06-18', '2025-11-25')],
      says: 'Session ids are random and cannot be predicted.',
      tests: [
        'test/transport/session/session-ids.test.ts > a stream > is found only with a valid id of its session',
        'test/transport/session/session-ids.test.ts > a session id > does not prevent initialize when it is unknown',
        'test/property/sealing.test.ts > a seal > is refused after any bit of it was flipped',
      ],
    },
    {
      id: 'state-handles',
      level: 'MUST NOT',
      clauses: [...guide('#mitigation-4', '2026-07-28')],
      says: 'The server does not take the possession of a state handle for authentication.',
      tests: [
        'test/clients/auth/principals.test.ts > the input state of a modern request > is rejected from another person or app and at another resource',
        'test/clients/auth/principals.test.ts > a state handle of one person is unknown to another',
        'test/durable-objects/state/handle-principals.test.ts > the handle of another caller > is unknown to every operation, and keeps its value',
      ],
    },
    {
      id: 'local-servers',
      level: 'MUST',
      clauses: [...guide('#mitigation-5', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28')],
      says: 'The client asks for consent before it starts a local server.',
      concerns: 'client',
    },
    {
      id: 'authorization-urls',
      level: 'MUST',
      clauses: [...guide('#mitigation-6', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28')],
      says: 'The client opens only http and https URLs for authorization, without a shell, and validates URLs of servers.',
      concerns: 'client',
    },
    {
      id: 'authorization-urls-without-a-shell',
      level: 'MUST NOT',
      clauses: [...guide('#mitigation-6', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28')],
      says: 'The client uses no shell command to open a URL.',
      concerns: 'client',
    },
  ],
}
