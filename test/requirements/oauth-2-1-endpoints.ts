/** Section 3 of OAuth 2.1; the grants are in `oauth-2-1-grants.ts`. */
import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.ietf.org/archive/id/draft-ietf-oauth-v2-1-13.html'

export const oauth21Endpoints: RequirementDocument = {
  title: 'OAuth 2.1: endpoints',
  pages: [PAGE],
  requirements: [
    {
      id: 'resource-owner-is-authenticated',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1`],
      says: 'The authorization endpoint authenticates the person before it grants anything.',
      tests: [
        'test/auth/server/passphrase-attempt.test.ts > the consent page > is shown again with status %s',
        'test/attacks/auth/consent.test.ts > /authorize/decision refuses, without a redirect, > %s',
        'test/auth/server/consent.test.ts > the consent page > asks for the passphrase and carries the sealed question',
      ],
    },
    {
      id: 'authorization-endpoint-uri',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-3.1`, `${PAGE}#section-3.2`],
      says: 'The URLs of the endpoints have no fragment.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'authorization-endpoint-get',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1`],
      says: 'The authorization endpoint accepts GET.',
      tests: [
        'test/auth/server/authorize.test.ts > an authorization request > shows the consent page for a registered client',
        'test/auth/server/routes.test.ts > a page > %s rejects %s with 405 and allows %s',
      ],
    },
    {
      id: 'unknown-parameters-of-authorization',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1`],
      says: 'The authorization endpoint ignores parameters that it does not know.',
      deviation:
        'An unknown parameter that occurs twice is refused, like any other: another reader of the request could take either value.',
      tests: [
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > accepts a request %s',
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a request that has %s twice with invalid_request',
      ],
    },
    {
      id: 'repeated-parameters-of-authorization',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-3.1`],
      says: 'A parameter occurs once in an authorization request.',
      tests: [
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a request that has %s twice with invalid_request',
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a request that has state twice with invalid_request and no state',
        'test/auth/server/authorize.test.ts > an authorization request > is rejected with a page and status 400 when it has %s twice',
      ],
    },
    {
      id: 'empty-parameters',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1`, `${PAGE}#section-3.2`],
      says: 'A parameter without a value counts as omitted.',
      tests: [
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > accepts a request %s',
        'test/auth/server/read-form.test.ts > the endpoint %s > accepts a form %s',
        'test/auth/server/grants/authorization-code.test.ts > a code > is required: a request %s is rejected',
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is required: a request %s is rejected',
      ],
    },
    {
      id: 'credentials-are-not-forwarded',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1`],
      says: 'A redirect does not forward the credentials of the person.',
      tests: [
        'test/auth/server/decision.test.ts > an approval > redirects to the client with a code and signs the browser in for 12 hours',
        'test/auth/server/passphrase-attempt.test.ts > the login page > redirects to the account page and signs in with the right passphrase',
      ],
    },
    {
      id: 'no-cors-at-authorization',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-3.1`],
      says: 'The authorization endpoint does not support CORS.',
      tests: [
        'test/auth/server/routes.test.ts > a page > %s rejects a preflight with 405',
        'test/attacks/auth/common-checks.test.ts > %s sends no CORS headers',
      ],
    },
    {
      id: 'token-endpoint-post',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2`],
      says: 'The client posts to the token endpoint.',
      concerns: 'client',
      tests: [
        'test/auth/server/routes.test.ts > an endpoint for programs > %s rejects %s with 405 and allows %s',
        'test/auth/server/routes.test.ts > an endpoint for programs > %s rejects HEAD with 405',
        'test/attacks/auth/common-checks.test.ts > %s > answers 405 with Allow to %s',
      ],
    },
    {
      id: 'unknown-parameters-of-tokens',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2`],
      says: 'The token endpoint ignores parameters that it does not know.',
      deviation:
        'An unknown parameter that occurs twice is refused, like any other: another reader of the request could take either value.',
      tests: [
        'test/auth/server/read-form.test.ts > the endpoint %s > accepts a form %s',
        'test/auth/server/read-form.test.ts > the endpoint %s > rejects a body %s with invalid_request',
      ],
    },
    {
      id: 'repeated-parameters-of-tokens',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-3.2`],
      says: 'A parameter occurs once in a token request.',
      tests: [
        'test/auth/server/read-form.test.ts > the endpoint %s > rejects a body %s with invalid_request',
        'test/attacks/auth/common-checks.test.ts > %s rejects > a repeated parameter in %s',
      ],
    },
    {
      id: 'confidential-clients-authenticate',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.1`, `${PAGE}#section-3.2.2`, `${PAGE}#section-4.3.1`],
      says: 'Confidential clients authenticate at the token endpoint.',
      concerns: 'client',
      tests: [
        'test/auth/server/token.test.ts > the endpoint %s > rejects %s in the form with invalid_client, at most with a challenge for introspection',
        'test/auth/clients/client-authentication.test.ts > client authentication rejects a client > that %s',
        'test/auth/server/expired-registration.test.ts > a client whose registration has expired > must present its secret',
      ],
    },
    {
      id: 'grant-type',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.2`],
      says: 'A token request names a grant type.',
      tests: ['test/auth/server/token.test.ts > the token endpoint > rejects a request with %s'],
    },
    {
      id: 'clients-are-authenticated',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.2`],
      says: 'The token endpoint requires and checks the authentication of confidential clients.',
      tests: [
        'test/auth/server/token.test.ts > the endpoint %s > rejects %s in the header with invalid_client and a challenge',
        'test/auth/server/token.test.ts > the endpoint %s > rejects %s in the form with invalid_client, at most with a challenge for introspection',
        'test/auth/clients/client-authentication.test.ts > client authentication rejects a client > that %s',
        'test/attacks/auth/tokens.test.ts > /token rejects a confidential client > %s',
      ],
    },
    {
      id: 'access-token-and-type',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.3`],
      says: 'A token response has access_token and token_type.',
      tests: [
        'test/auth/server/grants/authorization-code.test.ts > a code > is exchanged for an access token and a refresh token',
        'test/auth/server/grants/client-credentials.test.ts > client credentials > give an access token of one hour and no refresh token',
      ],
    },
    {
      id: 'expiry-is-no-promise',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-3.2.3`],
      says: 'The client does not expect a token to be valid for all of expires_in.',
      concerns: 'client',
    },
    {
      id: 'scope-of-the-response',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.3`],
      says: 'A token response names the granted scope when it differs from the requested one.',
      tests: [
        'test/auth/server/requested-scopes.test.ts > the authorization endpoint > grants %s',
        'test/auth/server/grants/refresh-token.test.ts > the scopes of a refresh > are %s',
        'test/attacks/auth/tokens.test.ts > a refresh token > issues a narrower scope on request',
      ],
    },
    {
      id: 'refresh-tokens-keep-scope-and-resource',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.3`, `${PAGE}#section-4.3.1`],
      says: 'A refresh token is bound to the scopes and the resource of the consent.',
      tests: [
        'test/auth/server/grants/refresh-token.test.ts > the scopes of a refresh > are rejected with invalid_scope for %s, and the token is not spent',
        'test/auth/server/resource-parameter.test.ts > the token endpoint, when a token is refreshed > rejects %s with invalid_target and does not spend the token',
        'test/clients/auth/step-up.test.ts > a refresh can narrow the scope of a grant and never widen it',
      ],
    },
    {
      id: 'no-store',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.3`],
      says: 'A response with tokens or credentials has Cache-Control: no-store.',
      tests: [
        'test/auth/server/grants/authorization-code.test.ts > a code > is exchanged for an access token and a refresh token',
        'test/auth/server/grants/refresh-token.test.ts > a refresh token > is exchanged for an access token and the next refresh token',
        'test/auth/server/register.test.ts > the registration endpoint > registers a client with a secret by default, and returns the secret',
      ],
    },
    {
      id: 'unknown-members-of-responses',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.3`, `${PAGE}#section-4.1.2`],
      says: 'The client ignores members of a response that it does not know.',
      concerns: 'client',
    },
    {
      id: 'error-codes',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.4`, `${PAGE}#section-4.1.2.1`],
      says: 'An error response has one of the defined codes.',
      tests: [
        'test/auth/server/token.test.ts > the token endpoint > rejects a request with %s',
        'test/auth/server/grants/authorization-code.test.ts > a code > is required: a request %s is rejected',
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a request %s with the error',
      ],
    },
    {
      id: 'challenge-for-basic',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.4`],
      says: 'A client that fails to authenticate in the Authorization header receives 401 and a challenge of its scheme.',
      deviation:
        'After ten wrong secrets of one client from one network, the answer is 429 with Retry-After.',
      tests: [
        'test/auth/server/token.test.ts > the endpoint %s > rejects %s in the header with invalid_client and a challenge',
        'test/auth/server/wrong-secrets.test.ts > a wrong client secret > is rejected with 401 ten times, and then with 429 and Retry-After',
      ],
    },
    {
      id: 'error-characters',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-3.2.4`, `${PAGE}#section-4.1.2.1`],
      says: 'The members error and error_description have printable ASCII characters without quotes and backslashes.',
      tests: [
        'test/auth/server/token.test.ts > the token endpoint > rejects a request with %s',
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a request %s with the error',
        'test/auth/clients/client-document.test.ts > a client ID metadata document is rejected > with a URL of %s in a form that an error can have',
      ],
    },
    {
      id: 'error-uri',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2.4`, `${PAGE}#section-4.1.2.1`],
      says: 'The member error_uri is a URI reference; this server sends none.',
      tests: [
        'test/auth/server/token.test.ts > the token endpoint > rejects a request with %s',
        'test/auth/server/authorize-request.test.ts > the authorization endpoint > refuses a request %s with the error',
      ],
    },
  ],
}
