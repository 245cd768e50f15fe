/** How a client identifies itself at an authorization server, as far as the metadata decides it. */
import type { Client } from '../clients.ts'

export type Identity = 'document' | 'registration' | 'none'

type Metadata = Readonly<Record<string, unknown>>

/** A document is used only if the server also lists the authentication method of its clients. */
export function identityAt(metadata: Metadata, client: Client): Identity {
  if (client.hasDocument && takesDocuments(metadata) && takesPublicClients(metadata)) {
    return 'document'
  }
  if (typeof metadata.registration_endpoint === 'string') return 'registration'
  return client.hasDocument && takesDocuments(metadata) ? 'document' : 'none'
}

export const takesDocuments = (metadata: Metadata): boolean =>
  metadata.client_id_metadata_document_supported === true

/** RFC 8414 §2: without the member, `client_secret_basic` is the only method. */
export function takesPublicClients(metadata: Metadata): boolean {
  const methods = metadata.token_endpoint_auth_methods_supported
  return Array.isArray(methods) && methods.includes('none')
}

/** Undefined for a URL of another scheme too, which clients do not open. */
export function endpointIn(metadata: Metadata, member: string): URL | undefined {
  const value = metadata[member]
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined
}
