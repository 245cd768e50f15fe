/** Draft 00, which MCP names, and what draft 01 adds. */
import type { RequirementDocument } from './requirement.ts'

const DRAFT = 'https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-00.html'
const NEWER = 'https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-01.html'

export const clientIdMetadataDocuments: RequirementDocument = {
  title: 'Client ID metadata documents',
  pages: [DRAFT, NEWER],
  requirements: [
    {
      id: 'https-with-a-path',
      level: 'MUST',
      clauses: [`${DRAFT}#section-3`],
      says: 'A client id that is a URL uses https and has a path.',
      tests: [
        'test/auth/clients/client-document.test.ts > a client id is unknown without a fetch when it is > %s > http://client.example/c',
        'test/attacks/auth/client-documents.test.ts > /authorize rejects the client id and fetches nothing from > %s > http://client.example/c',
        'test/auth/clients/client-document.test.ts > parseDocumentUrl accepts > %s',
      ],
    },
    {
      id: 'no-dot-segments',
      level: 'MUST NOT',
      clauses: [`${DRAFT}#section-3`],
      says: 'A client id has no dot segments, fragment or user information.',
      tests: [
        'test/auth/clients/client-document.test.ts > a client id is unknown without a fetch when it is > %s > https://client.example/a/../c',
        'test/attacks/auth/client-documents.test.ts > /authorize rejects the client id and fetches nothing from > %s > https://client.example/c#fragment',
      ],
    },
    {
      id: 'client-id-member',
      level: 'MUST',
      clauses: [`${DRAFT}#section-4.1`],
      says: 'The document has a client_id that is its URL, compared as a string.',
      tests: [
        'test/auth/clients/client-document.test.ts > a client ID metadata document is rejected > that %s > names itself in another letter case',
        'test/clients/auth/client-documents.test.ts > /authorize shows an error page for an app whose document $what',
      ],
    },
    {
      id: 'no-shared-secrets',
      level: 'MUST NOT',
      clauses: [`${DRAFT}#section-4.1`],
      says: 'The document names no method with a shared secret, and contains no secret.',
      tests: [
        'test/auth/clients/client-document.test.ts > a client ID metadata document is rejected > that %s > names client_secret_jwt',
        'test/auth/clients/client-document.test.ts > a client ID metadata document is rejected > that %s > contains a secret',
        'test/attacks/auth/client-documents.test.ts > /authorize shows an error page for a client document that > %s > has a secret',
      ],
    },
    {
      id: 'error-responses-are-not-cached',
      level: 'MUST NOT',
      clauses: [`${DRAFT}#section-4.4`],
      says: 'The authorization server does not cache error responses; within a minute after one it does not ask the host again.',
      deviation:
        'Nothing of an error response is kept as a document, but the host is not asked again for a minute, so that a stranger cannot make this server flood another host.',
      tests: [
        'test/auth/fetch/document-cache.test.ts > DocumentCache while the host fails > forgets a document that is gone at once',
        'test/auth/fetch/document-cache.test.ts > DocumentCache while the host fails > does not fetch again within a minute of a failure',
      ],
    },
    {
      id: 'invalid-documents-are-not-cached',
      level: 'MUST NOT',
      clauses: [`${DRAFT}#section-4.4`],
      says: 'The authorization server does not cache invalid documents.',
      tests: [
        'test/auth/fetch/document-cache.test.ts > DocumentCache while the host fails > does not use the stale document when the new one is invalid',
        'test/auth/fetch/document-cache.test.ts > DocumentCache with a store > deletes a document that is gone',
        'test/auth/fetch/document-cache.test.ts > DocumentCache with a store > ignores a stored document that is invalid',
      ],
    },
    {
      id: 'redirect-uris',
      level: 'MUST',
      clauses: [`${DRAFT}#section-4.5`],
      says: 'A redirect URI is exactly one of the document.',
      tests: [
        'test/clients/auth/client-documents.test.ts > /authorize shows an error page for an app whose document $what > lacks the redirect URI',
        'test/attacks/auth/client-documents.test.ts > /authorize shows an error page for a client document that > %s',
        'test/auth/server/sign-out.test.ts > a decision about a client whose metadata document has lost the redirect URI > is answered with a page and status 400',
      ],
    },
    {
      id: 'support-is-advertised',
      level: 'MUST',
      clauses: [`${DRAFT}#section-5`],
      says: 'The metadata has client_id_metadata_document_supported.',
      tests: [
        'test/auth/server/metadata.test.ts > the metadata at %s > names every endpoint and what the server supports',
      ],
    },
    {
      id: 'client-authentication',
      level: 'MUST',
      clauses: [`${DRAFT}#section-6.2`],
      says: 'A client whose document names private_key_jwt authenticates with it at every endpoint.',
      tests: [
        'test/auth/clients/client-assertion.test.ts > createClientKeys with a jwks_uri > authenticates a client with a metadata document',
        'test/auth/clients/client-authentication.test.ts > client authentication rejects a client > that %s > has keys and sends nothing',
      ],
    },
    {
      id: 'status-200',
      level: 'MUST',
      clauses: [`${NEWER}#section-4`, `${NEWER}#section-4.1`],
      says: 'A document has the status 200, and any other status is an error.',
      tests: [
        'test/auth/fetch/guarded-fetch.test.ts > createGuardedFetch > reports the status %i as %s',
        'test/auth/clients/client-document.test.ts > a client ID metadata document is rejected > that is %s, with its URL > forbidden',
        'test/attacks/auth/client-documents.test.ts > /authorize shows an error page for a client document that > %s',
      ],
    },
    {
      id: 'no-redirects',
      level: 'MUST NOT',
      clauses: [`${NEWER}#section-4`],
      says: 'The authorization server follows no redirects when it fetches a document.',
      tests: [
        'test/auth/fetch/guarded-fetch.test.ts > createGuardedFetch > returns JSON, and sends no cookies and follows no redirects',
        'test/attacks/auth/client-documents.test.ts > /authorize shows an error page for a client document that > %s > redirects permanently',
      ],
    },
    {
      id: 'special-use-addresses',
      level: 'MUST',
      clauses: [`${NEWER}#section-6.5`],
      says: 'The authorization server fetches no document from special-use addresses: addresses and local names are refused, and the platform resolves names to public addresses alone.',
      tests: [
        'test/auth/fetch/public-url.test.ts > parsePublicUrl rejects > %j',
        'test/auth/fetch/public-url.test.ts > parsePublicUrl rejects > every address literal, in numbers of any base',
        'test/attacks/auth/client-documents.test.ts > /authorize rejects the client id and fetches nothing from > %s',
        'test/auth/public-fetch-flag.test.ts > the compatibility flag global_fetch_strictly_public > is reported at the start of a server with authorization when it is missing',
      ],
    },
  ],
}
