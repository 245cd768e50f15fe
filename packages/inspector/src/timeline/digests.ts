/** Digests of what must not be stored: networks, client ids and session ids, with a key of the deployment. */
import { encodeBase64Url } from '../../../../src/platform/base64.ts'
import { encodeUtf8 } from '../../../../src/platform/utf8.ts'

/** 48 bits: enough to tell apart what a few hours bring. */
const DIGEST_BYTES = 6

export type Digest = (purpose: string, text: string) => Promise<string>

/** @param key text of the timeline's settings */
export function createDigest(key: string): Digest {
  const imported = crypto.subtle.importKey(
    'raw',
    encodeUtf8(key),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  )
  return async (purpose, text) => {
    const data = encodeUtf8(`${purpose} ${text}`)
    const mac = await crypto.subtle.sign('HMAC', await imported, data)
    return encodeBase64Url(new Uint8Array(mac).slice(0, DIGEST_BYTES))
  }
}

/** Between 0 and 1, the same for a digest everywhere. */
export function shareOf(digest: string): number {
  let number = 0
  for (const character of digest) number = (number * 64 + (character.codePointAt(0) ?? 0)) % 10_007
  return number / 10_007
}
