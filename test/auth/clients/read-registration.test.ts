/** Reads the body of a registration request. */
import { describe, expect, it } from 'vitest'
import { readRegistration } from '../../../src/auth/clients/registration.ts'

describe('readRegistration', () => {
  const post = (body: BodyInit, type = 'application/json') =>
    readRegistration(
      new Request('https://mcp.example.com/register', {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      }),
    )

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON'])(
    'accepts a body of type %s',
    async (type) => {
      expect(await post('{"a":1}', type)).toEqual({ a: 1 })
    },
  )

  it.each([
    ['a form', 'redirect_uris=x', 'application/x-www-form-urlencoded', 400],
    ['plain text', '{}', 'text/plain', 400],
    ['cut off', '{"a":', undefined, 400],
    ['empty', '', undefined, 400],
    ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), undefined, 400],
    ['one byte too large', `"${'x'.repeat(65_535)}"`, undefined, 413],
  ])('rejects a body that is %s', async (_, body, type, status) => {
    const refused = await post(body, type).catch((error: unknown) => error)
    expect(refused).toMatchObject({ name: 'OAuthError', code: 'invalid_client_metadata', status })
  })

  it('rejects a body without end at the limit', async () => {
    let chunks = 0
    const endless = new ReadableStream({
      pull(controller) {
        chunks += 1
        controller.enqueue(new Uint8Array(16_384))
      },
    })
    await expect(post(endless)).rejects.toMatchObject({ status: 413 })
    expect(chunks).toBeLessThan(10)
  })

  it('accepts a body of 64 KiB', async () => {
    expect(await post(`"${'x'.repeat(65_534)}"`)).toHaveLength(65_534)
  })

  it.each([
    ['nests more than 32 levels', `{"jwks":${'['.repeat(30_000)}${']'.repeat(30_000)}}`],
    ['has more than 10000 values', `[${'1,'.repeat(10_000)}1]`],
    ['repeats a key of an object', '{"scope":"read","scope":"write"}'],
  ])('rejects a body that %s', async (defect, body) => {
    await expect(post(body)).rejects.toMatchObject({
      code: 'invalid_client_metadata',
      status: 400,
      message: `The body ${defect}`,
    })
  })
})
