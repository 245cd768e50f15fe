import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc8414'

export const authorizationServerMetadata: RequirementDocument = {
  title: 'Authorization server metadata (RFC 8414)',
  pages: [PAGE],
  requirements: [
    {
      id: 'issuer',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The metadata has the issuer: an https URL without query and fragment.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/auth/server/metadata.test.ts > the metadata at %s > names the configured issuer under another host name',
      ],
    },
    {
      id: 'issuer-scheme',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The issuer is an https URL; an http one is accepted on loopback hosts, for development.',
      deviation: 'On a loopback host, plain http is served for development.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/clients/auth/first-try.test.ts > the metadata of the authorization server > has every member that clients depend on',
      ],
    },
    {
      id: 'endpoints',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The metadata names the authorization endpoint and the token endpoint.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'response-types',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The metadata has response_types_supported.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'jwks-uri',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The key set has an https URL, and tells the use of its keys.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/auth/server/metadata.test.ts > the key set > publishes public keys for ES256 signatures',
      ],
    },
    {
      id: 'signing-algorithms',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The metadata names the signature algorithms of each endpoint that accepts private_key_jwt.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'algorithm-none',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2`],
      says: 'None of the signature algorithms is none.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'methods-by-other-means',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The authentication methods of an endpoint are known; the metadata names those of all three.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'signed-metadata',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'Signed metadata has a signature and an issuer, and takes precedence.',
      untested:
        'Signed metadata is optional and not offered; the server reads none from other issuers either.',
    },
    {
      id: 'well-known-path',
      level: 'MUST',
      clauses: [`${PAGE}#section-3`],
      says: 'The metadata is at the well-known path of the issuer.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/clients/auth/first-try.test.ts > the metadata of the authorization server > has every member that clients depend on',
      ],
    },
    {
      id: 'well-known-suffix',
      level: 'MUST',
      clauses: [`${PAGE}#section-3`],
      says: 'An application names its well-known suffix, which is registered; MCP uses the default one.',
      concerns: 'specification',
    },
    {
      id: 'query-by-get',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1`],
      says: 'The metadata is queried with GET; other methods are refused.',
      tests: [
        'test/auth/server/routes.test.ts > an endpoint for programs > %s rejects %s with 405 and allows %s',
        'test/auth/server/metadata.test.ts > the metadata at %s > answers HEAD with the headers of GET',
      ],
    },
    {
      id: 'path-of-an-issuer',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1`],
      says: 'The well-known part is inserted before the path of an issuer, without its slash at the end.',
      tests: [
        'test/auth/resource/remote-keys.test.ts > RemoteKeys without jwksUri > discovers the key set from the metadata at %s',
      ],
    },
    {
      id: 'response',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2`],
      says: 'The response is 200 with application/json.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'empty-members',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2`],
      says: 'Members without elements are omitted.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/auth/server/metadata.test.ts > the metadata at %s > lists offline_access alone on a server without scopes',
      ],
    },
    {
      id: 'issuer-is-compared',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.3`],
      says: 'The issuer in the metadata is the one that the URL was built from.',
      tests: [
        'test/auth/resource/remote-keys.test.ts > RemoteKeys without jwksUri > rejects metadata with %s > another issuer',
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'metadata-of-another-issuer',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-3.3`],
      says: 'Metadata of another issuer is not used.',
      tests: [
        'test/auth/resource/remote-keys.test.ts > RemoteKeys without jwksUri > rejects metadata with %s > an issuer with a trailing slash',
        'test/auth/login/hostile-upstream.test.ts > the metadata of a provider > ends the sign-in when it is a document %s > of another issuer',
      ],
    },
    {
      id: 'string-comparison',
      level: 'MUST',
      clauses: [`${PAGE}#section-4`],
      says: 'Strings are compared by code points.',
      tests: [
        'test/auth/resource/remote-keys.test.ts > RemoteKeys without jwksUri > rejects metadata with %s',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
      ],
    },
    {
      id: 'no-normalisation',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-4`],
      says: 'Strings are not normalised before they are compared.',
      tests: [
        'test/auth/resource/remote-keys.test.ts > RemoteKeys without jwksUri > rejects metadata with %s',
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
      ],
    },
    {
      id: 'tls',
      level: 'MUST',
      clauses: [`${PAGE}#section-6.1`],
      says: 'The server uses TLS; plain http is served on loopback hosts alone.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i > http://evil.example:8787/mcp',
        'test/attacks/auth/common-checks.test.ts > a host that is not served > is rejected with 403 at %s',
      ],
    },
    {
      id: 'certificates',
      level: 'MUST',
      clauses: [`${PAGE}#section-6.1`, `${PAGE}#section-6.2`],
      says: 'A client checks the certificate of the server.',
      concerns: 'client',
    },
    {
      id: 'impersonation',
      level: 'MUST',
      clauses: [`${PAGE}#section-6.2`],
      says: 'A client compares the issuer that it uses with that of the metadata.',
      concerns: 'client',
      tests: [
        'test/auth/resource/remote-keys.test.ts > RemoteKeys without jwksUri > rejects metadata with %s',
      ],
    },
  ],
}
