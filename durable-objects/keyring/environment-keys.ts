/** Keys out of a secret that the deployment's environment holds, instead of the object's. */

import { encodeBase64Url } from '../../src/platform/base64.ts'
import { hkdf, SealKey } from './seal-key.ts'
import { KEY_ID_LENGTH } from './sealed-text.ts'

const MIN_SECRET_LENGTH = 32
const MAX_SECRETS = 8

/**
 * The secrets of a setting, newest first: the newest seals, all open. To rotate, put a new one in
 * front and take the old one out once nothing that it sealed is alive.
 *
 * @param setting secrets of 32 characters or more each, with white space between them
 * @throws {TypeError} for a secret that is too short, for none and for more than eight
 */
export function parseSecrets(setting: string): readonly string[] {
  const secrets = setting.split(/\s/).filter((secret) => secret !== '')
  if (secrets.length === 0 || secrets.some((secret) => secret.length < MIN_SECRET_LENGTH)) {
    throw new TypeError(
      `The sealing secret must have at least ${MIN_SECRET_LENGTH} characters, and so must each ` +
        'where white space separates a new one from previous ones: `openssl rand -base64 32` makes one',
    )
  }
  if (secrets.length > MAX_SECRETS) {
    throw new TypeError(`At most ${MAX_SECRETS} sealing secrets may be set at a time`)
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

async function keyOf(secret: string): Promise<SealKey> {
  const bytes = new TextEncoder().encode(secret)
  return new SealKey({
    id: await keyIdOf(bytes),
    secret: bytes,
    usedFrom: 0,
    acceptedUntil: undefined,
  })
}

/**
 * `env` and 30 bits derived from the secret, so that a seal names the one that opens it. They help
 * a guesser no more than the seal itself does.
 */
async function keyIdOf(secret: Uint8Array): Promise<string> {
  const base = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  const bits = await crypto.subtle.deriveBits(hkdf('key-id'), base, 48)
  return `env${encodeBase64Url(new Uint8Array(bits))}`.slice(0, KEY_ID_LENGTH)
}
