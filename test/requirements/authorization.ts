/** The authorization pages of the MCP specification. Discovery and client registration are in `authorization-discovery.ts`, security in `authorization-security.ts`. */
import { mcp, type RequirementDocument } from './requirement.ts'

export const authorization: RequirementDocument = {
  title: 'Authorization',
  pages: [
    ...mcp('basic/authorization', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
    ...mcp('basic/authorization/security-considerations', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'alternative-transports',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#protocol-requirements',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'Other transports follow the established security practices of their protocol.',
      concerns: 'specification',
    },
    {
      id: 'oauth-2-1',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#overview',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The authorization server implements OAuth 2.1 for confidential and public clients.',
      tests: [
        'test/conformance/authorization.test.ts > the authorization scenarios of %s > include %s, which passes',
        'test/auth/server/grants/authorization-code.test.ts > a code > is exchanged for an access token and a refresh token',
        'test/auth/server/grants/authorization-code.test.ts > a code > is exchanged by a client that authenticates',
        'test/clients/auth/sign-in.test.ts > %s > discovers, registers, is authorized, obtains tokens and calls',
      ],
    },
    {
      id: '401-without-authorization',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#example-authorization-code-grant', '2025-03-26')],
      says: 'The server answers 401 to a request that needs authorization and has none.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/attacks/auth/bearer.test.ts > %s answers 401 or 404 to every method without a token',
        'test/clients/auth/first-try.test.ts > the URL of the endpoint > answers 401 with the metadata URL to %s',
      ],
    },
    {
      id: 'pkce',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#implementation-requirements', '2025-03-26')],
      says: 'Every client uses PKCE, which the authorization server requires.',
      concerns: 'client',
      tests: [
        'test/auth/server/pkce.test.ts > the authorization endpoint > rejects a request %s with invalid_request',
        'test/auth/server/pkce.test.ts > the token endpoint > rejects %s',
      ],
    },
    {
      id: 'token-handling',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#token-requirements',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The handling of access tokens conforms to OAuth 2.1.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/auth/resource/presentation.test.ts > ResourceServer with a valid token > accepts it after %j',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
      ],
    },
    {
      id: 'authorization-header',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#token-requirements',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The client sends the access token in the Authorization header.',
      concerns: 'client',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer with a valid token > accepts it after %j',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in a cookie',
      ],
    },
    {
      id: 'authorization-in-every-request',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#token-requirements',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The client sends authorization in every request, also within a session.',
      concerns: 'client',
      tests: [
        'test/attacks/auth/bearer.test.ts > %s answers 401 or 404 to every method without a token',
        'test/clients/auth/principals.test.ts > a session of %s > is unknown to another person and requires a token',
        'test/clients/auth/resource-updates.test.ts > a request without a token > is rejected for a stream at %s',
        'test/clients/auth/resource-updates.test.ts > a request without a token > is rejected for subscriptions/listen at %s',
      ],
    },
    {
      id: 'no-token-in-query',
      level: 'MUST NOT',
      clauses: [
        ...mcp(
          'basic/authorization#token-requirements',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'An access token is not sent in the query.',
      concerns: 'client',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer with several credentials > rejects a token in the query: ?%s',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in the query',
      ],
    },
    {
      id: 'tokens-are-validated',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#token-handling',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
        ...mcp(
          'basic/authorization#access-token-privilege-restriction',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp(
          'basic/authorization/security-considerations#access-token-privilege-restriction',
          '2026-07-28',
        ),
      ],
      says: 'The server validates an access token before it processes the request, as OAuth 2.1 describes.',
      tests: [
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > %s',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks the JOSE header and > rejects a token with %s',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer with a modified token > rejects it when any character was replaced',
      ],
    },
    {
      id: 'audience-is-validated',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#token-handling', '2025-06-18', '2025-11-25', '2026-07-28'),
        ...mcp(
          'basic/authorization#token-audience-binding-and-validation',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp(
          'basic/authorization/security-considerations#token-audience-binding-and-validation',
          '2026-07-28',
        ),
        ...mcp(
          'basic/authorization#access-token-privilege-restriction',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp(
          'basic/authorization/security-considerations#access-token-privilege-restriction',
          '2026-07-28',
        ),
      ],
      says: 'The server accepts only tokens that were issued for it, by the audience of the token.',
      tests: [
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > the audience of another resource',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
        'test/clients/auth/audiences.test.ts > %s > is accepted at the resource of its token and rejected at the other',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with an external issuer > accepts only the configured audience',
      ],
    },
    {
      id: 'refusals-follow-oauth',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#token-handling',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server answers an invalid or expired token with 401 and a challenge.',
      tests: [
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > %s',
        'test/auth/resource/verified-tokens.test.ts > VerifiedTokens > rejects a cached token when it expires',
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/auth/resource/presentation.test.ts > ResourceServer with malformed credentials > rejects %s as an invalid token',
      ],
    },
    {
      id: 'own-tokens-only',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#token-handling', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The server accepts only tokens that are valid for its own resources.',
      tests: [
        'test/clients/auth/audiences.test.ts > %s > is accepted at the resource of its token and rejected at the other',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with several issuers > rejects a token of an issuer that is not trusted',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > the audience of another resource',
      ],
    },
    {
      id: 'other-tokens',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/authorization#token-handling', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The server accepts no other tokens, such as those of another issuer and ID tokens.',
      tests: [
        'test/auth/resource/external-issuer.test.ts > ResourceServer with several issuers > rejects a token of an issuer that is not trusted',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with several issuers > rejects a token that another trusted issuer signed',
        'test/auth/resource/external-issuer.test.ts > ResourceServer with an external issuer > rejects an ID token, which has %s',
      ],
    },
    {
      id: 'no-token-passthrough',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/authorization#token-handling', '2025-06-18', '2025-11-25', '2026-07-28'),
        ...mcp(
          'basic/authorization#access-token-privilege-restriction',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp(
          'basic/authorization/security-considerations#access-token-privilege-restriction',
          '2026-07-28',
        ),
      ],
      says: 'A server does not pass the token of its client on to another API; handlers receive claims and no token.',
      concerns: 'author',
    },
    {
      id: 'foreign-tokens-of-clients',
      level: 'MUST NOT',
      clauses: [
        ...mcp('basic/authorization#token-handling', '2025-06-18', '2025-11-25', '2026-07-28'),
      ],
      says: 'The client sends the server only tokens of its authorization server.',
      concerns: 'client',
      tests: [
        'test/auth/resource/external-issuer.test.ts > ResourceServer with several issuers > rejects a token of an issuer that is not trusted',
      ],
    },
    {
      id: 'status-codes',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#error-handling',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
      ],
      says: 'The server answers 401 without a valid token, 403 without a needed scope, and 400 to a malformed authorization request.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/examples/changes.test.ts > the changes example > notifies every listener that subscribed to the resource, and no other listener',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects credentials > in the query',
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
      ],
    },
    {
      id: 'scope-hierarchies',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#step-up-authorization-flow', '2026-07-28')],
      says: 'The server accounts for scopes that include others when it decides whether a token is sufficient.',
      tests: [
        'test/auth/resource/scopes.test.ts > createScopeTable > expands the scopes %j',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > returns the scopes of %j',
        'test/property/scopes.test.ts > the inclusion of scopes > adds exactly the scopes that a path of inclusions reaches',
      ],
    },
    {
      id: 'challenged-scopes',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#protected-resource-metadata-discovery-requirements',
          '2025-11-25',
        ),
        ...mcp('basic/authorization#scope-selection-strategy', '2026-07-28'),
      ],
      says: 'The client treats the scopes of a challenge as authoritative for the request.',
      concerns: 'client',
      tests: ['test/clients/auth/step-up.test.ts > %s requests the missing scope after a 403'],
    },
    {
      id: 'challenged-scopes-are-no-subset',
      level: 'MUST NOT',
      clauses: [
        ...mcp(
          'basic/authorization#protected-resource-metadata-discovery-requirements',
          '2025-11-25',
        ),
        ...mcp('basic/authorization#scope-selection-strategy', '2026-07-28'),
      ],
      says: 'The client assumes no relation between challenged scopes and scopes_supported.',
      concerns: 'client',
    },
    {
      id: 'resource-parameter',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#resource-parameter-implementation',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
        ...mcp(
          'basic/authorization#canonical-server-uri',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
        ...mcp(
          'basic/authorization#token-audience-binding-and-validation',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp(
          'basic/authorization/security-considerations#token-audience-binding-and-validation',
          '2026-07-28',
        ),
        ...mcp(
          'basic/authorization#access-token-privilege-restriction',
          '2025-06-18',
          '2025-11-25',
        ),
        ...mcp(
          'basic/authorization/security-considerations#access-token-privilege-restriction',
          '2026-07-28',
        ),
      ],
      says: 'The client sends the resource parameter with the canonical URI of the server in every authorization and token request.',
      concerns: 'client',
      tests: [
        'test/clients/auth/audiences.test.ts > %s > discovers and registers for the second resource',
        'test/clients/auth/audiences.test.ts > %s > refreshes for its own resource and not for the other',
      ],
    },
    {
      id: 'issuer-is-recorded',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#authorization-response-validation', '2026-07-28')],
      says: 'The client records the issuer of validated metadata before it redirects, and compares iss with it before it uses a code.',
      concerns: 'client',
    },
    {
      id: 'issuer-is-not-normalised',
      level: 'MUST NOT',
      clauses: [...mcp('basic/authorization#authorization-response-validation', '2026-07-28')],
      says: 'The client compares iss without normalising it, and ignores an error response whose iss differs.',
      concerns: 'client',
    },
    {
      id: 'iss-is-advertised',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#authorization-response-validation', '2026-07-28')],
      says: 'The authorization server that sends iss says so in its metadata.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/clients/auth/first-try.test.ts > the consent page > returns the issuer with the decision %s',
        'test/clients/auth/first-try.test.ts > the consent page > returns the issuer with an error of the request',
      ],
    },
    {
      id: 'refresh-tokens-of-clients',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#refresh-tokens', '2026-07-28')],
      says: 'The client keeps refresh tokens confidential.',
      concerns: 'client',
    },
    {
      id: 'refresh-tokens-are-optional',
      level: 'MUST NOT',
      clauses: [...mcp('basic/authorization#refresh-tokens', '2026-07-28')],
      says: 'The client does not assume that it receives a refresh token.',
      concerns: 'client',
    },
  ],
}
