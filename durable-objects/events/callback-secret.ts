/** The secret of a callback as the client sends it. @see https://www.standardwebhooks.com */
const PREFIX = 'whsec_'

const BASE64 = /^[A-Za-z0-9+/]{32,86}={0,2}$/

const MIN_BYTES = 24
const MAX_BYTES = 64

/** Returns the key of a secret; undefined for a text that is none. Each key has one form, but for its padding. */
export function parseCallbackSecret(text: string): Uint8Array<ArrayBuffer> | undefined {
  const encoded = text.slice(PREFIX.length)
  if (!text.startsWith(PREFIX) || !BASE64.test(encoded)) return undefined
  const bare = encoded.replace(/={1,2}$/, '')
  const padded = bare.padEnd(Math.ceil(bare.length / 4) * 4, '=')
  if (encoded !== bare && encoded !== padded) return undefined
  try {
    const key = Uint8Array.fromBase64(padded, { lastChunkHandling: 'strict' })
    return key.length >= MIN_BYTES && key.length <= MAX_BYTES ? key : undefined
  } catch {
    // Not base64, or bits after the last byte.
    return undefined
  }
}
