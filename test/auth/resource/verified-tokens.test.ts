/** What is known of tokens from a moment ago: for how long, of how many, and what ends it. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { OAuthError } from '../../../src/auth/oauth-error.ts'
import type { AccessToken } from '../../../src/auth/resource/access-token.ts'
import { type CheckGrant, VerifiedTokens } from '../../../src/auth/resource/verified-tokens.ts'
import {
  admitted,
  claimsOf,
  createPair,
  NOW,
  NOW_SECONDS,
  openResource,
  refusalOf,
  type SigningPair,
  sign,
} from './issuer.ts'

let pair: SigningPair
let good: string
beforeAll(async () => {
  pair = await createPair('key-1')
  good = await sign(pair)
})

/** A resource whose grants can be ended, and that counts what it looks up. */
function openCounted(check: CheckGrant = async () => ({ active: true })) {
  const checkGrant = vi.fn(check)
  const verificationKey = vi.fn(async () => pair.publicKey)
  const opened = openResource(pair, { checkGrant, verificationKey })
  const counts = () => [verificationKey.mock.calls.length, checkGrant.mock.calls.length]
  return { ...opened, checkGrant, counts }
}

describe('a token that was seen', () => {
  it('is verified once, and its grant looked at once a second', async () => {
    const { present, advance, counts } = openCounted()
    await admitted(present(good))
    advance(999)
    await admitted(present(good))
    expect(counts()).toEqual([1, 1])
    advance(1)
    await admitted(present(good))
    await admitted(present(good))
    expect(counts()).toEqual([1, 2])
  })

  it('is verified anew after five minutes, whatever it says', async () => {
    const { present, advance, counts } = openCounted()
    await admitted(present(good))
    advance(299_999)
    await admitted(present(good))
    expect(counts()).toEqual([1, 2])
    advance(1)
    await admitted(present(good))
    expect(counts()).toEqual([2, 3])
  })

  it('ends when it expires, though it was good a moment ago', async () => {
    const { present, advance } = openCounted()
    const token = await sign(pair, claimsOf({ exp: NOW_SECONDS + 10 }))
    await admitted(present(token))
    advance(9_500)
    await admitted(present(token))
    advance(499)
    await admitted(present(token))
    // Its issuer has our own clock.
    advance(1)
    expect((await refusalOf(present(token))).message).toBe('The access token has expired')
  })

  it('tells the grant by its id and its key, as they were signed', async () => {
    const { present, checkGrant } = openCounted()
    await admitted(present(good))
    expect(checkGrant.mock.calls[0]?.[0]).toMatchObject({
      issuer: 'https://mcp.example.com',
      subject: 'owner',
      clientId: 'client-1',
      grantId: 'grant-1',
      grantKey: 'sealed-key',
      jkt: undefined,
      expiresAt: NOW + 3_600_000,
    })
  })

  it('gives the props of its grant, as of the last look', async () => {
    let plan = 'free'
    const { present, advance } = openCounted(async () => ({ active: true, props: { plan } }))
    expect((await admitted(present(good))).props).toEqual({ plan: 'free' })
    plan = 'paid'
    expect((await admitted(present(good))).props).toEqual({ plan: 'free' })
    advance(1000)
    expect((await admitted(present(good))).props).toEqual({ plan: 'paid' })
  })

  it('shares scopes that no handler can add to', async () => {
    const { present } = openCounted()
    const { scopes } = await admitted(present(good))
    expect(() => (scopes as string[]).push('write')).toThrow(TypeError)
    expect((await admitted(present(good))).scopes).toEqual(['read'])
  })

  it('shares props that no handler can change for the next one', async () => {
    const { present } = openCounted(async () => ({ active: true, props: { list: [{ a: 1 }] } }))
    const { props } = await admitted(present(good))
    const [item] = (props as { list: { a: number }[] }).list
    expect(() => Object.assign(item ?? {}, { a: 2 })).toThrow(TypeError)
    const again = await admitted(present(good))
    expect(again.props).toEqual({ list: [{ a: 1 }] })
    expect(again).not.toBe(await admitted(present(good)))
  })
})

