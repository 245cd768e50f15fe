import { mcp, type RequirementDocument } from './requirement.ts'

export const authorizationDiscovery: RequirementDocument = {
  title: 'Authorization: discovery and client registration',
  pages: [
    ...mcp('basic/authorization', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'),
    ...mcp('basic/authorization/authorization-server-discovery', '2026-07-28'),
    ...mcp('basic/authorization/client-registration', '2026-07-28'),
  ],
  requirements: [
    {
      id: 'protected-resource-metadata',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#overview', '2025-06-18', '2025-11-25', '2026-07-28'),
        ...mcp('basic/authorization#authorization-server-location', '2025-06-18', '2025-11-25'),
        ...mcp(
          'basic/authorization/authorization-server-discovery#authorization-server-location',
          '2026-07-28',
        ),
      ],
      says: 'The server publishes protected resource metadata.',
      tests: [
        'test/auth/resource/metadata.test.ts > protected resource metadata > contains the configured name, documentation, issuers and scopes',
        'test/clients/auth/first-try.test.ts > the URL of the endpoint > is the resource in $path',
        'test/auth/resource/metadata.test.ts > URLs of protected resource metadata > %s serves the document of %s',
      ],
    },
    {
      id: 'authorization-servers-member',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#authorization-server-location', '2025-06-18', '2025-11-25'),
        ...mcp(
          'basic/authorization/authorization-server-discovery#authorization-server-location',
          '2026-07-28',
        ),
      ],
      says: 'The protected resource metadata names at least one authorization server.',
      tests: [
        'test/auth/resource/metadata.test.ts > protected resource metadata > contains the configured name, documentation, issuers and scopes',
        'test/auth/resource/metadata.test.ts > protected resource metadata > names every trusted issuer',
        'test/auth/resource/metadata.test.ts > ResourceServer > rejects an empty list of issuers and an issuer that occurs twice',
      ],
    },
    {
      id: 'client-uses-resource-metadata',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#overview', '2025-06-18', '2025-11-25', '2026-07-28')],
      says: 'The client finds the authorization server by the protected resource metadata.',
      concerns: 'client',
      tests: [
        'test/clients/auth/sign-in.test.ts > %s > discovers, registers, is authorized, obtains tokens and calls',
      ],
    },
    {
      id: 'challenge-names-metadata',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#authorization-server-location', '2025-06-18')],
      says: 'The server names the URL of its metadata in the challenge of a 401.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/clients/auth/first-try.test.ts > the URL of the endpoint > answers 401 with metadata URL and scope to `Accept: %s`',
        'test/clients/auth/first-try.test.ts > the URL of the endpoint > answers 401 with the metadata URL to %s',
      ],
    },
    {
      id: 'discovery-mechanism',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#protected-resource-metadata-discovery-requirements',
          '2025-11-25',
        ),
        ...mcp(
          'basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements',
          '2026-07-28',
        ),
      ],
      says: 'The server offers one of two ways to its metadata: the challenge of a 401, or a well-known URI; this one offers both.',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > answers 401 with metadata URL and scopes, and without an error code',
        'test/auth/resource/metadata.test.ts > URLs of protected resource metadata > %s serves the document of %s',
        'test/clients/auth/first-try.test.ts > the URL of the endpoint > is the resource in $path',
      ],
    },
    {
      id: 'client-discovery',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#protected-resource-metadata-discovery-requirements',
          '2025-11-25',
        ),
        ...mcp(
          'basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements',
          '2026-07-28',
        ),
      ],
      says: 'The client supports both ways to the metadata and prefers the challenge.',
      concerns: 'client',
      tests: [
        'test/clients/auth/sign-in.test.ts > %s > discovers, registers, is authorized, obtains tokens and calls',
      ],
    },
    {
      id: 'client-parses-challenges',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#authorization-server-location', '2025-06-18'),
        ...mcp(
          'basic/authorization#protected-resource-metadata-discovery-requirements',
          '2025-11-25',
        ),
        ...mcp(
          'basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements',
          '2026-07-28',
        ),
      ],
      says: 'The client parses WWW-Authenticate and responds to a 401.',
      concerns: 'client',
    },
    {
      id: 'separate-registrations',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization/authorization-server-discovery#authorization-server-location',
          '2026-07-28',
        ),
      ],
      says: 'The client keeps registrations and tokens apart for each authorization server.',
      concerns: 'client',
    },
    {
      id: 'authorization-server-metadata',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#overview', '2025-06-18')],
      says: 'The authorization server publishes metadata.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/clients/auth/first-try.test.ts > the metadata of the authorization server > has every member that clients depend on',
      ],
    },
    {
      id: 'authorization-server-discovery',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#overview', '2025-11-25', '2026-07-28')],
      says: 'The authorization server offers RFC 8414 metadata or OpenID discovery; this one offers both.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/clients/auth/first-try.test.ts > the metadata of the authorization server > is the same at its OpenID address',
      ],
    },
    {
      id: 'client-supports-both-metadata',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#overview',
          '2025-03-26',
          '2025-06-18',
          '2025-11-25',
          '2026-07-28',
        ),
        ...mcp('basic/authorization#server-metadata-discovery', '2025-03-26', '2025-06-18'),
        ...mcp('basic/authorization#authorization-server-metadata-discovery', '2025-11-25'),
        ...mcp(
          'basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery',
          '2026-07-28',
        ),
      ],
      says: 'The client finds the metadata of the authorization server at the well-known URLs of both specifications, in the given order.',
      concerns: 'client',
      tests: [
        'test/clients/auth/sign-in.test.ts > %s > discovers, registers, is authorized, obtains tokens and calls',
      ],
    },
    {
      id: 'client-validates-issuer',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization/authorization-server-discovery#authorization-server-metadata-discovery',
          '2026-07-28',
        ),
      ],
      says: 'The client uses metadata only when its issuer is the one that the URL was built from.',
      concerns: 'client',
    },
    {
      id: 'default-paths',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#overview', '2025-03-26'),
        ...mcp('basic/authorization#server-metadata-discovery', '2025-03-26'),
      ],
      says: 'A server without metadata serves the default paths; this one serves them beside its metadata.',
      tests: [
        'test/clients/auth/sign-in.test.ts > %s is authorized without metadata, as in revision 2025-03-26',
      ],
    },
    {
      id: 'authorization-base-url',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#authorization-base-url', '2025-03-26')],
      says: 'The base URL of authorization is the URL of the server without its path, and the metadata is below it.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
        'test/clients/auth/first-try.test.ts > the metadata of the authorization server > has every member that clients depend on',
      ],
    },
    {
      id: 'client-default-paths',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization#fallbacks-for-servers-without-metadata-discovery',
          '2025-03-26',
        ),
      ],
      says: 'The client tries the metadata first, and falls back to the default paths.',
      concerns: 'client',
      tests: [
        'test/clients/auth/sign-in.test.ts > %s is authorized without metadata, as in revision 2025-03-26',
      ],
    },
    {
      id: 'client-id',
      level: 'MUST',
      clauses: [...mcp('basic/authorization#client-registration', '2026-07-28')],
      says: 'The client obtains a client id by one of three mechanisms before it begins.',
      concerns: 'client',
      tests: [
        'test/attacks/auth/authorize.test.ts > /authorize shows an error page without a redirect for > $title',
      ],
    },
    {
      id: 'client-document-draft',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#implementation-requirements', '2025-11-25'),
        ...mcp('basic/authorization/client-registration#implementation-requirements', '2026-07-28'),
      ],
      says: 'The authorization server follows the client ID metadata document draft, whose clauses are listed in client-id-metadata-documents.',
      tests: [
        'test/auth/clients/client-document.test.ts > client ID metadata documents > give the client the metadata of its document',
        'test/auth/clients/client-document.test.ts > a client ID metadata document is rejected > that %s',
        'test/clients/auth/client-documents.test.ts > %s > is authorized by its document, which is fetched once',
      ],
    },
    {
      id: 'client-document-of-clients',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#implementation-requirements', '2025-11-25'),
        ...mcp('basic/authorization/client-registration#implementation-requirements', '2026-07-28'),
      ],
      says: 'The client serves its document at an https URL with a path, which is its client_id, with client_name and redirect_uris.',
      concerns: 'client',
      tests: [
        'test/auth/clients/client-document.test.ts > a client ID metadata document is rejected > that %s > has no redirect URI',
        'test/auth/clients/client-document.test.ts > a client id is unknown without a fetch when it is > %s > http://client.example/c',
      ],
    },
    {
      id: 'client-document-names-its-url',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#implementation-requirements', '2025-11-25'),
        ...mcp('basic/authorization/client-registration#implementation-requirements', '2026-07-28'),
      ],
      says: 'The authorization server checks that client_id in the document is its URL.',
      tests: [
        'test/auth/clients/client-document.test.ts > a client ID metadata document is rejected > that %s > names itself in another letter case',
        'test/clients/auth/client-documents.test.ts > /authorize shows an error page for an app whose document $what',
      ],
    },
    {
      id: 'client-document-redirect-uris',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#implementation-requirements', '2025-11-25'),
        ...mcp('basic/authorization/client-registration#implementation-requirements', '2026-07-28'),
      ],
      says: 'The authorization server accepts only redirect URIs of the document.',
      tests: [
        'test/clients/auth/client-documents.test.ts > /authorize shows an error page for an app whose document $what',
        'test/auth/server/sign-out.test.ts > a decision about a client whose metadata document has lost the redirect URI > is answered with a page and status 400',
      ],
    },
    {
      id: 'client-document-structure',
      level: 'MUST',
      clauses: [
        ...mcp('basic/authorization#implementation-requirements', '2025-11-25'),
        ...mcp('basic/authorization/client-registration#implementation-requirements', '2026-07-28'),
      ],
      says: 'The authorization server checks that the document is JSON and has the required members.',
      tests: [
        'test/auth/clients/client-document.test.ts > a client ID metadata document is rejected > that %s > has no name',
        'test/auth/clients/client-document.test.ts > a client ID metadata document is rejected > that is %s, with its URL > with a repeated key',
      ],
    },
    {
      id: 'application-type',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization/client-registration#application-type-and-redirect-uri-constraints',
          '2026-07-28',
        ),
      ],
      says: 'The client names its application_type when it registers, and handles a refusal of its redirect URIs.',
      concerns: 'client',
      tests: [
        'test/auth/clients/client-metadata.test.ts > client metadata > keeps a known application type and drops others',
      ],
    },
    {
      id: 'credentials-belong-to-an-issuer',
      level: 'MUST',
      clauses: [
        ...mcp(
          'basic/authorization/client-registration#authorization-server-binding',
          '2026-07-28',
        ),
      ],
      says: 'The client keeps credentials with the issuer that they are for, and registers anew at another one.',
      concerns: 'client',
    },
    {
      id: 'credentials-of-another-issuer',
      level: 'MUST NOT',
      clauses: [
        ...mcp(
          'basic/authorization/client-registration#authorization-server-binding',
          '2026-07-28',
        ),
      ],
      says: 'The client uses no credentials of another authorization server.',
      concerns: 'client',
      tests: [
        'test/auth/server/authorize.test.ts > an authorization request > is rejected with a page and status 400 when the id was sealed by another server',
      ],
    },
  ],
}
