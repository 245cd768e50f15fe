/** Keys of an issuer elsewhere: found, kept, looked for again, and what happens when it does not answer. */
import { exportJWK } from 'jose'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkAlgorithms } from '../../../src/auth/resource/algorithms.ts'
import { RemoteKeys } from '../../../src/auth/resource/remote-keys.ts'
import { createPair, NOW, type SigningPair } from './issuer.ts'

const ISSUER = 'https://login.example/tenant'
const JWKS = 'https://login.example/keys'

let first: SigningPair
let second: SigningPair
let rsa: SigningPair
beforeAll(async () => {
  first = await createPair('first')
  second = await createPair('second')
  rsa = await createPair('rsa', 'RS256')
})

let now = NOW
beforeEach(() => {
  now = NOW
})

/** What everything that waits for nothing has long done before. */
async function settled(turns: number): Promise<string> {
  for (let turn = 0; turn < turns; turn += 1) await null
  return 'waited'
}

type Answer = Response | Error | 'silent'

/** Keys whose issuer answers by this table, and what it was asked. */
function open(answers: Record<string, () => Answer>, jwksUri: string | undefined = JWKS) {
  const asked: string[] = []
  const fetch = vi.fn(async (url: string, { signal, redirect }: RequestInit) => {
    asked.push(url)
    expect(redirect).toBe('manual')
    expect(signal?.aborted).toBe(false)
    const answer = answers[url]?.() ?? new Response(null, { status: 404 })
    if (answer instanceof Error) throw answer
    return answer === 'silent' ? new Promise<Response>(() => {}) : answer
  })
  const keys = new RemoteKeys({
    issuer: ISSUER,
    ...(jwksUri !== '' && { jwksUri }),
    algorithms: checkAlgorithms(['ES256', 'RS256', 'PS256']),
    fetch,
    now: () => now,
  })
  const find = (kid: string | undefined, alg: 'ES256' | 'RS256' | 'PS256' = 'ES256') =>
    keys.find({ kid, alg })
  return { asked, find }
}

const setOf = (...keys: readonly unknown[]) => Response.json({ keys })
const UNREACHABLE = new Error('unreachable')