describe('a grant that has ended', () => {
  it('ends its tokens within a second', async () => {
    let active = true
    const { present, advance, counts } = openCounted(async () => ({ active }))
    await admitted(present(good))
    active = false
    advance(999)
    await admitted(present(good))
    advance(1)
    const revoked = { status: 401, message: 'The access token has been revoked' }
    const { challenge, ...refusal } = await refusalOf(present(good))
    expect(refusal).toMatchObject(revoked)
    expect(challenge).toContain('error="invalid_token"')
    // Dropped: the next one is looked at from the beginning.
    expect(await refusalOf(present(good))).toMatchObject(revoked)
    expect(counts()).toEqual([2, 3])
  })

  it('ends them at once where this isolate was told, and no others', async () => {
    const ended = new Set<string>()
    const { server, present } = openCounted(async ({ grantId = '' }) => ({
      active: !ended.has(grantId),
    }))
    const other = await sign(pair, claimsOf({ gid: 'grant-2' }))
    const second = await sign(pair, claimsOf({ jti: 'token-2' }))
    for (const token of [good, second, other]) await admitted(present(token))
    ended.add('grant-1')
    ended.add('grant-2')
    server.forget('grant-1')
    for (const token of [good, second]) {
      expect((await refusalOf(present(token))).message).toBe('The access token has been revoked')
    }
    expect((await admitted(present(other))).subject).toBe('owner')
  })

  it('is not remembered as good by a look that began before', async () => {
    const answer = Promise.withResolvers<{ active: boolean }>()
    const looks = [answer.promise, { active: false }, { active: false }]
    const { server, present, checkGrant } = openCounted(
      async () => looks.shift() ?? { active: true },
    )
    const early = present(good)
    await vi.waitUntil(() => checkGrant.mock.calls.length === 1)
    // Time stands still: a request that comes after the end must not wait for that look.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      server.forget('grant-1')
      expect((await refusalOf(present(good))).status).toBe(401)
      answer.resolve({ active: true })
      await admitted(early)
      expect((await refusalOf(present(good))).status).toBe(401)
      expect(looks).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })

  it('is seen a second after the question that found it, however long the answer took', async () => {
    const opened = openCounted(async () => {
      opened.advance(600)
      return { active: true }
    })
    await admitted(opened.present(good))
    opened.advance(399)
    await admitted(opened.present(good))
    expect(opened.counts()).toEqual([1, 1])
    opened.advance(1)
    await admitted(opened.present(good))
    expect(opened.counts()).toEqual([1, 2])
  })

  it.each([undefined, 'true', 1])('is also one of which it is said: active %j', async (active) => {
    const { present } = openCounted(async () => ({ active: active as unknown as boolean }))
    expect((await refusalOf(present(good))).status).toBe(401)
  })
})

describe('a look at a grant that fails', () => {
  it('is 503, for a token that was good a moment ago as well, and heals', async () => {
    let fails = true
    const { present, advance, counts } = openCounted(async () => {
      if (fails) throw new Error('the object is gone')
      return { active: true }
    })
    expect((await refusalOf(present(good))).status).toBe(503)
    fails = false
    await admitted(present(good))
    fails = true
    advance(1000)
    expect((await refusalOf(present(good))).status).toBe(503)
    expect((await refusalOf(present(good))).status).toBe(503)
    fails = false
    await admitted(present(good))
    expect(counts()).toEqual([2, 5])
  })

  it.each([
    new OAuthError('invalid_grant', 'no'),
    new OAuthError('temporarily_unavailable', 'no'),
    new OAuthError('insufficient_scope', 'no'),
  ])('is 503 whatever it is called: $code', async (error) => {
    const { present } = openCounted(() => Promise.reject(error))
    const { status, challenge } = await refusalOf(present(good))
    expect([status, challenge]).toEqual([503, null])
  })

  it('is 503 when it takes more than five seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { present, checkGrant, events } = openCounted(() => new Promise(() => {}))
      const waiting = present(good)
      await vi.waitUntil(() => checkGrant.mock.calls.length === 1)
      await vi.advanceTimersByTimeAsync(5000)
      expect((await refusalOf(waiting)).status).toBe(503)
      expect(events).toEqual([
        {
          type: 'internal-error',
          error: new Error('The grant could not be checked in time'),
        },
      ])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('requests at the same time', () => {
  it('share one verification and one look', async () => {
    const { present, counts, advance } = openCounted()
    await Promise.all(Array.from({ length: 20 }, async () => admitted(present(good))))
    expect(counts()).toEqual([1, 1])
    advance(1000)
    await Promise.all(Array.from({ length: 20 }, async () => admitted(present(good))))
    expect(counts()).toEqual([1, 2])
  })

  it('share no token that is not theirs', async () => {
    const { present } = openCounted()
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, index) => sign(pair, claimsOf({ sub: `person-${index}` }))),
    )
    const infos = await Promise.all(tokens.map(async (token) => admitted(present(token))))
    expect(infos.map(({ subject }) => subject)).toEqual(
      Array.from({ length: 20 }, (_, index) => `person-${index}`),
    )
  })
})

describe('how many are kept', () => {
  const tokenOf = (text: string): AccessToken => ({
    issuer: 'https://mcp.example.com',
    subject: text,
    clientId: 'client-1',
    scopes: [],
    resource: 'https://mcp.example.com/mcp',
    resources: ['https://mcp.example.com/mcp'],
    expiresAt: NOW + 3_600_000,
    grantId: undefined,
    grantKey: undefined,
    jkt: undefined,
    claims: {},
  })

  it('is bounded, and those in use stay', async () => {
    let now = NOW
    const tokens = new VerifiedTokens({
      verify: async (text) => tokenOf(text),
      checkGrant: undefined,
      grantCheckMs: 1000,
      maxTokens: 3,
      now: () => now,
    })
    const heldOf = (names: string) => [...names].filter((name) => tokens.cached(name) !== undefined)
    for (const name of 'abc') await tokens.find(name)
    expect(heldOf('abcd')).toEqual(['a', 'b', 'c'])
    now += 1000
    await tokens.find('a')
    await tokens.find('d')
    now -= 1000
    expect(heldOf('abcd')).toEqual(['a', 'c', 'd'])
  })

  it('does not grow by what is refused', async () => {
    const verify = vi.fn(async (text: string) => {
      if (text !== 'good') throw new Error('no')
      return tokenOf(text)
    })
    const tokens = new VerifiedTokens({
      verify,
      checkGrant: undefined,
      grantCheckMs: 1000,
      maxTokens: 1,
      now: () => NOW,
    })
    await tokens.find('good')
    for (const text of ['x', 'y', 'z']) await expect(tokens.find(text)).rejects.toThrow('no')
    expect(tokens.cached('good')?.token.subject).toBe('good')
  })
})
