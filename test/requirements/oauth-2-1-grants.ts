/** Sections 4 and 10.2 of OAuth 2.1. */
import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html'

export const oauth21Grants: RequirementDocument = {
  title: 'OAuth 2.1: grants',
  pages: [PAGE],
  requirements: [
    {
      id: 'response-type',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.1`],
      says: 'A request without response_type, or with an unknown one, receives an error response.',
      tests: [
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a request %s with the error',
        'test/attacks/auth/authorize.test.ts > /authorize shows a page with a link that returns the error and iss for > $title',
      ],
    },
    {
      id: 'client-id-of-requests',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.1`],
      says: 'An authorization request names its client.',
      tests: [
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
        'test/auth/server/authorize.test.ts > an authorization request > is rejected with a page and status 400 when it %s',
      ],
    },
    {
      id: 'code-challenge',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.1`, `${PAGE}#section-4.1.2.1`],
      says: 'The authorization server supports code_challenge and code_verifier, and refuses a request without a challenge.',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > accepts an S256 code challenge',
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request',
        'test/auth/server/pkce.test.ts > the token endpoint > accepts a code verifier %s',
      ],
    },
    {
      id: 's256',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.1`],
      says: 'The client uses S256, which the server implements.',
      concerns: 'client',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > accepts an S256 code challenge',
      ],
    },
    {
      id: 'code-verifier-is-enforced',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.1`],
      says: 'The authorization server enforces the use of the verifier.',
      tests: [
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s',
        'test/property/code-redemption.test.ts > decideCodeRedemption > refuses without any effect exactly the requests that do not belong to the grant, or are late',
      ],
    },
    {
      id: 'redirect-uri-is-validated',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.1`],
      says: 'The authorization server compares redirect_uri with the registered ones as strings, and allows other ports of a loopback host.',
      tests: [
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
        'test/auth/clients/redirect-uri.test.ts > matchRedirectUri > with the registered %s rejects %s',
        'test/auth/server/authorize.test.ts > an authorization request > may name any port of a loopback redirect URI',
        'test/property/redirects.test.ts > matchRedirectUri > accepts a URI exactly when a registered one has the same parts, except for the port of a loopback host',
      ],
    },
    {
      id: 'codes-expire',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.2`],
      says: 'A code expires a minute after it was issued.',
      tests: [
        'test/auth/server/grants/authorization-code.test.ts > a code > is rejected with invalid_grant after 60 seconds',
        'test/attacks/auth/expiry.test.ts > /token rejects a code after its lifetime of 3 seconds',
      ],
    },
    {
      id: 'state-is-returned',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.2`, `${PAGE}#section-4.1.2.1`],
      says: 'A response contains the state of the request, unchanged.',
      tests: [
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > returns the state %s as the client sent it',
        'test/auth/server/decision.test.ts > an approval > redirects to the client with a code and signs the browser in for 12 hours',
        'test/auth/server/decision.test.ts > a denial > redirects to the client with access_denied and signs no person in',
        'test/attacks/auth/authorize.test.ts > /authorize returns a state with markup, NUL, surrogates and line breaks as one parameter',
      ],
    },
    {
      id: 'challenge-is-kept',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.2`],
      says: 'The authorization server keeps the challenge with the code.',
      tests: [
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s',
        'test/property/code-redemption.test.ts > decideCodeRedemption > refuses without any effect exactly the requests that do not belong to the grant, or are late',
      ],
    },
    {
      id: 'challenge-is-not-disclosed',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4.1.2`],
      says: 'The code does not disclose the challenge: it is a seal without it.',
      tests: [
        'test/auth/server/decision.test.ts > an approval > redirects to the client with a code and signs the browser in for 12 hours',
        'test/auth/server/grants/authorization-code.test.ts > a code > discloses neither its person nor the code challenge',
      ],
    },
    {
      id: 'code-injection',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.2`],
      says: 'The client prevents the injection of codes; the upstream sign-in uses PKCE and a nonce.',
      concerns: 'client',
      tests: [
        'test/auth/login/oidc.test.ts > the authorization request of an OpenID login > has state, nonce and PKCE challenge of this browser',
        'test/auth/login/hostile-upstream.test.ts > the callback of an OpenID login > rejects a response %s',
        'test/auth/server/callback.test.ts > a sign-in that fails > redirects to the client with access_denied when the id token %s',
      ],
    },
    {
      id: 'unsupported-method',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.2.1`],
      says: 'Another code_challenge_method than S256 receives invalid_request.',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request',
        'test/attacks/auth/authorize.test.ts > /authorize shows a page with a link that returns the error and iss for > $title',
      ],
    },
    {
      id: 'code-is-required',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.3`],
      says: 'A token request has the code, its verifier, and the client id when the client does not authenticate.',
      tests: [
        'test/auth/server/grants/authorization-code.test.ts > a code > is required: a request %s is rejected',
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s',
        'test/auth/server/token.test.ts > the endpoint %s > rejects a request that names no client',
      ],
    },
    {
      id: 'single-use-codes',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.3`],
      says: 'A code gives an access token once; a second use is refused and revokes the grant.',
      tests: [
        'test/auth/server/grants/authorization-code.test.ts > the replay of a code > is rejected with invalid_grant and ends the tokens of the first exchange',
        'test/attacks/auth/tokens.test.ts > a redeemed code > revokes its grant when it is redeemed again',
        'test/attacks/auth/tokens.test.ts > a redeemed code > is accepted once of twenty concurrent requests, and the others revoke its grant',
        'test/property/code-redemption.test.ts > decideCodeRedemption > redeems a pending grant, and never one that is redeemed already',
      ],
    },
    {
      id: 'code-belongs-to-its-client',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.3`],
      says: 'The code was issued to the client that redeems it, is valid, and has this challenge.',
      tests: [
        'test/auth/server/grants/authorization-code.test.ts > a code > is rejected with invalid_grant when another client presents it, and not spent',
        'test/auth/server/grants/authorization-code.test.ts > a code > is rejected %s with invalid_grant and not spent',
        'test/property/code-redemption.test.ts > decideCodeRedemption > refuses without any effect exactly the requests that do not belong to the grant, or are late',
      ],
    },
    {
      id: 'verifier-without-challenge',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.1.3`],
      says: 'A request with a verifier is refused when its code has no challenge; no code is issued without one.',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request',
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s',
      ],
    },
    {
      id: 'confidential-client-credentials',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.2`],
      says: 'Only confidential clients use the client credentials grant.',
      tests: [
        'test/auth/clients/static-clients.test.ts > createStaticClients > throws for a client with %s',
        'test/attacks/auth/tokens.test.ts > /token rejects the grant type %s for a self-registered client',
        'test/auth/server/grants/client-credentials.test.ts > client credentials > are rejected with unauthorized_client for a client that registered itself',
      ],
    },
    {
      id: 'client-credentials-authenticate',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.2.1`],
      says: 'The server authenticates the client of a client credentials request.',
      tests: [
        'test/auth/server/grants/client-credentials.test.ts > client credentials > are rejected with invalid_client when the secret is wrong',
        'test/attacks/auth/deployment.test.ts > the client credentials grant of /token > rejects a client without this grant type or with an empty secret',
      ],
    },
    {
      id: 'refresh-tokens-are-bound',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.3`],
      says: 'The authorization server binds a refresh token to its client, and checks that with each use.',
      tests: [
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is rejected with invalid_grant when another client presents it, and not spent',
        'test/property/refresh-decisions.test.ts > decideRefresh > refuses without any effect a request that does not belong to the grant, with any token',
      ],
    },
    {
      id: 'refresh-tokens-cannot-be-forged',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.3`, `${PAGE}#section-4.3.1`],
      says: 'A refresh token cannot be created, changed or guessed by others.',
      tests: [
        'test/durable-objects/account/storage.test.ts > the storage of an account > is not enough to forge a refresh token of the %s generation',
        'test/durable-objects/account/concurrent-calls.test.ts > a secret that was changed in any way is refused and changes nothing',
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is required: a request %s is rejected',
      ],
    },
    {
      id: 'refresh-scope',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4.3.1`],
      says: 'A refresh grants no scope beyond the consent.',
      tests: [
        'test/auth/server/grants/refresh-token.test.ts > the scopes of a refresh > are rejected with invalid_scope for %s, and the token is not spent',
        'test/property/refresh-decisions.test.ts > narrowScopes > grants the requested part of the granted scopes, in their order, and nothing more',
      ],
    },
    {
      id: 'refresh-tokens-are-checked',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.3.1`],
      says: 'The authorization server authenticates the client of a refresh, checks that the token is its own, and validates it.',
      tests: [
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is rejected with invalid_grant when another client presents it, and not spent',
        'test/auth/server/expired-registration.test.ts > a client whose registration has expired > must present its secret',
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is rejected %s with invalid_grant and ends the grant',
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is required: a request %s is rejected',
      ],
    },
    {
      id: 'replay-of-refresh-tokens',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.3.1`],
      says: 'The authorization server detects the replay of a refresh token of a public client: reuse after the grace revokes the grant.',
      tests: [
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is rejected %s with invalid_grant and ends the grant',
        'test/attacks/auth/tokens.test.ts > a refresh token > revokes its grant when it is reused after its successor',
        'test/property/refresh-decisions.test.ts > decideRefresh > follows a model in which each token is used once, or again within the grace until its successor is used',
        'test/clients/auth/expiry.test.ts > a used refresh token returns its successor during the grace and revokes the grant later',
      ],
    },
    {
      id: 'old-refresh-token',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.3.2`],
      says: 'The client replaces its refresh token by a new one.',
      concerns: 'client',
      tests: [
        'test/clients/auth/refreshing.test.ts > %s > refreshes repeatedly with a new refresh token each time',
      ],
    },
    {
      id: 'scope-of-the-next-refresh-token',
      level: 'MUST',
      clauses: [`${PAGE}#section-4.3.3`],
      says: 'A new refresh token has the scope of the one that it replaces.',
      tests: [
        'test/auth/server/grants/refresh-token.test.ts > the scopes of a refresh > are all granted again after a refresh for fewer',
      ],
    },
    {
      id: 'redirect-uri-of-oauth-2-0',
      level: 'MUST',
      clauses: [`${PAGE}#section-10.2`],
      says: 'The token endpoint accepts redirect_uri, and enforces it when it is sent.',
      deviation:
        'A token request without redirect_uri is accepted, as OAuth 2.1 clients send it, also when the authorization request had one.',
      tests: [
        'test/auth/server/grants/authorization-code.test.ts > a code > is exchanged for an access token and a refresh token',
        'test/auth/server/grants/authorization-code.test.ts > a code > is rejected %s with invalid_grant and not spent',
        'test/auth/server/grants/authorization-code.test.ts > a code > is exchanged without redirect_uri, as OAuth 2.1 has it',
      ],
    },
  ],
}
