/** In-browser messages (section 4.17) are not used. */
import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc9700'

export const oauthSecurityPractice: RequirementDocument = {
  title: 'Best current practice for OAuth security (RFC 9700)',
  pages: [PAGE],
  requirements: [
    {
      id: 'exact-redirect-uris',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`, `${PAGE}#section-4.1.3`],
      says: 'The authorization server compares redirect URIs as strings, except for the port of a loopback host.',
      tests: [
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
        'test/auth/clients/redirect-uri.test.ts > matchRedirectUri > with the registered %s rejects %s',
        'test/property/redirects.test.ts > matchRedirectUri > accepts a URI exactly when a registered one has the same parts, except for the port of a loopback host',
        'test/property/redirects.test.ts > matchRedirectUri > accepts no URI that differs from the registered one in a single character',
      ],
    },
    {
      id: 'open-redirectors',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2.1`],
      says: 'Neither clients nor the authorization server are open redirectors.',
      tests: [
        'test/auth/server/authorize-request.test.ts > an error of an authorization request > is shown with a link to the web site of a client with a metadata document',
        'test/attacks/auth/authorize.test.ts > /authorize shows a page with a link that returns the error and iss for > $title',
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
      ],
    },
    {
      id: 'client-csrf',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`, `${PAGE}#section-4.7.1`],
      says: 'A client prevents cross-site requests to its redirect URI; the upstream sign-in uses a state that is bound to the browser, and PKCE.',
      concerns: 'client',
      tests: [
        'test/auth/server/callback.test.ts > an approval > sends the browser to the provider with a nonce, a state and PKCE',
        'test/auth/server/callback.test.ts > the callback is rejected with a page and status 400 > in a browser without the cookie of the approval',
        'test/attacks/auth/upstream.test.ts > /authorize/callback shows an error page without a redirect when > the state is %j',
      ],
    },
    {
      id: 'mix-up-defence',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`, `${PAGE}#section-4.4.2`],
      says: 'A client of several authorization servers defends itself against mix-up; the upstream sign-in checks iss.',
      concerns: 'client',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a response %s',
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a response without iss when the metadata promises it',
      ],
    },
    {
      id: 'credentials-are-not-forwarded',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'A redirect does not forward the credentials of the person.',
      tests: [
        'test/auth/server/decision.test.ts > an approval > redirects to the client with a code and signs the browser in for 12 hours',
        'test/auth/server/passphrase-attempt.test.ts > the login page > redirects to the account page and signs in with the right passphrase',
      ],
    },
    {
      id: 'code-injection',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1.1`],
      says: 'A client prevents the injection and misuse of codes; public clients use PKCE, which the server requires of all.',
      concerns: 'client',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request',
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s',
      ],
    },
    {
      id: 'transaction-specific-challenges',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1.1`],
      says: 'A challenge or nonce is fresh and bound to the browser; those of the upstream sign-in are.',
      concerns: 'client',
      tests: [
        'test/auth/server/callback.test.ts > the callback > serves two sign-ins of one browser at the same time',
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a code of a sign-in that another browser began',
      ],
    },
    {
      id: 'pkce-support',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1.1`],
      says: 'The authorization server supports PKCE.',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > accepts an S256 code challenge',
        'test/auth/server/pkce.test.ts > the token endpoint > accepts a code verifier %s',
      ],
    },
    {
      id: 'verifier-is-enforced',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1.1`, `${PAGE}#section-4.8.2`],
      says: 'The authorization server enforces the verifier of a code with a challenge.',
      tests: [
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s',
        'test/attacks/auth/tokens.test.ts > /token rejects a code, which stays valid, with > %s',
      ],
    },
    {
      id: 'pkce-downgrade',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1.1`, `${PAGE}#section-4.8.2`],
      says: 'The authorization server refuses a verifier for a code without a challenge; it issues no code without one.',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request',
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s',
      ],
    },
    {
      id: 'pkce-is-advertised',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1.1`, `${PAGE}#section-4.7.1`],
      says: 'The authorization server publishes its support of PKCE.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'refresh-tokens-of-public-clients',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.2.2`, `${PAGE}#section-4.14.2`],
      says: 'The refresh tokens of public clients are rotated, and bound to a key where the client has one.',
      tests: [
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is rejected %s with invalid_grant and ends the grant',
        'test/auth/server/grants/dpop.test.ts > a refresh token of a public client > is bound to the key of the code',
        'test/property/refresh-decisions.test.ts > decideRefresh > follows a model in which each token is used once, or again within the grace until its successor is used',
      ],
    },
    {
      id: 'audience-restriction',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.3`],
      says: 'The resource server refuses a token for another resource.',
      tests: [
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > the audience of another resource',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
      ],
    },
    {
      id: 'password-grant',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2.4`],
      says: 'The password grant is not used.',
      tests: [
        'test/auth/server/token.test.ts > the token endpoint > rejects a request with %s > the password grant',
      ],
    },
    {
      id: 'encrypted-responses',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2.6`],
      says: 'Authorization responses are not sent over plain http, except to loopback hosts.',
      tests: [
        'test/auth/clients/redirect-uri.test.ts > parseRedirectUri rejects > %j',
        'test/attacks/auth/registration.test.ts > /register rejects > %s',
      ],
    },
    {
      id: 'plain-http-redirects',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2.6`],
      says: 'The authorization server accepts no http redirect URI, except on loopback hosts.',
      tests: [
        'test/auth/clients/redirect-uri.test.ts > parseRedirectUri rejects > %j > http://a.example/cb',
        'test/auth/clients/redirect-uri.test.ts > parseRedirectUri rejects > %j > http://127.0.0.2/cb',
        'test/attacks/auth/registration.test.ts > /register rejects > %s',
        'test/auth/clients/redirect-policy.test.ts > createRedirectPolicy by default > rejects %s',
      ],
    },
    {
      id: 'no-cors-at-authorization',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2.6`],
      says: 'The authorization endpoint does not support CORS.',
      tests: [
        'test/auth/server/routes.test.ts > a page > %s rejects a preflight with 405',
        'test/attacks/auth/common-checks.test.ts > %s sends no CORS headers',
      ],
    },
    {
      id: 'in-browser-messages',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.6`, `${PAGE}#section-4.17.2`],
      says: 'The parties of an in-browser message verify each other; the pages of this server have no script that could send one.',
      tests: [
        'test/auth/pages/policy.test.ts > the %s page > has no script, event handler, inline style or URL of another site',
      ],
    },
    {
      id: 'in-browser-wildcards',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4.17.2`],
      says: 'An in-browser message is not sent to all origins; the pages of this server send none.',
      tests: [
        'test/auth/pages/policy.test.ts > the %s page > has no script, event handler, inline style or URL of another site',
      ],
    },
    {
      id: 'redirect-hosts',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4.1.3`, `${PAGE}#section-4.11.1`],
      says: 'The web server of a redirect URI is no open redirector.',
      concerns: 'client',
    },
    {
      id: 'codes-are-invalidated',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.2.4`],
      says: 'A code is invalid after its first use.',
      tests: [
        'test/auth/server/grants/authorization-code.test.ts > the replay of a code > is rejected with invalid_grant and ends the tokens of the first exchange',
        'test/attacks/auth/tokens.test.ts > a redeemed code > is accepted once of twenty concurrent requests, and the others revoke its grant',
      ],
    },
    {
      id: 'tokens-in-queries',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4.3.2`],
      says: 'A client does not send a token in the query; the server refuses it.',
      concerns: 'client',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer with several credentials > rejects a token in the query: ?%s',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in the query',
      ],
    },
    {
      id: 'mix-up-by-issuer',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.4.2.1`, `${PAGE}#section-4.4.2.2`],
      says: 'A client compares the issuer of a response with the one that it has asked, or uses a redirect URI for each.',
      concerns: 'client',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a response %s',
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > checks the issuer before the error',
      ],
    },
    {
      id: 'nonce-instead-of-pkce',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.5.3.2`],
      says: 'A client that relies on a nonce checks it before it uses any token.',
      concerns: 'client',
      tests: [
        'test/auth/server/callback.test.ts > a sign-in that fails > redirects to the client with access_denied when the id token %s',
        'test/auth/login/hostile-upstream.test.ts > an OpenID login > rejects an id token %s',
      ],
    },
    {
      id: 'tokens-are-not-stored-in-plain-text',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.9.3`],
      says: 'The resource server treats tokens as secrets, and does not store them.',
      tests: [
        'test/durable-objects/account/storage.test.ts > the storage of an account > contains no issued secret and no readable props',
      ],
    },
    {
      id: 'sign-in-before-redirect',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.11.2`],
      says: 'The authorization server asks the person before it redirects to a web site that registered itself, and never redirects to an invalid URI.',
      tests: [
        'test/auth/server/authorize-request.test.ts > an error of an authorization request > is shown with a link to the web site of a client with a metadata document',
        'test/auth/server/authorize-request.test.ts > an error of an authorization request > is shown to a signed-in person too',
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
      ],
    },
    {
      id: 'no-307',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4.12`],
      says: 'The authorization server does not redirect with 307.',
      tests: [
        'test/auth/server/decision.test.ts > an approval > redirects to the client with a code and signs the browser in for 12 hours',
        'test/auth/server/decision.test.ts > a denial > redirects to the client with access_denied and signs no person in',
        'test/auth/server/passphrase-attempt.test.ts > the login page > redirects to the account page and signs in with the right passphrase',
      ],
    },
    {
      id: 'trusted-proxy-headers',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.13`],
      says: 'A reverse proxy cleans the headers that the server relies on; this server takes its origin from configuration, and a foreign address header never gives more rights.',
      concerns: 'author',
      tests: [
        'test/auth/server/open-sign-in.test.ts > a server without a passphrase > refuses a sign-in when %s is %j',
        'test/attacks/auth/common-checks.test.ts > %s is the same for any Host and forwarding headers',
        'test/attacks/auth/common-checks.test.ts > the challenge names the configured metadata URL for any Host and forwarding headers',
      ],
    },
    {
      id: 'proxy-connections',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.13`],
      says: 'A connection between a proxy and the server is protected.',
      concerns: 'author',
    },
    {
      id: 'refresh-tokens-by-risk',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.14.2`],
      says: 'The authorization server decides by risk whether a client receives refresh tokens: grants of people have them, client credentials and assertions do not.',
      tests: [
        'test/auth/server/grants/client-credentials.test.ts > client credentials > give an access token of one hour and no refresh token',
        'test/auth/server/grants/jwt-bearer.test.ts > an identity assertion > is exchanged for an access token of one hour without a refresh token',
        'test/auth/server/grants/authorization-code.test.ts > a code > is exchanged for an access token and a refresh token',
      ],
    },
    {
      id: 'refresh-tokens-keep-scope',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.14.2`],
      says: 'A refresh token is bound to the scopes and the resource of the consent.',
      tests: [
        'test/auth/server/grants/refresh-token.test.ts > the scopes of a refresh > are rejected with invalid_scope for %s, and the token is not spent',
        'test/auth/server/resource-parameter.test.ts > the token endpoint, when a token is refreshed > rejects %s with invalid_target and does not spend the token',
      ],
    },
    {
      id: 'integrity-of-refresh-tokens',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.14.2`],
      says: 'A refresh token that contains its grant is protected from changes.',
      tests: [
        'test/durable-objects/account/concurrent-calls.test.ts > a secret that was changed in any way is refused and changes nothing',
        'test/durable-objects/account/storage.test.ts > the storage of an account > is not enough to forge a refresh token of the %s generation',
      ],
    },
    {
      id: 'clients-and-people',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.15.1`],
      says: 'The resource server can tell the tokens of clients from those of people.',
      tests: [
        'test/auth/server/issue-tokens.test.ts > an access token without a grant > names the client as its subject and no grant',
        'test/auth/login/oidc.test.ts > the subject of an OpenID login > ends the sign-in with a TypeError when it is %s',
        'test/auth/server/assertion.test.ts > the subject of an assertion > is a fault of the server when the author makes %s of the claims',
      ],
    },
    {
      id: 'clickjacking',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.16`],
      says: 'The pages of the authorization server cannot be framed.',
      tests: [
        'test/auth/pages/policy.test.ts > the %s page > has headers that forbid caching, framing and content sniffing',
        'test/auth/pages/policy.test.ts > the %s page > has a policy that forbids resources, scripts, frames and another base URL',
        'test/attacks/auth/authorize.test.ts > the consent page cannot be framed, cached or read by other origins',
      ],
    },
  ],
}
