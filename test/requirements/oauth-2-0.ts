/** Clauses of RFC 6749 that OAuth 2.1 has dropped or changed. Clauses that it keeps are in the documents of OAuth 2.1. */
import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc6749'

export const oauth20: RequirementDocument = {
  title: 'OAuth 2.0 (RFC 6749), where OAuth 2.1 does not repeat it',
  pages: [PAGE],
  requirements: [
    {
      id: 'public-clients-are-not-identified',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2.3`],
      says: 'The authorization server does not take the client id of a public client for its identity.',
      tests: [
        'test/auth/server/consent.test.ts > a consent given after a direct navigation (Sec-Fetch-Site: none) > is not remembered for a registered client without credentials',
        'test/auth/server/consent.test.ts > a consent given after a direct navigation (Sec-Fetch-Site: none) > is not remembered for a client of the configuration without credentials',
        'test/auth/server/decision.test.ts > the box of the consent page > is required for %s',
      ],
    },
    {
      id: 'basic-authentication',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.3.1`],
      says: 'The authorization server accepts a client secret with HTTP Basic.',
      tests: [
        'test/auth/server/token.test.ts > the endpoint %s > accepts a client secret %s',
        'test/auth/clients/client-authentication.test.ts > client authentication accepts > %s',
      ],
    },
    {
      id: 'tls-for-secrets',
      level: 'MUST',
      clauses: [
        `${PAGE}#section-2.3.1`,
        `${PAGE}#section-3.1`,
        `${PAGE}#section-3.2`,
        `${PAGE}#section-10.8`,
        `${PAGE}#section-10.9`,
        `${PAGE}#section-10.11`,
      ],
      says: 'The endpoints require TLS; plain http is served on loopback hosts alone.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i > http://evil.example:8787/mcp',
        'test/attacks/auth/common-checks.test.ts > a host that is not served > is rejected with 403 at %s',
      ],
    },
    {
      id: 'response-type-values',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1.1`, `${PAGE}#section-4.1.1`],
      says: 'The value of response_type is code; others are not understood.',
      tests: [
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a request %s with the error',
      ],
    },
    {
      id: 'registered-redirection-endpoints',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1.2.2`, `${PAGE}#section-10.2`, `${PAGE}#section-10.6`],
      says: 'Clients register their redirect URIs before they use the authorization endpoint.',
      tests: [
        'test/auth/clients/client-metadata.test.ts > a registration is rejected > that has %s',
        'test/auth/clients/client-document.test.ts > a client ID metadata document is rejected > that %s',
        'test/auth/clients/static-clients.test.ts > createStaticClients > throws for a client with %s',
      ],
    },
    {
      id: 'unauthenticated-client-id',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.1`],
      says: 'A client that does not authenticate sends its client_id with the code.',
      concerns: 'client',
      tests: [
        'test/auth/server/token.test.ts > the endpoint %s > rejects a request that names no client',
        'test/auth/server/grants/authorization-code.test.ts > a code > is rejected with invalid_grant when another client presents it, and not spent',
      ],
    },
    {
      id: 'code-is-used-once',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.2`, `${PAGE}#section-10.5`],
      says: 'A code is used once; a second use is refused.',
      tests: [
        'test/auth/server/grants/authorization-code.test.ts > the replay of a code > is rejected with invalid_grant and ends the tokens of the first exchange',
        'test/attacks/auth/tokens.test.ts > a redeemed code > is accepted once of twenty concurrent requests, and the others revoke its grant',
      ],
    },
    {
      id: 'redirect-uri-of-the-exchange',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.3`, `${PAGE}#section-10.6`],
      says: 'The redirect_uri of a token request is the one of the authorization request.',
      deviation:
        'OAuth 2.1 has removed the parameter: a token request without it is accepted, and PKCE protects the code.',
      tests: [
        'test/auth/server/grants/authorization-code.test.ts > a code > is rejected %s with invalid_grant and not spent',
        'test/auth/server/grants/authorization-code.test.ts > a code > is exchanged without redirect_uri, as OAuth 2.1 has it',
      ],
    },
    {
      id: 'implicit-grant',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.2.1`, `${PAGE}#section-4.2.2`, `${PAGE}#section-4.2.2.1`],
      says: 'An implicit grant checks its redirect URI and has the members of its response; this server does not offer the grant.',
      tests: [
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a request %s with the error > with response_type=token',
        'test/attacks/auth/authorize.test.ts > /authorize shows a page with a link that returns the error and iss for > $title',
      ],
    },
    {
      id: 'implicit-refresh',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4.2.2`],
      says: 'An implicit grant has no refresh token; this server does not offer the grant.',
      tests: [
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a request %s with the error > with response_type=token',
      ],
    },
    {
      id: 'password-grant',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.3.1`, `${PAGE}#section-4.3.2`],
      says: 'A password grant authenticates its client and is protected from guessing; this server does not offer the grant.',
      tests: [
        'test/auth/server/token.test.ts > the token endpoint > rejects a request with %s > the password grant',
      ],
    },
    {
      id: 'pragma',
      level: 'MUST',
      clauses: [`${PAGE}#section-5.1`],
      says: 'A response with tokens has Pragma: no-cache.',
      tests: [
        'test/auth/server/grants/authorization-code.test.ts > a code > is exchanged for an access token and a refresh token',
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is exchanged for an access token and the next refresh token',
      ],
    },
    {
      id: 'unknown-token-types',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-7.1`],
      says: 'The client uses no token whose type it does not understand; the upstream sign-in refuses other types than bearer.',
      concerns: 'client',
      tests: [
        'test/auth/login/hostile-upstream.test.ts > the token endpoint of a provider > ends the sign-in when it returns a token of type %j',
      ],
    },
    {
      id: 'credentials-of-native-apps',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-10.1`],
      says: 'The authorization server issues no common secret to native apps: each registration has its own.',
      tests: [
        'test/auth/server/register.test.ts > the registration endpoint > registers a client with a secret by default, and returns the secret',
        'test/auth/server/register.test.ts > the registration endpoint > gives each registration an id of its own',
        'test/auth/clients/registered-client.test.ts > registration > gives different ids to concurrent requests',
      ],
    },
    {
      id: 'client-is-authenticated-when-possible',
      level: 'MUST',
      clauses: [`${PAGE}#section-10.2`, `${PAGE}#section-10.5`],
      says: 'The authorization server authenticates a client that can authenticate, and checks that the code is for it.',
      tests: [
        'test/auth/server/token.test.ts > the endpoint %s > rejects %s in the form with invalid_client, at most with a challenge for introspection',
        'test/auth/server/grants/authorization-code.test.ts > a code > is rejected with invalid_grant when another client presents it, and not spent',
      ],
    },
    {
      id: 'tls-for-codes',
      level: 'MUST',
      clauses: [`${PAGE}#section-10.5`],
      says: 'A redirect URI at which codes authenticate a person uses TLS.',
      concerns: 'client',
    },
    {
      id: 'csrf-at-authorization',
      level: 'MUST',
      clauses: [`${PAGE}#section-10.12`],
      says: 'The authorization endpoint is protected from cross-site requests, and grants nothing without the knowledge and consent of the person.',
      tests: [
        'test/attacks/auth/consent.test.ts > /authorize/decision refuses, without a redirect, > a form that is sent %s',
        'test/auth/server/browser-form.test.ts > the form at %s is rejected with a page and status 403 > %s',
        'test/attacks/auth/consent.test.ts > a given consent > is requested again when another site sends the browser',
        'test/auth/server/consent.test.ts > a consent given after a direct navigation (Sec-Fetch-Site: none) > is asked for again when the request comes from %s',
      ],
    },
    {
      id: 'csrf-of-clients',
      level: 'MUST',
      clauses: [`${PAGE}#section-10.12`],
      says: 'The client protects its redirect URI with an unguessable value that is bound to the browser.',
      concerns: 'client',
      tests: [
        'test/auth/server/callback.test.ts > an approval > sends the browser to the provider with a nonce, a state and PKCE',
        'test/auth/server/callback.test.ts > the callback is rejected with a page and status 400 > in a browser without the cookie of the approval',
      ],
    },
  ],
}
