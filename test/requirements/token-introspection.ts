import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc7662'

export const tokenIntrospection: RequirementDocument = {
  title: 'Token introspection (RFC 7662)',
  pages: [PAGE],
  requirements: [
    {
      id: 'token',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'An introspection request has a token, in a form that is posted.',
      tests: [
        'test/auth/server/introspect.test.ts > the introspection endpoint > rejects a request without a token with invalid_request',
        'test/auth/server/introspect.test.ts > the introspection endpoint > rejects an empty form with invalid_request',
        'test/auth/server/routes.test.ts > an endpoint for programs > %s rejects %s with 405 and allows %s',
      ],
    },
    {
      id: 'all-token-types',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'The server looks for the token among all its types; it does not read a hint.',
      tests: [
        'test/auth/server/introspect.test.ts > the introspection endpoint > describes an access token of the client',
        'test/auth/server/introspect.test.ts > the introspection endpoint > describes a refresh token of the client',
      ],
    },
    {
      id: 'authorization',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`, `${PAGE}#section-4`],
      says: 'The endpoint requires the authentication of the client.',
      tests: [
        'test/auth/server/introspect.test.ts > the introspection endpoint > rejects a client that does not authenticate with invalid_client',
        'test/auth/server/introspect.test.ts > the introspection endpoint > rejects a request that %s with 401 and a challenge',
        'test/auth/server/introspect.test.ts > the introspection endpoint > rejects a public client with invalid_client',
        'test/attacks/auth/tokens.test.ts > /introspect > rejects a client without authentication',
      ],
    },
    {
      id: 'active',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.2`],
      says: 'A response has the member active.',
      tests: [
        'test/auth/server/introspect.test.ts > the introspection endpoint > describes an access token of the client',
        'test/auth/server/introspect.test.ts > the introspection endpoint > describes a refresh token of the client',
        'test/auth/server/introspect.test.ts > the introspection endpoint > reports %j as inactive',
      ],
    },
    {
      id: 'inactive',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.2`, `${PAGE}#section-2.3`],
      says: 'A token that is invalid, or not of this client, is reported as inactive and not as an error.',
      tests: [
        'test/auth/server/introspect.test.ts > the introspection endpoint > reports the %s token of another client as inactive',
        'test/auth/server/introspect.test.ts > the introspection endpoint > reports %j as inactive',
        "test/attacks/auth/tokens.test.ts > /introspect > reports another client's token and an invalid token as inactive",
      ],
    },
    {
      id: 'token-state',
      level: 'MUST',
      clauses: [`${PAGE}#section-4`],
      says: 'The server checks expiry, revocation, signature and client of the token.',
      tests: [
        'test/auth/server/introspect.test.ts > the introspection endpoint > reports tokens that have expired as inactive',
        'test/auth/server/introspect.test.ts > the introspection endpoint > reports the %s token of a revoked grant as inactive',
        'test/auth/server/introspect.test.ts > the introspection endpoint > reports the %s token of another client as inactive',
        'test/auth/server/introspect.test.ts > the introspection endpoint > reports %j as inactive',
      ],
    },
    {
      id: 'tls',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`, `${PAGE}#section-4`],
      says: 'The endpoint requires TLS; plain http is served on loopback hosts alone.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i > http://evil.example:8787/mcp',
        'test/attacks/auth/common-checks.test.ts > a host that is not served > is rejected with 403 at %s',
      ],
    },
    {
      id: 'certificates',
      level: 'MUST',
      clauses: [`${PAGE}#section-4`],
      says: 'A client checks the certificate of the server.',
      concerns: 'client',
    },
    {
      id: 'caching',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4`],
      says: 'A protected resource does not cache a response beyond the expiry in it.',
      concerns: 'client',
    },
  ],
}
