/** Section 7 of OAuth 2.1. */
import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html'

export const oauth21Security: RequirementDocument = {
  title: 'OAuth 2.1: security',
  pages: [PAGE],
  requirements: [
    {
      id: 'encrypted-contents',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.1.1.2`],
      says: 'Contents of an access token that the client must not see are encrypted: the key of the props is sealed, and the props are stored encrypted.',
      tests: [
        'test/auth/server/issue-tokens.test.ts > an access token of a grant > has the claims of RFC 9068, and the grant with its sealed key',
        'test/durable-objects/account/storage.test.ts > the storage of an account > contains no issued secret and no readable props',
      ],
    },
    {
      id: 'no-tokens-in-cookies',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-7.1.1.2`, `${PAGE}#section-7.1.3.4`],
      says: 'Tokens are not in cookies that travel unprotected; the cookies of this server are Secure and contain no token.',
      tests: [
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in a cookie',
        'test/auth/server/browser-form.test.ts > the cookie of forms > is bound to the host, hidden from scripts and kept for 12 hours',
        'test/auth/server/decision.test.ts > an approval > redirects to the client with a code and signs the browser in for 12 hours',
      ],
    },
    {
      id: 'cookies-and-csrf',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.1.3.4`],
      says: 'What is in a cookie is protected from cross-site requests.',
      tests: [
        'test/attacks/auth/consent.test.ts > /authorize/decision refuses, without a redirect, > a form that is sent %s',
        'test/auth/server/browser-form.test.ts > the form at %s is rejected with a page and status 403 > %s',
      ],
    },
    {
      id: 'clients-keep-tokens',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.1.3.1`],
      says: 'The client sends its tokens to no other party.',
      concerns: 'client',
    },
    {
      id: 'clients-check-certificates',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.1.3.2`, `${PAGE}#section-7.1.3.3`],
      says: 'The client uses TLS and checks certificates.',
      concerns: 'client',
    },
    {
      id: 'no-tokens-in-urls',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-7.1.3.7`],
      says: 'Tokens are not sent in URLs; the server refuses them.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer with several credentials > rejects a token in the query: ?%s',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in the query',
      ],
    },
    {
      id: 'audience-of-tokens',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.1.4`, `${PAGE}#section-7.3.2`],
      says: 'The resource server refuses a token for another resource.',
      tests: [
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > the audience of another resource',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
        'test/clients/auth/audiences.test.ts > %s > is accepted at the resource of its token and rejected at the other',
      ],
    },
    {
      id: 'clients-and-people',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.4`],
      says: "Tokens of clients and of people can be told apart: the subject of a client begins with client:, which no person's does.",
      tests: [
        'test/auth/server/issue-tokens.test.ts > an access token without a grant > names the client as its subject and no grant',
        'test/auth/login/oidc.test.ts > the subject of an OpenID login > ends the sign-in with a TypeError when it is %s',
        'test/auth/server/assertion.test.ts > the subject of an assertion > is a fault of the server when the author makes %s of the claims',
        'test/auth/external.test.ts > the subject of an external token > makes the answer 503 when the author returns %s',
      ],
    },
    {
      id: 'verifier-against-injection',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.5.2`],
      says: 'The authorization server enforces code_challenge and code_verifier for every client.',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request',
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s',
      ],
    },
    {
      id: 'transaction-specific-challenges',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.5.2`],
      says: 'The client uses a fresh challenge or nonce in each transaction; the upstream sign-in derives them from a fresh secret.',
      concerns: 'client',
      tests: [
        'test/auth/server/callback.test.ts > the callback > serves two sign-ins of one browser at the same time',
        'test/auth/server/callback.test.ts > an approval > sends the browser to the provider with a nonce, a state and PKCE',
      ],
    },
    {
      id: 'no-307',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-7.5.4`],
      says: 'The authorization server redirects with 303, never with 307.',
      tests: [
        'test/auth/server/decision.test.ts > an approval > redirects to the client with a code and signs the browser in for 12 hours',
        'test/auth/server/decision.test.ts > a denial > redirects to the client with access_denied and signs no person in',
        'test/auth/server/passphrase-attempt.test.ts > the login page > redirects to the account page and signs in with the right passphrase',
      ],
    },
    {
      id: 'guessing',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.7`],
      says: 'Tokens, codes, passphrases and secrets are protected from guessing.',
      tests: [
        'test/auth/server/passphrase-attempt.test.ts > wrong passphrases from one network > are throttled with status 429 after 10 of them, the right one included',
        'test/auth/server/wrong-secrets.test.ts > a wrong client secret > is rejected with 401 ten times, and then with 429 and Retry-After',
        'test/durable-objects/account/concurrent-calls.test.ts > a secret that was changed in any way is refused and changes nothing',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > of 9,000 characters',
      ],
    },
    {
      id: 'entropy',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.7`],
      says: 'Generated secrets have at least 128 random bits.',
      tests: [
        'test/auth/server/register.test.ts > the registration endpoint > registers a client with a secret by default, and returns the secret',
        'test/durable-objects/keyring/keyring-object.test.ts > McpKeyring: keys > creates a different secret of 32 bytes in each deployment',
        'test/auth/clients/registered-client.test.ts > registration > gives a client with %s a secret, which is not stored',
      ],
    },
    {
      id: 'end-user-credentials',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.7`],
      says: 'Credentials of people are protected by other means: throttling, and a passphrase of at least twelve characters.',
      tests: [
        'test/auth/server/passphrase-attempt.test.ts > wrong passphrases from one network > are throttled with status 429 after 10 of them, the right one included',
        'test/auth/server/guessing.test.ts > wrong passphrases > of %s are checked %i times',
        'test/auth/server/guessing.test.ts > a configured passphrase with 11 characters > is accepted by no page of a host that is not loopback, which says why',
      ],
    },
    {
      id: 'client-csrf-by-pkce',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.9`],
      says: 'The client uses state, a nonce or PKCE against cross-site requests, and protects what state carries.',
      concerns: 'client',
      tests: [
        'test/auth/login/oidc.test.ts > the authorization request of an OpenID login > has state, nonce and PKCE challenge of this browser',
        'test/attacks/auth/upstream.test.ts > /authorize/callback shows an error page without a redirect when > the state is %j',
      ],
    },
    {
      id: 'supported-methods-are-published',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.9`],
      says: 'The authorization server publishes its code challenge methods.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'clickjacking',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.10`],
      says: 'The pages of the authorization server cannot be framed.',
      tests: [
        'test/auth/pages/policy.test.ts > the %s page > has headers that forbid caching, framing and content sniffing',
        'test/auth/pages/policy.test.ts > the %s page > has a policy that forbids resources, scripts, frames and another base URL',
        'test/attacks/auth/authorize.test.ts > the consent page cannot be framed, cached or read by other origins',
        'test/auth/server/decision.test.ts > the box of the consent page > is required for %s',
      ],
    },
    {
      id: 'input-validation',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.11`],
      says: 'The authorization server validates and escapes what it receives, state and redirect_uri above all.',
      tests: [
        'test/attacks/auth/authorize.test.ts > /authorize returns a state with markup, NUL, surrogates and line breaks as one parameter',
        'test/auth/pages/escaping.test.ts > the field %s > shows %s as text and adds no element or attribute',
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a state with %s with invalid_request and no state',
        'test/auth/clients/redirect-uri.test.ts > parseRedirectUri rejects > %j',
      ],
    },
    {
      id: 'clients-as-open-redirectors',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-7.12.1`],
      says: 'The client is no open redirector.',
      concerns: 'client',
    },
    {
      id: 'server-as-open-redirector',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-7.12.2`],
      says: 'The authorization server does not redirect by itself for an invalid client or redirect URI.',
      tests: [
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
        'test/auth/server/authorize.test.ts > an authorization request > is rejected with a page and status 400 when it %s',
      ],
    },
    {
      id: 'sign-in-before-redirect',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.12.2`],
      says: 'The authorization server asks the person before it redirects to a web site that it does not trust.',
      tests: [
        'test/auth/server/authorize-request.test.ts > an error of an authorization request > is shown with a link to the web site of a client with a metadata document',
        'test/auth/server/authorize-request.test.ts > an error of an authorization request > is shown to a signed-in person too',
        'test/attacks/auth/authorize.test.ts > /authorize shows a page with a link that returns the error and iss for > $title',
        'test/attacks/auth/consent.test.ts > a given consent > is not remembered when another site sent the browser',
      ],
    },
    {
      id: 'tls-termination',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.13`],
      says: 'A connection between a TLS proxy and the server is confidential.',
      concerns: 'author',
    },
    {
      id: 'mix-up',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.14`, `${PAGE}#section-7.14.1`, `${PAGE}#section-7.14.2`],
      says: 'The client that uses several authorization servers prevents mix-up; this server returns iss, and its upstream sign-in checks it.',
      concerns: 'client',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a response %s',
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > checks the issuer before the error',
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a response without iss when the metadata promises it',
        'test/clients/auth/first-try.test.ts > the consent page > returns the issuer with the decision %s',
      ],
    },
  ],
}
