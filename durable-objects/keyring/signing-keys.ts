/** The signing keys port in the Worker: the keys of the keyring object, cached per isolate. */
import { withDeadline } from '../../src/platform/deadline.ts'
import type { ObjectsOfKind } from '../../src/ports/objects.ts'
import { NO_REVOCATIONS } from '../../src/ports/revocations.ts'
import type { SigningKeys } from '../../src/ports/signing-keys.ts'
import { createKeyCache } from './key-cache.ts'
import type { KeyringObject } from './keyring-object.ts'
import { keyInUse } from './rotation.ts'
import { KEYRING_KEY } from './shards.ts'
import { SigningKey } from './signing-key.ts'

/** How old the revocations of an isolate may be. */
const REVOCATIONS_MAX_AGE_MS = 10_000

/** How long a check waits for them, before it uses those that the isolate has. */
const REVOCATIONS_TIMEOUT_MS = 1_000

/**
 * Creates the signing keys of one isolate, which caches them. A key is published a day before its
 * use, so an unknown key id is a forgery, and the keyring object is not called for it.
 */
export function createSigningKeys(
  namespace: ObjectsOfKind<Pick<KeyringObject, 'signingKeys'>>,
  now: () => number = Date.now,
): SigningKeys {
  const cachedKeys = createKeyCache(async () => {
    const keys = await namespace.named(KEYRING_KEY).signingKeys()
    return keys.map((key) => new SigningKey(key))
  }, now)
  const accepted = async () => {
    const keys = await cachedKeys()
    return keys.filter(({ acceptedUntil }) => now() < acceptedUntil)
  }
  return {
    async signingKey() {
      const key = keyInUse(await accepted(), now())
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

    async revocations(maxAgeMs = REVOCATIONS_MAX_AGE_MS) {
      const read = cachedKeys(maxAgeMs)
      const keys = await withDeadline(REVOCATIONS_TIMEOUT_MS, read, () => cachedKeys())
      return keys.at(-1)?.revocations ?? NO_REVOCATIONS
    },
  }
}
