/** Finds clients by id in all sources, and registers new ones. */
import type { Sealer } from '../../ports/sealer.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { BeforeFirst } from '../fetch/document-cache.ts'
import { OAuthError } from '../oauth-error.ts'
import {
  type Client,
  type ClientAuthMethod,
  type ClientSupport,
  MAX_CLIENT_ID_LENGTH,
} from './client.ts'
import type { ClientDocuments } from './client-document.ts'
import type { RedirectPolicy } from './redirect-policy.ts'
import { openClient, registerClient } from './registered-client.ts'
import { checkRegistration, clientAuthMethods } from './registration.ts'

export type { Client } from './client.ts'

export interface Clients {
  /** The methods by which clients can authenticate. */
  readonly authMethods: readonly ClientAuthMethod[]
  /**
   * Returns the client of an id, or undefined if the id is unknown or expired.
   *
   * @throws {OAuthError} `invalid_client` for a client that this server cannot authenticate, and see
   *   `ClientDocuments`
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
  readonly support: ClientSupport
  readonly now?: () => number
}

export function createClients({
  issuer,
  sealer,
  staticClients,
  documents,
  redirects,
  support,
  now = Date.now,
}: ClientsOptions): Clients {
  return {
    authMethods: clientAuthMethods(support),
    async find(clientId, beforeFirst) {
      const configured = staticClients.get(clientId)
      if (configured !== undefined) return configured
      if (clientId.length > MAX_CLIENT_ID_LENGTH) return undefined
      // No sealed id begins with this.
      if (clientId.startsWith('https://')) {
        return supported(await documents?.find(clientId, beforeFirst), support)
      }
      return supported(await openClient(sealer, issuer, clientId, now()), support)
    },
    async register(metadata) {
      return registerClient(sealer, issuer, checkRegistration(metadata, redirects, support), now())
    },
  }
}

/** Early, because the connection could not be finished: neither its consent page nor its code has a use. */
function supported(client: Client | undefined, { keys }: ClientSupport): Client | undefined {
  if (client?.authMethod !== 'private_key_jwt' || keys !== undefined) return client
  throw new OAuthError('invalid_client', 'This server does not support private_key_jwt', {
    telemetryMessage:
      'A client with private_key_jwt needs embedded({ features: [privateKeyJwt()] })',
  })
}