describe('a key set', () => {
  it('is asked for once and gone by for ten minutes', async () => {
    const { asked, find } = open({ [JWKS]: () => setOf(first.jwk, second.jwk) })
    expect(asked).toEqual([])
    expect((await find('first'))?.algorithm).toEqual({ name: 'ECDSA', namedCurve: 'P-256' })
    now += 599_999
    expect(await find('second')).toBeDefined()
    expect(asked).toEqual([JWKS])
    now += 1
    expect(await find('second')).toBeDefined()
    expect(asked).toEqual([JWKS, JWKS])
  })

  it('is asked for again for a key that it did not have, but not more than twice a minute', async () => {
    let keys = [first.jwk]
    const { asked, find } = open({ [JWKS]: () => setOf(...keys) })
    await find('first')
    keys = [first.jwk, second.jwk]
    now += 29_999
    for (let guess = 0; guess < 50; guess += 1) expect(await find(`guess-${guess}`)).toBeUndefined()
    expect(await find('second')).toBeUndefined()
    expect(asked).toHaveLength(1)
    now += 1
    expect(await find('second')).toBeDefined()
    expect(await find('guess')).toBeUndefined()
    expect(asked).toHaveLength(2)
  })

  it('is asked for once by all who come together', async () => {
    const { asked, find } = open({ [JWKS]: () => setOf(first.jwk) })
    await Promise.all(Array.from({ length: 20 }, () => find('first')))
    expect(asked).toHaveLength(1)
  })

  it('is gone by as it was while one request asks for the new one', async () => {
    const slow = Promise.withResolvers<Response>()
    const answers: Promise<Response>[] = [Promise.resolve(setOf(first.jwk)), slow.promise]
    const keys = new RemoteKeys({
      issuer: ISSUER,
      jwksUri: JWKS,
      algorithms: checkAlgorithms(['ES256']),
      fetch: async () => answers.shift() ?? Promise.reject(new Error('asked too often')),
      now: () => now,
    })
    const find = (kid: string) => keys.find({ kid, alg: 'ES256' })
    await find('first')
    now += 600_000
    const renewing = find('first')
    expect(await Promise.race([find('first'), settled(20)])).toBeInstanceOf(CryptoKey)
    slow.resolve(setOf(second.jwk))
    expect(await renewing).toBeUndefined()
    expect(await find('second')).toBeDefined()
  })

  it('forgets a key that is no longer in it', async () => {
    let keys = [first.jwk, second.jwk]
    const { find } = open({ [JWKS]: () => setOf(...keys) })
    await find('first')
    keys = [second.jwk]
    now += 600_000
    expect(await find('first')).toBeUndefined()
  })

  it('gives a key only for the algorithm that it is for', async () => {
    const { alg: _alg, ...unspecified } = rsa.jwk
    const { find } = open({
      [JWKS]: () => setOf(first.jwk, rsa.jwk, { ...unspecified, kid: 'any' }),
    })
    expect(await find('first', 'RS256')).toBeUndefined()
    expect(await find('rsa', 'RS256')).toBeDefined()
    expect(await find('rsa', 'PS256')).toBeUndefined()
    expect((await find('any', 'RS256'))?.algorithm.name).toBe('RSASSA-PKCS1-v1_5')
    expect((await find('any', 'PS256'))?.algorithm.name).toBe('RSA-PSS')
  })

  it('gives the only key that fits to a token that names none, and none of several', async () => {
    const one = open({ [JWKS]: () => setOf(first.jwk, rsa.jwk) })
    expect(await one.find(undefined)).toBeDefined()
    const two = open({ [JWKS]: () => setOf(first.jwk, second.jwk) })
    expect(await two.find(undefined)).toBeUndefined()
  })

  it('may hold what is of no use here', async () => {
    const small = await crypto.subtle.generateKey(
      {
        name: 'RSASSA-PKCS1-v1_5',
        hash: 'SHA-256',
        modulusLength: 1024,
        publicExponent: new Uint8Array([1, 0, 1]),
      },
      true,
      ['sign', 'verify'],
    )
    const useless = [
      null,
      'key',
      {},
      { kty: 'oct', k: 'c2VjcmV0', kid: 'oct', alg: 'HS256' },
      { ...second.jwk, use: 'enc' },
      { ...second.jwk, key_ops: ['sign'] },
      { ...second.jwk, x: 'AAAA' },
      await exportJWK(second.privateKey).then((jwk) => ({ ...jwk, kid: 'second' })),
      { ...(await exportJWK((small as CryptoKeyPair).publicKey)), kid: 'small' },
    ]
    const { find } = open({ [JWKS]: () => setOf(...useless, first.jwk) })
    expect(await find('first')).toBeDefined()
    expect(await find('second')).toBeUndefined()
    expect(await find('oct')).toBeUndefined()
    expect(await find('small', 'RS256')).toBeUndefined()
  })
})

