import type { RequirementDocument } from './requirement.ts'

const PAGE = 'https://www.rfc-editor.org/rfc/rfc9728'

export const protectedResourceMetadata: RequirementDocument = {
  title: 'Protected resource metadata (RFC 9728)',
  pages: [PAGE],
  requirements: [
    {
      id: 'resource',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'The metadata has the resource identifier, a URL without a fragment.',
      tests: [
        'test/auth/resource/metadata.test.ts > protected resource metadata > contains the configured name, documentation, issuers and scopes',
        'test/auth/resource/metadata.test.ts > ResourceServer > rejects the resource %j > https://mcp.example.com/mcp#part',
        'test/clients/auth/first-try.test.ts > the URL of the endpoint > is the resource in $path',
      ],
    },
    {
      id: 'jwks-uri',
      level: 'MUST',
      clauses: [`${PAGE}#section-2`],
      says: 'A key set of the resource has an https URL and tells the use of its keys; this server publishes none for its resources.',
      tests: [
        'test/auth/resource/metadata.test.ts > protected resource metadata > contains the configured name, documentation, issuers and scopes',
      ],
    },
    {
      id: 'algorithm-none',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2`],
      says: 'The algorithm none is not among those of signed responses; this server signs none.',
      tests: [
        'test/auth/resource/metadata.test.ts > protected resource metadata > contains the configured name, documentation, issuers and scopes',
      ],
    },
    {
      id: 'untagged-text',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-2.1`],
      says: 'A reader assumes nothing about the language of text without a tag, and shows it as it is.',
      concerns: 'client',
    },
    {
      id: 'untagged-text-is-shown',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.1`],
      says: 'A reader shows text without a language tag unchanged.',
      concerns: 'client',
    },
    {
      id: 'signed-metadata',
      level: 'MUST',
      clauses: [`${PAGE}#section-2.2`],
      says: 'Signed metadata has a signature and an issuer, and takes precedence.',
      untested: 'Signed metadata is optional and not offered.',
    },
    {
      id: 'well-known-url',
      level: 'MUST',
      clauses: [`${PAGE}#section-3`],
      says: 'The metadata is at the URL that has the well-known part between host and path of the resource.',
      tests: [
        'test/auth/resource/metadata.test.ts > URLs of protected resource metadata > %s serves the document of %s',
        'test/clients/auth/first-try.test.ts > the URL of the endpoint > is the resource in $path',
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
        'test/auth/resource/metadata.test.ts > methods of protected resource metadata > %s is allowed from every origin and cacheable for five minutes',
        'test/auth/resource/metadata.test.ts > methods of protected resource metadata > %s is answered with 405 and the allowed methods',
      ],
    },
    {
      id: 'slash-of-the-resource',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.1`],
      says: 'A slash at the end of the host is removed before the well-known part is inserted.',
      tests: [
        'test/auth/resource/metadata.test.ts > URLs of protected resource metadata > %s serves the document of %s',
        'test/auth/resource/metadata.test.ts > URLs of protected resource metadata > serve the resource as configured, with or without a trailing slash',
      ],
    },
    {
      id: 'response',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2`],
      says: 'The response is 200 with application/json.',
      tests: [
        'test/auth/resource/metadata.test.ts > methods of protected resource metadata > %s is allowed from every origin and cacheable for five minutes',
        'test/clients/auth/first-try.test.ts > the URL of the endpoint > is the resource in $path',
      ],
    },
    {
      id: 'unknown-members',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2`],
      says: 'A reader ignores members that it does not understand.',
      concerns: 'client',
    },
    {
      id: 'empty-members',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.2`],
      says: 'Members without values are omitted.',
      tests: [
        'test/auth/resource/metadata.test.ts > protected resource metadata > omits members that are not configured',
      ],
    },
    {
      id: 'resource-is-compared',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.3`, `${PAGE}#section-7.3`],
      says: 'The resource in the metadata is the one that the client has asked for; the metadata of an alias names the alias.',
      tests: [
        'test/auth/resource/metadata.test.ts > URLs of protected resource metadata > serve the resource as configured, with or without a trailing slash',
        'test/auth/resource/metadata.test.ts > URLs of protected resource metadata > at the host of an alias serve a document that names the alias',
        'test/auth/resource/metadata.test.ts > URLs of protected resource metadata > at the path of an alias serve a document that names the alias',
        'test/clients/auth/first-try.test.ts > the URL of the endpoint > may end with a slash',
      ],
    },
    {
      id: 'metadata-of-another-resource',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-3.3`],
      says: 'A client does not use the metadata of another resource.',
      concerns: 'client',
      tests: [
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > names the metadata of the alias when the alias was requested',
        'test/auth/resource/presentation.test.ts > ResourceServer without a token > names the configured metadata when an unknown host was requested: %s',
      ],
    },
    {
      id: 'signature-of-metadata',
      level: 'MUST',
      clauses: [`${PAGE}#section-3.3`],
      says: 'A reader checks the signature of signed metadata.',
      concerns: 'client',
    },
    {
      id: 'string-comparison',
      level: 'MUST',
      clauses: [`${PAGE}#section-6`],
      says: 'Strings are compared by code points.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
      ],
    },
    {
      id: 'no-normalisation',
      level: 'MUST NOT',
      clauses: [`${PAGE}#section-6`],
      says: 'Strings are not normalised before they are compared.',
      tests: [
        'test/auth/resource/hostile-tokens.test.ts > ResourceServer checks claims and > rejects a token with %s',
      ],
    },
    {
      id: 'tls',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.1`],
      says: 'The server uses TLS according to BCP 195; plain http is served on loopback hosts alone.',
      tests: [
        'test/security/entrance.test.ts > the host and origin checks under %s > answer a request to %s from origin %j with %i',
      ],
    },
    {
      id: 'certificates',
      level: 'MUST',
      clauses: [`${PAGE}#section-7.3`],
      says: 'A client checks the certificate of the server.',
      concerns: 'client',
    },
  ],
}
