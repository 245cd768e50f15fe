/** Parses the public keys of clients that authenticate with signatures, and reads them from client metadata. */
import { invalid, type Result, valid } from '../../platform/result.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { parsePublicUrl } from '../fetch/public-url.ts'
import { ASSERTION_ALGORITHMS } from '../resource/algorithms.ts'
import type { RegisteredKeys } from './client.ts'
import { invalidMetadata, isAbsent, text } from './client-metadata.ts'

export type PublicJwk =
  | ({ readonly kty: 'EC'; readonly crv: 'P-256'; readonly x: string; readonly y: string } & KeyUse)
  | ({ readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string } & KeyUse)
  | ({ readonly kty: 'RSA'; readonly n: string; readonly e: string } & KeyUse)

interface KeyUse {
  readonly kid?: string
  readonly alg?: string
}

const MAX_KID_LENGTH = 256

/** 32 bytes: a coordinate of a P-256 key, or an Ed25519 key. */
const BYTES_32 = /^[\w-]{43}$/

/** 2,048 to 4,096 bits. */
const MODULUS = /^[\w-]{342,683}$/

const EXPONENT = /^[\w-]{2,8}$/

/** Members that only private and symmetric keys have (RFC 7518 §6.2.2, §6.3.2, §6.4.1). */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const

/** Parses one key of a JWK set: a public signature key of a supported kind. Drops all other members. */
export function parsePublicJwk(value: unknown): Result<PublicJwk> {
  if (!isJsonObject(value)) return invalid('must be an object')
  if (SECRET_MEMBERS.some((name) => value[name] !== undefined)) {
    return invalid('must not be private or symmetric')
  }
  if ((value.use ?? 'sig') !== 'sig') return invalid('must be for signatures')
  const { kid, alg } = value
  if (kid !== undefined && (typeof kid !== 'string' || kid.length > MAX_KID_LENGTH)) {
    return invalid(`must have a kid of at most ${MAX_KID_LENGTH} characters or none`)
  }
  if (alg !== undefined && !(ASSERTION_ALGORITHMS as readonly unknown[]).includes(alg)) {
    return invalid('must have a supported algorithm or none')
  }
  const use = {
    ...(kid === undefined ? undefined : { kid }),
    ...(alg === undefined ? undefined : { alg: alg as string }),
  }
  const { kty, crv, x, y, n, e } = value
  if (kty === 'EC' && crv === 'P-256' && isText(x, BYTES_32) && isText(y, BYTES_32)) {
    return valid({ kty, crv, x, y, ...use })
  }
  if (kty === 'OKP' && crv === 'Ed25519' && isText(x, BYTES_32)) {
    return valid({ kty, crv, x, ...use })
  }
  if (kty === 'RSA' && isText(n, MODULUS) && isText(e, EXPONENT)) {
    return valid({ kty, n, e, ...use })
  }
  return invalid('must be of P-256, Ed25519, or RSA with 2048 to 4096 bits')
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}

const MAX_REGISTERED_KEYS = 5

/**
 * RFC 7591 §2: one of the two, never both.
 *
 * @throws {OAuthError} `invalid_client_metadata`
 */
export function readRegisteredKeys(metadata: JsonObject): RegisteredKeys {
  const { jwks } = metadata
  const jwksUri = text(metadata, 'jwks_uri', Number.POSITIVE_INFINITY)
  if (isAbsent(jwks) === (jwksUri === undefined)) {
    throw invalidMetadata('private_key_jwt needs either jwks or jwks_uri')
  }
  if (jwksUri !== undefined) {
    if (parsePublicUrl(jwksUri) === undefined)
      throw invalidMetadata('jwks_uri must be a public https URL')
    return { jwks: undefined, jwksUri }
  }
  const keys = isJsonObject(jwks) ? jwks.keys : undefined
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_REGISTERED_KEYS) {
    throw invalidMetadata(`jwks must be a set of 1 to ${MAX_REGISTERED_KEYS} keys`)
  }
  return { jwks: keys.map(publicJwk), jwksUri: undefined }
}

function publicJwk(value: unknown): PublicJwk {
  const key = parsePublicJwk(value)
  if (!key.ok) throw invalidMetadata(`A key in jwks ${key.error}`)
  return key.value
}
