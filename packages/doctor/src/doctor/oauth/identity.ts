/** How a client identifies itself at an authorization server, as far as the metadata decides it. */
import { takesDocuments, takesPublicClients } from '../../../../faults/src/checks/documents.ts'
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

/** Undefined for a URL of another scheme too, which clients do not open. */
export function endpointIn(metadata: Metadata, member: string): URL | undefined {
  const value = metadata[member]
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined
}