describe('an issuer that does not answer', () => {
  const faults: readonly [string, () => Answer, string][] = [
    ['cannot be reached', () => UNREACHABLE, 'unreachable'],
    ['has an error', () => new Response('no', { status: 500 }), 'status 500'],
    ['has nothing there', () => new Response('no', { status: 404 }), 'status 404'],
    [
      'sends one elsewhere',
      () => new Response(null, { status: 302, headers: { location: 'https://evil.example' } }),
      'status 302',
    ],
    ['says nothing', () => new Response(''), 'JSON'],
    ['says no JSON', () => new Response('<html>'), 'JSON'],
    ['says a list', () => Response.json([first.jwk]), 'not a JSON object'],
    ['has no keys', () => Response.json({}), 'has no keys'],
    [
      'says too much',
      () => Response.json({ keys: [], pad: 'x'.repeat(256 * 1024) }),
      'larger than 262144 bytes',
    ],
    ['says what is no text', () => new Response(new Uint8Array([0x7b, 0xff, 0x7d])), ''],
  ]
  it.each(faults)('fails those who ask, when it %s', async (_, answer, message) => {
    const { find } = open({ [JWKS]: answer })
    await expect(find('first')).rejects.toThrow(message)
  })

  it('stops reading where there is too much', async () => {
    let pulled = 0
    const endless = () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            pulled += 1
            controller.enqueue(new Uint8Array(16 * 1024).fill(32))
          },
        }),
      )
    await expect(open({ [JWKS]: endless }).find('first')).rejects.toThrow('larger than')
    expect(pulled).toBeLessThan(25)
  })

  it('is left alone for five seconds', async () => {
    let answer: () => Answer = () => UNREACHABLE
    const { asked, find } = open({ [JWKS]: () => answer() })
    await expect(find('first')).rejects.toThrow('unreachable')
    answer = () => setOf(first.jwk)
    now += 4_999
    await expect(find('first')).rejects.toThrow('unreachable')
    expect(asked).toHaveLength(1)
    now += 1
    expect(await find('first')).toBeDefined()
  })

  it('is given up on after five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { asked, find } = open({ [JWKS]: () => 'silent' })
      const outcome = expect(find('first')).rejects.toThrow('were not received in time')
      await vi.waitUntil(() => asked.length === 1)
      await vi.advanceTimersByTimeAsync(5000)
      await outcome
    } finally {
      vi.useRealTimers()
    }
  })

  it('is gone by as it was for another hour, and not longer', async () => {
    let answer: () => Answer = () => setOf(first.jwk)
    const { find } = open({ [JWKS]: () => answer() })
    await find('first')
    answer = () => UNREACHABLE
    now += 600_000
    expect(await find('first')).toBeDefined()
    // Nobody can tell whether it has a new key: that is not the caller's fault.
    await expect(find('second')).rejects.toThrow('unreachable')
    now += 3_599_999
    expect(await find('first')).toBeDefined()
    now += 1
    await expect(find('first')).rejects.toThrow('unreachable')
  })
})

describe('an address of keys that was not configured', () => {
  const OAUTH = 'https://login.example/.well-known/oauth-authorization-server/tenant'
  const OPENID = 'https://login.example/.well-known/openid-configuration/tenant'
  const APPENDED = 'https://login.example/tenant/.well-known/openid-configuration'
  const metadata =
    (changes = {}) =>
    () =>
      Response.json({ issuer: ISSUER, jwks_uri: JWKS, ...changes })

  it.each([OAUTH, OPENID, APPENDED])('is found at %s', async (url) => {
    const { asked, find } = open({ [url]: metadata(), [JWKS]: () => setOf(first.jwk) }, '')
    expect(await find('first')).toBeDefined()
    expect(asked.at(-2)).toBe(url)
    now += 600_000
    await find('first')
    expect(asked.slice(-2)).toEqual([JWKS, JWKS])
  })

  it.each([
    ['another issuer', { issuer: 'https://login.example' }],
    ['an issuer with a slash more', { issuer: `${ISSUER}/` }],
    ['no issuer', { issuer: undefined }],
    ['no address', { jwks_uri: undefined }],
    ['plain http', { jwks_uri: 'http://login.example/keys' }],
    ['a list', { jwks_uri: [JWKS] }],
    ['a file', { jwks_uri: 'file:///etc/passwd' }],
  ])('is not taken from a document with %s', async (_, changes) => {
    const answers = { [OAUTH]: metadata(changes), [JWKS]: () => setOf(first.jwk) }
    const { asked, find } = open(answers, '')
    await expect(find('first')).rejects.toThrow('does not say where its keys are')
    expect(asked).toEqual([OAUTH, OPENID, APPENDED])
  })

  it('is looked for again when there is nothing any more', async () => {
    let address = JWKS
    const moved = 'https://login.example/new-keys'
    const { find } = open(
      {
        [OAUTH]: () => Response.json({ issuer: ISSUER, jwks_uri: address }),
        [JWKS]: () => (address === JWKS ? setOf(first.jwk) : new Response(null, { status: 410 })),
        [moved]: () => setOf(second.jwk),
      },
      '',
    )
    expect(await find('first')).toBeDefined()
    address = moved
    now += 600_000
    expect(await find('first')).toBeDefined()
    now += 5_000
    expect(await find('first')).toBeUndefined()
    expect(await find('second')).toBeDefined()
  })

  it.each([
    ['http://login.example/keys'],
    ['http://other.example/keys'],
    ['login.example/keys'],
    ['data:application/json,{}'],
  ])('must not be configured as %s', (jwksUri) => {
    expect(() => open({}, jwksUri)).toThrow(TypeError)
  })
})
