/** Finds clients by id in all sources, and registers new ones. */
import type { Sealer } from '../../ports/sealer.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { BeforeFirst } from '../fetch/document-cache.ts'
import { type Client, MAX_CLIENT_ID_LENGTH } from './client.ts'
import type { ClientDocuments } from './client-document.ts'
import type { RedirectPolicy } from './redirect-policy.ts'
import { openClient, registerClient } from './registered-client.ts'
import { checkRegistration } from './registration.ts'

export type { Client } from './client.ts'

export interface Clients {
  /**
   * Returns the client of an id, or undefined if the id is unknown or expired.
   *
   * @throws {OAuthError} see `ClientDocuments`
   */
  find(clientId: string, beforeFirst?: BeforeFirst): Promise<Client | undefined>
  /**
   * Registers a client.
   *
   * @param metadata parsed from JSON: see `readRegistration`
   * @returns the body of a 201
   * @throws {OAuthError} `invalid_client_metadata`, `invalid_redirect_uri`
   */
  register(metadata: unknown): Promise<JsonObject>
}

export interface ClientsOptions {
  readonly issuer: string
  readonly sealer: Sealer
  /** See `createStaticClients`. */
  readonly staticClients: ReadonlyMap<string, Client>
  /** Undefined if client ID metadata documents are not supported. */
  readonly documents: ClientDocuments | undefined
  readonly redirects: RedirectPolicy
  readonly now?: () => number
}

export function createClients({
  issuer,
  sealer,
  staticClients,
  documents,
  redirects,
  now = Date.now,
}: ClientsOptions): Clients {
  return {
    async find(clientId, beforeFirst) {
      const configured = staticClients.get(clientId)
      if (configured !== undefined) return configured
      if (clientId.length > MAX_CLIENT_ID_LENGTH) return undefined
      // No sealed id begins with this.
      if (clientId.startsWith('https://')) return documents?.find(clientId, beforeFirst)
      return openClient(sealer, issuer, clientId, now())
    },
    async register(metadata) {
      return registerClient(sealer, issuer, checkRegistration(metadata, redirects), now())
    },
  }
}
