/** The sealer port in the Worker: AES-256-GCM under the keys of the keyring object or of the environment. */

import { decodeBase64Url } from '../../src/platform/base64.ts'
import { sha256 } from '../../src/platform/digest.ts'
import { joinBytes } from '../../src/platform/join-bytes.ts'
import { encodeUtf8 } from '../../src/platform/utf8.ts'
import type { ObjectsOfKind } from '../../src/ports/objects.ts'
import { SEAL_PURPOSES, type Sealer, type SealPurpose } from '../../src/ports/sealer.ts'
import { decrypt, encrypt, IV_BYTES } from '../aes-gcm.ts'
import { createEnvironmentKeys, parseSecrets } from './environment-keys.ts'
import { createKeyCache } from './key-cache.ts'
import type { KeyringObject } from './keyring-object.ts'
import type { RedeemedObject } from './redeemed-object.ts'
import { openingKey, SealKey, sealingKey } from './seal-key.ts'
import { formatSealed, MAX_PLAINTEXT_BYTES, splitSealed } from './sealed-text.ts'
import { KEYRING_KEY, shardOf } from './shards.ts'

const MAX_NAME_LENGTH = 256

/** The objects that a sealer calls. */
export interface SealerObjects {
  readonly keyring?: ObjectsOfKind<Pick<KeyringObject, 'keys'>> | undefined
  readonly redeemed?: ObjectsOfKind<Pick<RedeemedObject, 'redeem'>> | undefined
}

/**
 * Creates the sealer of one isolate, which caches the keys. The keyring object is called when the
 * isolate has no keys or has cached them for an hour, never because of the content of a seal.
 *
 * A key may seal 2^32 times per purpose with random 96-bit IVs: 1,600 times a second for as long as
 * the keyring uses a key. A secret of the environment has no such rotation. The IV of a
 * deterministic seal counts among them, and reveals nothing about 256 random bits.
 *
 * @param objects without those of a kind, no key can be created, or no name redeemed
 * @param secret replaces the keys of the keyring object; see {@link parseSecrets}
 * @param onNewer receives the purpose of a text that claims to be sealed by a newer version of Edgeway
 * @throws {TypeError} for an invalid secret
 */
export function createSealer(
  { keyring, redeemed }: SealerObjects,
  secret: string | undefined,
  now: () => number = Date.now,
  onNewer?: (purpose: string) => void,
): Sealer {
  const keys = keysFrom(keyring, secret, now)
  return {
    async seal(purpose, plaintext, context, { deterministic = false } = {}) {
      if (plaintext.length > MAX_PLAINTEXT_BYTES) {
        throw new RangeError(`At most ${MAX_PLAINTEXT_BYTES} bytes can be sealed`)
      }
      const key = sealingKey(await keys(), now())
      const iv = deterministic ? await deriveIv(purpose, plaintext, context) : undefined
      const aesKey = await key.forPurpose(purpose)
      const bytes = await encrypt(aesKey, plaintext, boundTo(key.id, purpose, context), iv)
      return formatSealed(versionOf(purpose), key.id, bytes)
    },

    async open(purpose, sealed, context) {
      const text = splitSealed(sealed)
      if (text === undefined) return undefined
      if (text.version !== versionOf(purpose)) {
        const claimed = `${nameOf(purpose)}/${text.version}`
        if (isNewer(claimed)) onNewer?.(claimed)
        return undefined
      }
      const key = openingKey(await keys(), text.keyId, now())
      const bytes = key && decodeBase64Url(text.body)
      if (key === undefined || bytes === undefined) return undefined
      return decrypt(await key.forPurpose(purpose), bytes, boundTo(key.id, purpose, context))
    },

    async redeem(name, expiresAt) {
      if (name === '' || name.length > MAX_NAME_LENGTH) {
        throw new TypeError(`A name to redeem must have 1 to ${MAX_NAME_LENGTH} characters`)
      }
      if (!Number.isSafeInteger(expiresAt)) {
        throw new TypeError('expiresAt must be an integer of epoch milliseconds')
      }
      if (redeemed === undefined) throw new Error('Redeeming needs the binding MCP_OBJECTS')
      return redeemed.named(shardOf(name)).redeem(name, expiresAt)
    },
  }
}

function keysFrom(
  keyring: SealerObjects['keyring'],
  secret: string | undefined,
  now: () => number,
): () => Promise<readonly SealKey[]> {
  if (secret !== undefined) return createEnvironmentKeys(parseSecrets(secret))
  if (keyring === undefined) {
    // Thrown by the first seal: a server that never seals needs no keys.
    return async () => {
      throw new Error('Sealing needs keys: add the binding MCP_OBJECTS, or set EDGEWAY_SECRET')
    }
  }
  return createKeyCache(async () => {
    const keys = await keyring.named(KEYRING_KEY).keys()
    return keys.map((key) => new SealKey(key))
  }, now)
}

/** Derives the IV from everything that is sealed. Equal IVs then mean equal seals, which reveals only that they are equal. */
async function deriveIv(
  purpose: SealPurpose,
  plaintext: Uint8Array,
  context: string,
): Promise<Uint8Array> {
  // The JSON delimits itself, so different inputs never give the same bytes.
  const prefix = encodeUtf8(JSON.stringify([purpose, context]))
  return (await sha256(joinBytes([prefix, plaintext]))).subarray(0, IV_BYTES)
}

/** JSON separates the parts unambiguously, even when they contain lone surrogates. */
function boundTo(keyId: string, purpose: SealPurpose, context: string): string {
  return JSON.stringify([keyId, purpose, context])
}

function versionOf(purpose: string): string {
  return purpose.slice(purpose.indexOf('/') + 1)
}

function nameOf(purpose: string): string {
  return purpose.slice(0, purpose.indexOf('/'))
}

/** Digits sort before letters, so versions compare as text. */
function isNewer(claimed: string): boolean {
  const known = SEAL_PURPOSES.filter((purpose) => nameOf(purpose) === nameOf(claimed))
  return known.every((purpose) => versionOf(purpose) < versionOf(claimed))
}
