/**
 * Client ID metadata documents: a client's id is the URL of its metadata.
 *
 * @see https://www.ietf.org/archive/id/draft-ietf-oauth-client-id-metadata-document-00.html
 */
import { invalid, type Result, valid } from '../../platform/result.ts'
import { isJsonObject } from '../../protocol/json.ts'
import {
  type BeforeFirst,
  DocumentCache,
  type DocumentFailure,
  type DocumentSource,
} from '../fetch/document-cache.ts'
import { parsePublicUrl, showUrl } from '../fetch/public-url.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Client, ClientSupport } from './client.ts'
import { type ClientMetadata, checkClientMetadata } from './client-metadata.ts'
import type { RedirectPolicy } from './redirect-policy.ts'

/** §6.6. */
const MAX_DOCUMENT_BYTES = 5 * 1024

export interface ClientDocuments {
  /**
   * Returns the client of a URL, or undefined if the URL cannot be that of a document.
   *
   * @throws {OAuthError} `invalid_client` with the defect of the document or its absence, and
   *   `temporarily_unavailable` if its host cannot be reached. Each names the URL. And what `beforeFirst`
   *   throws.
   */
  find(url: string, beforeFirst?: BeforeFirst): Promise<Client | undefined>
}

export interface ClientDocumentsOptions extends DocumentSource {
  readonly redirects: RedirectPolicy
  readonly support: ClientSupport
  /** URLs of its own host are rejected: fetching one would be a request of this server to itself. */
  readonly issuer: string
}

/** Created once per isolate, because it caches the documents. */
export function createClientDocuments({
  redirects,
  support,
  issuer,
  ...source
}: ClientDocumentsOptions): ClientDocuments {
  const ownHost = new URL(issuer).hostname
  const documents = new DocumentCache<Client>({
    ...source,
    maxBytes: MAX_DOCUMENT_BYTES,
    validate: (value, url) => parseClientDocument(value, url, { redirects, support }),
  })
  return {
    async find(url, beforeFirst) {
      const parsed = parseDocumentUrl(url)
      if (parsed === undefined || parsed.hostname === ownHost) return undefined
      const document = await documents.get(url, { beforeFirst })
      if (document.ok) return document.value
      throw documentError(url, document)
    },
  }
}

function documentError(url: string, document: DocumentFailure): OAuthError {
  const name = `The client metadata document ${showUrl(url)}`
  switch (document.failure) {
    case 'invalid':
      return new OAuthError('invalid_client', `${name} is not valid: ${document.error}`)
    case 'gone':
      return new OAuthError('invalid_client', `${name} does not exist`)
    case 'refused':
    case 'unusable':
      return new OAuthError(
        'invalid_client',
        `${name} cannot be read: its host must answer with JSON of at most ${MAX_DOCUMENT_BYTES} bytes, and without a redirect`,
      )
    case 'unreachable':
      return new OAuthError('temporarily_unavailable', `${name} cannot be read at the moment`)
  }
}

/**
 * Parses the URL of a document (§3): https, with a path, without fragment and user information. A
 * canonical URL has no dot segments.
 */
export function parseDocumentUrl(text: string): URL | undefined {
  const url = parsePublicUrl(text)
  return url === undefined || url.pathname === '/' ? undefined : url
}

/**
 * Methods with a shared secret are impossible, because the document is public (§4.1). `private_key_jwt` is
 * valid on every server; `clients.ts` refuses the clients that this server cannot authenticate.
 */
const DOCUMENT_RULES = {
  // The size of the document bounds them already.
  maxRedirectUris: 100,
  authMethods: ['none', 'private_key_jwt'],
  defaultAuthMethod: 'none',
} as const

export function parseClientDocument(
  value: unknown,
  url: string,
  rules: Pick<ClientDocumentsOptions, 'redirects' | 'support'>,
): Result<Client> {
  if (!isJsonObject(value)) return invalid('it must be a JSON object')
  // §4.1: simple string comparison.
  if (value.client_id !== url) return invalid('client_id must be the URL of the document')
  if (value.client_secret !== undefined || value.client_secret_expires_at !== undefined) {
    return invalid('it must not have a client_secret')
  }
  let metadata: ClientMetadata
  try {
    metadata = checkClientMetadata(value, { ...DOCUMENT_RULES, ...rules })
  } catch (error) {
    if (error instanceof OAuthError) return invalid(error.message)
    throw error
  }
  const { name, uri, redirectUris, authMethod, grantTypes, scopes, dpopBound } = metadata
  const { jwks, jwksUri } = metadata
  // MCP requires a name, which the consent page shows.
  if (name === undefined) return invalid('client_name is required')
  return valid({
    ...{ id: url, kind: 'document', name, uri, host: new URL(url).host, redirectUris },
    ...{ authMethod, secretHash: undefined, jwks, jwksUri, grantTypes, scopes, dpopBound },
  })
}
