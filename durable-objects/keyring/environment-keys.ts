/** Sealing keys from the secrets of the environment, which replace those of the keyring object. */
import { encodeBase64Url } from '../../src/platform/base64.ts'
import { deriveBytes } from '../aes-gcm.ts'
import { SealKey } from './seal-key.ts'
import { KEY_ID_LENGTH } from './sealed-text.ts'

const MIN_SECRET_LENGTH = 32
const MAX_SECRETS = 8

/**
 * Splits the variable `EDGEWAY_SECRET`. The first secret seals, all of them open. To rotate: put a
 * new secret first, and remove the old one once everything that it sealed has expired.
 *
 * @param setting secrets separated by white space
 * @returns the secrets without duplicates, newest first
 * @throws {TypeError} for a secret below 32 characters, for none, and for more than eight
 */
export function parseSecrets(setting: string): readonly string[] {
  const secrets = setting.split(/\s/).filter((secret) => secret !== '')
  if (secrets.length === 0 || secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
    throw new TypeError(
      `EDGEWAY_SECRET must be one or more secrets of at least ${MIN_SECRET_LENGTH} characters, ` +
        'separated by white space. `openssl rand -base64 32` creates one',
    )
  }
  if (secrets.length > MAX_SECRETS) {
    throw new TypeError(`EDGEWAY_SECRET must have at most ${MAX_SECRETS} secrets`)
  }
  return [...new Set(secrets)]
}

/** @param secrets newest first */
export function createEnvironmentKeys(secrets: readonly string[]): () => Promise<SealKey[]> {
  let keys: SealKey[] | undefined
  return async () => {
    keys ??= await Promise.all(secrets.toReversed().map(keyOf))
    return keys
  }
}

async function keyOf(text: string): Promise<SealKey> {
  const secret = new TextEncoder().encode(text)
  const id = await keyIdOf(secret)
  return new SealKey({ id, secret, usedFrom: 0, acceptedUntil: undefined })
}

/**
 * `env` and 30 bits derived from the secret, so that a seal names its key. The bits reveal
 * no more than the seal itself does when the attacker guesses secrets.
 */
async function keyIdOf(secret: Uint8Array): Promise<string> {
  const bytes = await deriveBytes(secret, 'key-id', 6)
  return `env${encodeBase64Url(bytes)}`.slice(0, KEY_ID_LENGTH)
}
