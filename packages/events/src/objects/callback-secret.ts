/** The secret of a callback as the client sends it. @see https://www.standardwebhooks.com */
const PREFIX = 'whsec_'

const MIN_BYTES = 24
const MAX_BYTES = 64

/** Of the base64 of the longest secret, with its padding. */
const MAX_LENGTH = PREFIX.length + 88

/** Returns the key of a secret; undefined for a text that is none. Each key has one form, but for its padding. */
export function parseCallbackSecret(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!text.startsWith(PREFIX) || text.length > MAX_LENGTH) return undefined
  const encoded = text.slice(PREFIX.length)
  try {
    const key = Uint8Array.fromBase64(encoded)
    const isSecret = key.length >= MIN_BYTES && key.length <= MAX_BYTES
    const forms = [false, true].map((omitPadding) => key.toBase64({ omitPadding }))
    return isSecret && forms.includes(encoded) ? key : undefined
  } catch {
    // Not base64.
    return undefined
  }
}
