/** The signing keys of a deployment in the Worker: the keyring's, as one isolate knows them. */
import type { SigningKeys } from '../../src/ports/signing-keys.ts'
import { KeyCache } from './key-cache.ts'
import { type KeyringSigningKey, SigningKey } from './signing-key.ts'

/** As much of a `DurableObjectNamespace<McpKeyring>` as signing needs. */
export interface SigningNamespace {
  getByName(name: string): { signingKeys(): Promise<readonly KeyringSigningKey[]> }
}

/**
 * Made once per isolate: it holds the keys. A key is published a day before its use, so an unknown
 * one is a forgery, and the object is not asked.
 */
export function createSigningKeys(
  namespace: SigningNamespace,
  now: () => number = Date.now,
): SigningKeys {
  const cache = new KeyCache(async () => {
    const keys = await namespace.getByName('keyring').signingKeys()
    return keys.map((key) => new SigningKey(key))
  }, now)
  const accepted = async () => {
    const keys = await cache.keys()
    return keys.filter(({ acceptedUntil }) => now() < acceptedUntil)
  }
  return {
    async signingKey() {
      const keys = await accepted()
      // A clock behind the object's may find none in use yet; the first is what everybody knows.
      const key = keys.findLast(({ usedFrom }) => usedFrom <= now()) ?? keys[0]
      if (key === undefined) throw new Error('The keyring holds no signing key')
      return { kid: key.id, key: await key.forSigning() }
    },

    async jwks() {
      const keys = await accepted()
      return { keys: keys.map(({ published }) => published).reverse() }
    },

    async verificationKey(kid) {
      const keys = await accepted()
      return keys.find(({ id }) => id === kid)?.forVerifying()
    },
  }
}
