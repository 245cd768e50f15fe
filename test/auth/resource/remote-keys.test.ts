import { exportJWK } from 'jose'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkAlgorithms } from '../../../src/auth/resource/algorithms.ts'
import { RemoteKeys } from '../../../src/auth/resource/remote-keys.ts'
import { verifies } from '../../support/verifies.ts'
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

/** Resolves after more microtasks than work without I/O needs. */
async function afterTurns(turns: number): Promise<string> {
  for (let turn = 0; turn < turns; turn += 1) await null
  return 'waited'
}

type Answer = Response | Error | 'silent'

/** Keys of an issuer that answers from this table, and the URLs that were requested. */
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

describe('RemoteKeys', () => {
  it('fetches a key set once in ten minutes', async () => {
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

  it('fetches the key set again for an unknown key, at most twice a minute', async () => {
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

  it('fetches the key set once for concurrent requests', async () => {
    const { asked, find } = open({ [JWKS]: () => setOf(first.jwk) })
    await Promise.all(Array.from({ length: 20 }, () => find('first')))
    expect(asked).toHaveLength(1)
  })

  it('uses the stale key set while one request fetches it again', async () => {
    const slow = Promise.withResolvers<Response>()
    const answers: Promise<Response>[] = [Promise.resolve(setOf(first.jwk)), slow.promise]
    const keys = new RemoteKeys({
      issuer: ISSUER,
      jwksUri: JWKS,
      algorithms: checkAlgorithms(['ES256']),
      fetch: async () => answers.shift() ?? Promise.reject(new Error('fetched too often')),
      now: () => now,
    })
    const find = (kid: string) => keys.find({ kid, alg: 'ES256' })
    await find('first')
    now += 600_000
    const renewing = find('first')
    expect(await Promise.race([find('first'), afterTurns(20)])).toBeInstanceOf(CryptoKey)
    slow.resolve(setOf(second.jwk))
    expect(await renewing).toBeUndefined()
    expect(await find('second')).toBeDefined()
  })

  it('forgets a key that is no longer in the key set', async () => {
    let keys = [first.jwk, second.jwk]
    const { find } = open({ [JWKS]: () => setOf(...keys) })
    await find('first')
    keys = [second.jwk]
    now += 600_000
    expect(await find('first')).toBeUndefined()
  })

  it('returns a key only for its own algorithm', async () => {
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

  it('returns the only possible key to a token without key id, and none of several', async () => {
    const one = open({ [JWKS]: () => setOf(first.jwk, rsa.jwk) })
    expect(await one.find(undefined)).toBeDefined()
    const two = open({ [JWKS]: () => setOf(first.jwk, second.jwk) })
    expect(await two.find(undefined)).toBeUndefined()
  })

  it('ignores unusable keys', async () => {
    const params = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 1024 }
    const small = (await crypto.subtle.generateKey(
      { ...params, publicExponent: new Uint8Array([1, 0, 1]) },
      true,
      ['sign', 'verify'],
    )) as CryptoKeyPair
    const unusable = [
      ...[null, 'key', {}],
      { kty: 'oct', k: 'c2VjcmV0', kid: 'oct', alg: 'HS256' },
      { ...second.jwk, use: 'enc' },
      { ...second.jwk, key_ops: ['sign'] },
      { ...second.jwk, x: 'AAAA' },
      { ...(await exportJWK(second.privateKey)), kid: 'second' },
      { ...(await exportJWK(small.publicKey)), kid: 'small' },
    ]
    const { find } = open({ [JWKS]: () => setOf(...unusable, first.jwk) })
    expect(await find('first')).toBeDefined()
    for (const kid of ['second', 'oct']) expect(await find(kid)).toBeUndefined()
    expect(await find('small', 'RS256')).toBeUndefined()
  })
})

describe('RemoteKeys while the issuer fails', () => {
  const EVIL = { location: 'https://evil.example' }
  const LARGE = { keys: [], pad: 'x'.repeat(256 * 1024) }
  const faults: readonly [string, () => Answer, string][] = [
    ['cannot be reached', () => UNREACHABLE, 'unreachable'],
    ['responds with an error', () => new Response('no', { status: 500 }), 'status 500'],
    ['responds with 404', () => new Response('no', { status: 404 }), 'status 404'],
    ['redirects', () => new Response(null, { status: 302, headers: EVIL }), 'status 302'],
    ['responds with an empty body', () => new Response(''), 'JSON'],
    ['responds without JSON', () => new Response('<html>'), 'JSON'],
    ['responds with a list', () => Response.json([first.jwk]), 'not a JSON object'],
    ['responds with a document without keys', () => Response.json({}), 'has no keys'],
    ['responds with more than 256 KB', () => Response.json(LARGE), 'larger than 262144 bytes'],
    ['responds with no UTF-8', () => new Response(new Uint8Array([0x7b, 0xff, 0x7d])), ''],
  ]
  it.each(faults)('throws when the issuer %s', async (_, answer, message) => {
    const { find } = open({ [JWKS]: answer })
    await expect(find('first')).rejects.toThrow(message)
  })

  it('stops reading a response that is too large', async () => {
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

  it('does not fetch again for five seconds after a failure', async () => {
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

  it('throws when the issuer does not respond within five seconds', async () => {
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

  it('uses the stale key set for another hour', async () => {
    let answer: () => Answer = () => setOf(first.jwk)
    const { find } = open({ [JWKS]: () => answer() })
    await find('first')
    answer = () => UNREACHABLE
    now += 600_000
    expect(await find('first')).toBeDefined()
    // The issuer may have a new key, so the token is not rejected as invalid.
    await expect(find('second')).rejects.toThrow('unreachable')
    now += 3_599_999
    expect(await find('first')).toBeDefined()
    now += 1
    await expect(find('first')).rejects.toThrow('unreachable')
  })
})

describe('RemoteKeys without jwksUri', () => {
  const OAUTH = 'https://login.example/.well-known/oauth-authorization-server/tenant'
  const OPENID = 'https://login.example/.well-known/openid-configuration/tenant'
  const APPENDED = 'https://login.example/tenant/.well-known/openid-configuration'
  const metadata =
    (changes = {}) =>
    () =>
      Response.json({ issuer: ISSUER, jwks_uri: JWKS, ...changes })

  it.each([OAUTH, OPENID, APPENDED])(
    'discovers the key set from the metadata at %s',
    async (url) => {
      verifies('authorization-server-metadata/path-of-an-issuer')
      const { asked, find } = open({ [url]: metadata(), [JWKS]: () => setOf(first.jwk) }, '')
      expect(await find('first')).toBeDefined()
      expect(asked.at(-2)).toBe(url)
      now += 600_000
      await find('first')
      expect(asked.slice(-2)).toEqual([JWKS, JWKS])
    },
  )

  it.each([
    ['another issuer', { issuer: 'https://login.example' }],
    ['an issuer with a trailing slash', { issuer: `${ISSUER}/` }],
    ['no issuer', { issuer: undefined }],
    ['no jwks_uri', { jwks_uri: undefined }],
    ['a jwks_uri with plain http', { jwks_uri: 'http://login.example/keys' }],
    ['a jwks_uri that is a list', { jwks_uri: [JWKS] }],
    ['a jwks_uri that is a file', { jwks_uri: 'file:///etc/passwd' }],
  ])('rejects metadata with %s', async (_, changes) => {
    verifies('authorization-server-metadata/impersonation')
    verifies('authorization-server-metadata/issuer-is-compared', { row: 'another issuer' })
    verifies('authorization-server-metadata/metadata-of-another-issuer', {
      row: 'an issuer with a trailing slash',
    })
    const answers = { [OAUTH]: metadata(changes), [JWKS]: () => setOf(first.jwk) }
    const { asked, find } = open(answers, '')
    await expect(find('first')).rejects.toThrow('does not name a key set')
    expect(asked).toEqual([OAUTH, OPENID, APPENDED])
  })

  it('discovers the key set again when the fetch failed', async () => {
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
  ])('rejects the configured jwksUri %s', (jwksUri) => {
    verifies('enterprise-managed-authorization/tls')
    verifies('enterprise-managed-authorization/insecure-channels')
    verifies('enterprise-managed-authorization/keys')
    expect(() => open({}, jwksUri)).toThrow(TypeError)
  })
})
