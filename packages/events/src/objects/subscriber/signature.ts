/** Signatures of Standard Webhooks. @see https://www.standardwebhooks.com */
import { encodeBase64 } from '../../../../../src/platform/base64.ts'
import { joinBytes } from '../../../../../src/platform/join-bytes.ts'

const HMAC = { name: 'HMAC', hash: 'SHA-256' }

/** One message to a callback. Each attempt has a new time, and the same id. */
export interface Message {
  readonly id: string
  readonly subscription: string
  /** JSON. */
  readonly body: string
}

/** What is sent: the very bytes that were signed. */
export interface SignedMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** @param keys that of the newest secret first */
export async function signMessage(
  { id, subscription, body }: Message,
  keys: readonly Uint8Array<ArrayBuffer>[],
  now: number,
): Promise<SignedMessage> {
  const encoder = new TextEncoder()
  const bytes = encoder.encode(body)
  const timestamp = String(Math.floor(now / 1000))
  const signed = joinBytes([encoder.encode(`${id}.${timestamp}.`), bytes])
  const signatures = await Promise.all(keys.map((key) => signatureOf(key, signed)))
  return {
    headers: {
      'content-type': 'application/json',
      'user-agent': 'edgeway',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
      'x-mcp-subscription-id': subscription,
    },
    body: bytes,
  }
}

async function signatureOf(
  key: Uint8Array<ArrayBuffer>,
  signed: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const hmacKey = await crypto.subtle.importKey('raw', key, HMAC, false, ['sign'])
  return `v1,${encodeBase64(new Uint8Array(await crypto.subtle.sign('HMAC', hmacKey, signed)))}`
}
