/** The identity provider acts for the client here, so its clauses are addressed to the client. */
import type { RequirementDocument } from './requirement.ts'

const PAGE =
  'https://github.com/modelcontextprotocol/ext-auth/blob/main/specification/stable/enterprise-managed-authorization.mdx'

export const enterpriseManagedAuthorization: RequirementDocument = {
  title: 'Enterprise-managed authorization (extension)',
  pages: [PAGE],
  requirements: [
    {
      id: 'token-exchange',
      level: 'MUST',
      clauses: [`${PAGE}#4-token-exchange`],
      says: 'The client requests an assertion for the issuer of the authorization server and the resource of the MCP server.',
      concerns: 'client',
    },
    {
      id: 'resource-claim',
      level: 'MUST',
      clauses: [`${PAGE}#43-identity-assertion-jwt-authorization-grant`],
      says: 'The resource of an assertion is the identifier of the MCP server; another one is refused.',
      concerns: 'client',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > the resource of an assertion > is %s',
        'test/auth/server/grants/jwt-bearer.test.ts > the resource of an assertion > makes it useless here: invalid_grant when it %s',
      ],
    },
    {
      id: 'audience-of-the-token',
      level: 'MUST',
      clauses: [`${PAGE}#51-processing-rules`],
      says: 'The access token is for the resource of the assertion alone.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > the resource of an assertion > is %s',
        'test/attacks/auth/deployment.test.ts > the assertion grant of /token > issues a token with subject, scope and resource of the assertion, once',
        'test/attacks/auth/deployment.test.ts > the assertion grant of /token > rejects another resource than that of the assertion',
      ],
    },
    {
      id: 'scopes',
      level: 'MUST',
      clauses: [`${PAGE}#721-scopes-validation`],
      says: 'The access token has the scopes that both the request and the assertion name.',
      deviation:
        'An assertion with more scopes than the request is accepted, for those that both name.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > the scopes of an assertion > are %s',
        'test/auth/server/grants/jwt-bearer.test.ts > the scopes of an assertion > are rejected with invalid_scope when %s',
        'test/attacks/auth/deployment.test.ts > the assertion grant of /token > issues no scope beyond the assertion',
      ],
    },
    {
      id: 'tls',
      level: 'MUST',
      clauses: [
        `${PAGE}#73-transport-security-and-endpoint-authentication`,
        `${PAGE}#78-privacy-considerations`,
      ],
      says: 'Exchanges use TLS, and the URLs of endpoints and keys are https.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i > http://evil.example:8787/mcp',
        'test/auth/resource/remote-keys.test.ts > RemoteKeys without jwksUri > rejects the configured jwksUri %s',
        'test/attacks/auth/common-checks.test.ts > a host that is not served > is rejected with 403 at %s',
      ],
    },
    {
      id: 'certificates',
      level: 'MUST',
      clauses: [`${PAGE}#73-transport-security-and-endpoint-authentication`],
      says: 'The parties check certificates.',
      untested: "The platform's fetch checks them, and has no switch to turn that off.",
    },
    {
      id: 'insecure-channels',
      level: 'MUST NOT',
      clauses: [`${PAGE}#73-transport-security-and-endpoint-authentication`],
      says: 'Secrets, assertions and tokens do not travel over insecure channels.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i > http://evil.example:8787/mcp',
        'test/auth/resource/remote-keys.test.ts > RemoteKeys without jwksUri > rejects the configured jwksUri %s',
        'test/attacks/auth/common-checks.test.ts > a host that is not served > is rejected with 403 at %s',
      ],
    },
    {
      id: 'no-assertions-in-urls',
      level: 'MUST NOT',
      clauses: [`${PAGE}#73-transport-security-and-endpoint-authentication`],
      says: 'Assertions and tokens are not in URLs: the token endpoint accepts a form body alone.',
      tests: [
        'test/auth/server/routes.test.ts > an endpoint for programs > %s rejects %s with 405 and allows %s',
        'test/auth/resource/presentation.test.ts > ResourceServer with several credentials > rejects a token in the query: ?%s',
        'test/auth/server/token.test.ts > the endpoint %s > rejects a request that names no client',
      ],
    },
    {
      id: 'signed-jwt',
      level: 'MUST',
      clauses: [`${PAGE}#741-forged-assertions`],
      says: 'The server validates an assertion as a JWT that is signed with a trusted key of the provider.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > that is not signed',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > that another key has signed',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s',
      ],
    },
    {
      id: 'algorithms',
      level: 'MUST',
      clauses: [`${PAGE}#741-forged-assertions`],
      says: 'The server accepts a list of algorithms.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > that is signed with a shared secret',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > that is not signed',
      ],
    },
    {
      id: 'algorithm-none',
      level: 'MUST NOT',
      clauses: [`${PAGE}#741-forged-assertions`],
      says: 'The server accepts no unsigned assertion.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > that is not signed',
      ],
    },
    {
      id: 'claims',
      level: 'MUST',
      clauses: [`${PAGE}#741-forged-assertions`],
      says: 'The server validates issuer, audience, subject and times.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > of another issuer',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > without a subject',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > that was issued 331 seconds ago',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > that expired 30 seconds ago',
        'test/auth/server/assertion.test.ts > an identity assertion is accepted > %s',
      ],
    },
    {
      id: 'foreign-audience',
      level: 'MUST',
      clauses: [`${PAGE}#741-forged-assertions`, `${PAGE}#762-mcp-authorization-server-validation`],
      says: 'The server rejects an assertion for another authorization server.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > for another server',
        'test/attacks/auth/deployment.test.ts > the assertion grant of /token > rejects an assertion with two audiences',
      ],
    },
    {
      id: 'keys',
      level: 'MUST',
      clauses: [`${PAGE}#741-forged-assertions`],
      says: 'Keys are fetched over TLS, and their rotation is handled safely.',
      tests: [
        'test/auth/resource/remote-keys.test.ts > RemoteKeys without jwksUri > rejects the configured jwksUri %s',
        'test/auth/resource/remote-keys.test.ts > RemoteKeys > fetches the key set again for an unknown key, at most twice a minute',
        'test/auth/resource/remote-keys.test.ts > RemoteKeys > forgets a key that is no longer in the key set',
        'test/auth/server/assertion.test.ts > the keys of a trusted provider > make the answer 503 temporarily_unavailable %s',
      ],
    },
    {
      id: 'validity-window',
      level: 'MUST',
      clauses: [`${PAGE}#742-stolen-assertions-and-replay`],
      says: 'An assertion is short-lived, and refused outside its time: five minutes after it was issued at the latest.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > that was issued 331 seconds ago',
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > that expired 30 seconds ago',
        'test/auth/server/assertion.test.ts > an identity assertion is accepted > %s > when it expired 29 seconds ago',
        'test/auth/server/assertion.test.ts > an identity assertion that was exchanged > stays used until it is too old, although its expiry is far away',
      ],
    },
    {
      id: 'replay',
      level: 'MUST',
      clauses: [`${PAGE}#742-stolen-assertions-and-replay`],
      says: 'The server accepts an assertion once.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > an identity assertion > is exchanged once: a replay is rejected with invalid_grant',
        'test/auth/server/grants/jwt-bearer.test.ts > an identity assertion > is exchanged once when it is sent twice at the same time',
        'test/auth/server/assertion.test.ts > an identity assertion that was exchanged > stays used until it is too old, although its expiry is far away',
        'test/attacks/auth/deployment.test.ts > the assertion grant of /token > accepts one of twenty concurrent requests with one assertion',
      ],
    },
    {
      id: 'no-assertions-in-logs',
      level: 'MUST NOT',
      clauses: [`${PAGE}#742-stolen-assertions-and-replay`],
      says: 'Clients and servers do not log assertions.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > an identity assertion > is not part of any telemetry event, accepted or rejected',
      ],
    },
    {
      id: 'sensitive-assertions',
      level: 'MUST',
      clauses: [
        `${PAGE}#742-stolen-assertions-and-replay`,
        `${PAGE}#743-unauthorized-disclosure-of-personal-information-and-privacy`,
      ],
      says: 'Assertions and the personal data in them are treated as sensitive; the server stores the digest of the id of an assertion alone.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > an identity assertion > is exchanged once: a replay is rejected with invalid_grant',
        'test/auth/server/assertion.test.ts > an identity assertion that was exchanged > stays used until it is too old, although its expiry is far away',
      ],
    },
    {
      id: 'encrypted-assertions',
      level: 'MUST',
      clauses: [
        `${PAGE}#743-unauthorized-disclosure-of-personal-information-and-privacy`,
        `${PAGE}#78-privacy-considerations`,
      ],
      says: 'An encrypted assertion is encrypted to the authorization server; none is accepted here.',
      concerns: 'client',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > that is no JWT',
      ],
    },
    {
      id: 'client-credentials',
      level: 'MUST',
      clauses: [`${PAGE}#751-client-authentication-and-credential-protection`],
      says: 'Client credentials are protected, and secrets are stored as digests.',
      tests: [
        'test/auth/clients/registered-client.test.ts > registration > gives a client with %s a secret, which is not stored',
        'test/auth/clients/static-clients.test.ts > createStaticClients > throws for a client with %s',
      ],
    },
    {
      id: 'no-secrets-in-native-apps',
      level: 'MUST NOT',
      clauses: [`${PAGE}#751-client-authentication-and-credential-protection`],
      says: 'A secret is not embedded in a native app.',
      concerns: 'client',
    },
    {
      id: 'state-of-clients',
      level: 'MUST',
      clauses: [`${PAGE}#752-authorization-request-csrf-protections`],
      says: 'A client that sends state compares it.',
      concerns: 'client',
    },
    {
      id: 'codes',
      level: 'MUST',
      clauses: [`${PAGE}#753-authorization-code-and-redirect-uri-handling`],
      says: 'Codes are exchanged over TLS alone.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i > http://evil.example:8787/mcp',
        'test/attacks/auth/common-checks.test.ts > a host that is not served > is rejected with 403 at %s',
      ],
    },
    {
      id: 'exact-redirect-uris',
      level: 'MUST',
      clauses: [`${PAGE}#753-authorization-code-and-redirect-uri-handling`],
      says: 'The authorization server compares redirect URIs exactly.',
      tests: [
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
        'test/property/redirects.test.ts > matchRedirectUri > accepts no URI that differs from the registered one in a single character',
      ],
    },
    {
      id: 'clients-protect-tokens',
      level: 'MUST',
      clauses: [`${PAGE}#754-token-handling`],
      says: 'The client protects tokens and assertions.',
      concerns: 'client',
    },
    {
      id: 'clients-leak-no-tokens',
      level: 'MUST NOT',
      clauses: [`${PAGE}#754-token-handling`],
      says: 'The client does not leak tokens and assertions.',
      concerns: 'client',
    },
    {
      id: 'access-tokens-are-validated',
      level: 'MUST',
      clauses: [`${PAGE}#754-token-handling`],
      says: 'The MCP server validates access tokens.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
        'test/attacks/auth/bearer.test.ts > the endpoint rejects an access token with > %s',
      ],
    },
    {
      id: 'refresh-tokens',
      level: 'MUST',
      clauses: [`${PAGE}#754-token-handling`],
      says: 'Refresh tokens are protected; an assertion gives none.',
      tests: [
        'test/auth/server/grants/jwt-bearer.test.ts > an identity assertion > is exchanged for an access token of one hour without a refresh token',
      ],
    },
    {
      id: 'audience-and-resource',
      level: 'MUST',
      clauses: [
        `${PAGE}#76-audience-and-resource-binding`,
        `${PAGE}#762-mcp-authorization-server-validation`,
      ],
      says: 'The server validates audience and resource of an assertion together.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s',
        'test/auth/server/grants/jwt-bearer.test.ts > the resource of an assertion > makes it useless here: invalid_grant when it %s',
        'test/auth/server/grants/jwt-bearer.test.ts > the resource of an assertion > is %s',
      ],
    },
    {
      id: 'invalid-grant',
      level: 'MUST',
      clauses: [`${PAGE}#762-mcp-authorization-server-validation`],
      says: 'An assertion whose audience, resource or scope is not of this server receives invalid_grant.',
      tests: [
        'test/auth/server/assertion.test.ts > an identity assertion is rejected with invalid_grant > %s > for another server',
        'test/auth/server/grants/jwt-bearer.test.ts > the resource of an assertion > makes it useless here: invalid_grant when it %s > is not served',
        'test/auth/server/grants/jwt-bearer.test.ts > the scopes of an assertion > make it useless here: invalid_grant when %s > it names none that exist',
      ],
    },
    {
      id: 'audience-pairs-of-providers',
      level: 'MUST',
      clauses: [`${PAGE}#761-idp-validation-of-audience-resource-pairing`],
      says: 'The provider knows which audience belongs to which resource.',
      concerns: 'client',
    },
    {
      id: 'client-authentication-at-providers',
      level: 'MUST',
      clauses: [`${PAGE}#77-token-exchange-security`],
      says: 'The provider authenticates the client of a token exchange.',
      concerns: 'client',
    },
  ],
}
