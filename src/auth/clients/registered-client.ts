/**
 * Dynamically registered clients without storage: the client id is the sealed metadata. Registrations
 * therefore cannot exhaust storage and need no cleanup.
 *
 * An id expires after 90 days. Then the client receives `invalid_client` and registers again, unless it
 * holds a live grant: see `../server/presented-token.ts`.
 */
import { openJson, type Sealer, sealJson } from '../../ports/sealer.ts'
import type { JsonObject } from '../../protocol/json.ts'
import {
  type Client,
  type ClientAuthMethod,
  JWT_BEARER_GRANT,
  MAX_CLIENT_ID_LENGTH,
  usesSecret,
} from './client.ts'
import type { PublicJwk } from './client-jwks.ts'
import { type ClientMetadata, invalidMetadata } from './client-metadata.ts'
import { createClientSecret, type NewSecret } from './client-secret.ts'
import { describeMetadata } from './registration.ts'

/** The longest lifetime of a seal. */
const LIFETIME_SECONDS = 90 * 24 * 60 * 60

/** The sealed metadata, with short names because the id is part of URLs. */
interface SealedClient {
  /** Redirect URIs. */
  readonly r: readonly string[]
  /** Authentication method. */
  readonly m: ClientAuthMethod
  /** Name. */
  readonly n?: string | undefined
  /** Home page. */
  readonly u?: string | undefined
  /** Scopes. */
  readonly s?: string | undefined
  /** Hash of the secret. */
  readonly h?: string | undefined
  /** Keys, or their URL. */
  readonly k?: readonly PublicJwk[] | undefined
  readonly j?: string | undefined
  /** Grants: `c` code and refresh, `a` assertions, `ca` both. */
  readonly g: 'c' | 'a' | 'ca'
  /** Whether every token request needs a DPoP proof. */
  readonly d?: true | undefined
  /** Expiry in epoch seconds. */
  readonly e: number
}

/**
 * Registers a client.
 *
 * @param now epoch milliseconds
 * @returns the body of the 201, the only message that contains the secret
 * @throws {OAuthError} `invalid_client_metadata` if the metadata is too large for an id
 */
export async function registerClient(
  sealer: Sealer,
  issuer: string,
  metadata: ClientMetadata,
  now: number,
): Promise<JsonObject> {
  const issuedAt = Math.floor(now / 1000)
  const expiresAt = issuedAt + LIFETIME_SECONDS
  const secret = usesSecret(metadata.authMethod) ? await createClientSecret() : undefined
  const id = await sealClient(sealer, issuer, metadata, secret, expiresAt)
  return {
    client_id: id,
    client_id_issued_at: issuedAt,
    ...(secret && { client_secret: secret.secret, client_secret_expires_at: expiresAt }),
    ...describeMetadata(metadata),
  }
}

async function sealClient(
  sealer: Sealer,
  issuer: string,
  { grantTypes, scopes, ...metadata }: ClientMetadata,
  secret: NewSecret | undefined,
  expiresAt: number,
): Promise<string> {
  const code = grantTypes.includes('authorization_code')
  const assertions = grantTypes.includes(JWT_BEARER_GRANT)
  const sealed: SealedClient = {
    r: metadata.redirectUris,
    m: metadata.authMethod,
    n: metadata.name,
    u: metadata.uri,
    s: scopes?.join(' '),
    h: secret?.secretHash,
    k: metadata.jwks,
    j: metadata.jwksUri,
    g: code ? (assertions ? 'ca' : 'c') : 'a',
    d: metadata.dpopBound || undefined,
    e: expiresAt,
  }
  const id = await sealJson(sealer, 'client-id/1', sealed, issuer)
  if (id.length > MAX_CLIENT_ID_LENGTH) {
    throw invalidMetadata(
      'The client metadata is too long: register fewer redirect_uris, or a jwks_uri instead of jwks',
    )
  }
  return id
}

/** Returns the client of an id, or undefined if it is not a valid id of this issuer. Calls no Durable Object. */
export async function openClient(
  sealer: Sealer,
  issuer: string,
  id: string,
  now: number,
): Promise<Client | undefined> {
  const sealed = await openJson<SealedClient>(
    sealer,
    'client-id/1',
    id,
    issuer,
    MAX_CLIENT_ID_LENGTH,
  )
  if (sealed === undefined || sealed.e * 1000 <= now) return undefined
  return {
    id,
    kind: 'registered',
    name: sealed.n,
    uri: sealed.u,
    host: undefined,
    redirectUris: sealed.r,
    authMethod: sealed.m,
    secretHash: sealed.h,
    jwks: sealed.k,
    jwksUri: sealed.j,
    grantTypes: [
      ...(sealed.g === 'a' ? [] : (['authorization_code', 'refresh_token'] as const)),
      ...(sealed.g === 'c' ? [] : ([JWT_BEARER_GRANT] as const)),
    ],
    scopes: sealed.s?.split(' '),
    dpopBound: sealed.d === true,
  }
}
