/** Secrets and signatures of Standard Webhooks. */
import { describe, expect, it } from 'vitest'
import { parseCallbackSecret } from '../../src/objects/callback-secret.ts'
import { signMessage } from '../../src/objects/subscriber/signature.ts'

const bytes = (length: number) => Uint8Array.from({ length }, (_, index) => index).toBase64()

describe('the secret of a callback', () => {
  it.each([24, 25, 26, 32, 63, 64])('has %i bytes, with or without padding', (length) => {
    const encoded = bytes(length)
    for (const text of [encoded, encoded.replace(/=+$/, '')]) {
      expect(parseCallbackSecret(`whsec_${text}`)?.byteLength).toBe(length)
    }
  })

  it.each([
    '',
    'whsec_',
    bytes(32),
    `whsec-${bytes(32)}`,
    `WHSEC_${bytes(32)}`,
    `whsec_${bytes(8)}`,
    `whsec_${bytes(23)}`,
    `whsec_${bytes(65)}`,
    `whsec_${bytes(32)} `,
    `whsec_ ${bytes(32)}`,
    `whsec_${bytes(32)}=`,
    `whsec_${bytes(25).replace('==', '=')}`,
    // Bits after the last byte.
    `whsec_${bytes(25).replace(/.==$/, 'H==')}`,
    `whsec_${'-_'.repeat(20)}`,
    `whsec_${'ä'.repeat(40)}`,
    `whsec_whsec_${bytes(32)}`,
  ])('is refused as %j', (text) => {
    expect(parseCallbackSecret(text)).toBeUndefined()
  })
})

describe('the signature of a message', () => {
  // The example of the Standard Webhooks libraries.
  const key = parseCallbackSecret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    subscription: 'sub_1',
    body: '{"test": 2432232314}',
  }
  const at = 1_614_265_330_999

  it('is that of the libraries', async () => {
    if (key === undefined) throw new Error('The secret of the example')
    const { headers, body } = await signMessage(message, [key], at)
    expect(headers).toEqual({
      'content-type': 'application/json',
      'user-agent': 'edgeway',
      'webhook-id': message.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      'x-mcp-subscription-id': 'sub_1',
    })
    expect(new TextDecoder().decode(body)).toBe(message.body)
  })

  it('is there once for each key, the newest first', async () => {
    if (key === undefined) throw new Error('The secret of the example')
    const other = new Uint8Array(24)
    const one = (await signMessage(message, [key], at)).headers['webhook-signature']
    const two = (await signMessage(message, [other], at)).headers['webhook-signature']
    const both = await signMessage(message, [other, key], at)
    expect(both.headers['webhook-signature']).toBe(`${two} ${one}`)
  })
})
