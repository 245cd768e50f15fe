/** Sealing in the Worker: AES-256-GCM under the keyring's keys, or under a secret of the environment. */

import { decodeBase64Url } from '../../src/platform/base64.ts'
import { sha256 } from '../../src/platform/digest.ts'
import type { Sealer, SealPurpose } from '../../src/ports/sealer.ts'
import { createEnvironmentKeys, parseSecrets } from './environment-keys.ts'
import { KeyCache } from './key-cache.ts'
import { MAX_NAME_LENGTH, redeemedShardOf } from './redeemed.ts'
import { type KeyringKey, openingKey, SealKey, sealingKey } from './seal-key.ts'
import {
  formatSealed,
  IV_BYTES,
  MAX_PLAINTEXT_BYTES,
  SEAL_VERSION,
  splitSealed,
} from './sealed-text.ts'

/** As much of a `DurableObjectNamespace<McpKeyring>` as sealing needs. */
export interface KeyringNamespace {
  getByName(name: string): {
    keys(): Promise<readonly KeyringKey[]>
    redeem(name: string, expiresAt: number): Promise<boolean>
  }
}

/**
 * Seals with random 96-bit IVs, which one key bears for 2^32 seals of a purpose: 1,600 a second for
 * as long as the object uses a key. A secret of the environment has no such end of its own. An IV
 * made of what it seals counts among them, and says nothing of 256 random bits.
 *
 * Made once per isolate: it holds the keys. Opening asks the object for them when the isolate has
 * none or has had them for an hour, and never because of what a seal says.
 *
 * @param namespace of `McpKeyring`; without it nothing can be redeemed
 * @param secret replaces the object's keys; see `parseSecrets`
 * @throws {TypeError} for a secret that does not do
 */
export function createSealer(
  namespace: KeyringNamespace | undefined,
  secret: string | undefined,
  now: () => number = Date.now,
): Sealer {
  const keys = keysFrom(namespace, secret, now)
  return {
    async seal(purpose, plaintext, context, { deterministic = false } = {}) {
      if (plaintext.length > MAX_PLAINTEXT_BYTES) {
        throw new RangeError(`At most ${MAX_PLAINTEXT_BYTES} bytes can be sealed`)
      }
      const key = sealingKey(await keys(), now())
      const iv = deterministic
        ? await ivOf(purpose, plaintext, context)
        : crypto.getRandomValues(new Uint8Array(IV_BYTES))
      const ciphertext = await crypto.subtle.encrypt(
        aesGcm(iv, key.id, purpose, context),
        await key.forPurpose(purpose),
        plaintext,
      )
      const bytes = new Uint8Array(IV_BYTES + ciphertext.byteLength)
      bytes.set(iv)
      bytes.set(new Uint8Array(ciphertext), IV_BYTES)
      return formatSealed(key.id, bytes)
    },

    async open(purpose, sealed, context) {
      const text = splitSealed(sealed)
      if (text === undefined) return undefined
      const key = openingKey(await keys(), text.keyId, now())
      const bytes = key && decodeBase64Url(text.body)
      if (key === undefined || bytes === undefined) return undefined
      const params = aesGcm(bytes.subarray(0, IV_BYTES), key.id, purpose, context)
      const aesKey = await key.forPurpose(purpose)
      try {
        return new Uint8Array(await crypto.subtle.decrypt(params, aesKey, bytes.subarray(IV_BYTES)))
      } catch {
        // The tag does not fit: forged, or sealed for something else.
        return undefined
      }
    },

    async redeem(name, expiresAt) {
      if (name === '' || name.length > MAX_NAME_LENGTH) {
        throw new TypeError(`A name to redeem has 1 to ${MAX_NAME_LENGTH} characters`)
      }
      if (!Number.isSafeInteger(expiresAt)) {
        throw new TypeError('expiresAt must be epoch milliseconds')
      }
      if (namespace === undefined) {
        throw new Error(
          'What is used once is kept by the McpKeyring Durable Object: bind it as MCP_KEYRING',
        )
      }
      return namespace.getByName(redeemedShardOf(name)).redeem(name, expiresAt)
    },
  }
}

function keysFrom(
  namespace: KeyringNamespace | undefined,
  secret: string | undefined,
  now: () => number,
): () => Promise<readonly SealKey[]> {
  if (secret !== undefined) return createEnvironmentKeys(parseSecrets(secret))
  if (namespace === undefined) {
    // Told at the first seal: a server that never seals anything needs no keys.
    return async () => {
      throw new Error(
        'Sealing needs keys: bind the McpKeyring Durable Object as MCP_KEYRING, or set EDGEWAY_SECRET',
      )
    }
  }
  // A stub belongs to the request that made it, so there is a new one each time.
  const cache = new KeyCache(async () => {
    const keys = await namespace.getByName('keyring').keys()
    return keys.map((key) => new SealKey(key))
  }, now)
  return () => cache.keys()
}

/** The same IV twice is the same text twice, so that nothing is learnt from it but that. */
async function ivOf(
  purpose: SealPurpose,
  plaintext: Uint8Array,
  context: string,
): Promise<Uint8Array> {
  const prefix = new TextEncoder().encode(JSON.stringify([purpose, context]))
  // JSON says where it ends, so no two inputs are the same bytes.
  const input = new Uint8Array(prefix.length + plaintext.length)
  input.set(prefix)
  input.set(plaintext, prefix.length)
  return (await sha256(input)).subarray(0, IV_BYTES)
}

function aesGcm(
  iv: Uint8Array,
  keyId: string,
  purpose: SealPurpose,
  context: string,
): SubtleCryptoEncryptAlgorithm {
  // JSON keeps the parts apart whatever they hold, lone surrogates included.
  const bound = JSON.stringify([SEAL_VERSION, keyId, purpose, context])
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(bound) }
}
