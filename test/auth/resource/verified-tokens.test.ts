import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { AccessToken } from '../../../src/auth/resource/access-token.ts'
import {
  type CheckGrant,
  DEFAULT_GRANT_CHECK_AGES,
  VerifiedTokens,
} from '../../../src/auth/resource/verified-tokens.ts'
import {
  accepted,
  claimsOf,
  createPair,
  NOW,
  NOW_SECONDS,
  openCountedResource,
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

const openCounted = (check?: CheckGrant) => openCountedResource(pair, check)

describe('VerifiedTokens', () => {
  it('verifies a token for five minutes, and uses the check of its grant for 20 seconds', async () => {
    const { present, advance, counts } = openCounted()
    await accepted(present(good))
    advance(19_999)
    await accepted(present(good))
    expect(counts()).toEqual([1, 1])
    advance(1)
    await accepted(present(good))
    await accepted(present(good))
    expect(counts()).toEqual([1, 2])
    advance(279_999)
    await accepted(present(good))
    expect(counts()).toEqual([1, 3])
    advance(1)
    await accepted(present(good))
    expect(counts()).toEqual([2, 4])
  })

  it('rejects a cached token when it expires', async () => {
    const { present, advance } = openCounted()
    const token = await sign(pair, claimsOf({ exp: NOW_SECONDS + 10 }))
    await accepted(present(token))
    advance(9_500)
    await accepted(present(token))
    advance(499)
    await accepted(present(token))
    // The embedded issuer uses the same clock, so no difference is accepted.
    advance(1)
    expect((await refusalOf(present(token))).message).toBe('The access token has expired')
  })

  it('passes the signed grant id and key to the grant check', async () => {
    const { present, checkGrant } = openCounted()
    await accepted(present(good))
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

  it('returns the props of the last grant check', async () => {
    let plan = 'free'
    const { present, advance } = openCounted(async () => ({ active: true, props: { plan } }))
    expect((await accepted(present(good))).props).toEqual({ plan: 'free' })
    plan = 'paid'
    expect((await accepted(present(good))).props).toEqual({ plan: 'free' })
    advance(20_000)
    expect((await accepted(present(good))).props).toEqual({ plan: 'paid' })
  })

  it('returns deeply frozen scopes and props, because requests share them', async () => {
    const { present } = openCounted(async () => ({ active: true, props: { list: [{ a: 1 }] } }))
    const { props, scopes } = await accepted(present(good))
    const [item] = (props as { list: { a: number }[] }).list
    expect(() => Object.assign(item ?? {}, { a: 2 })).toThrow(TypeError)
    expect(() => (scopes as string[]).push('write')).toThrow(TypeError)
    const again = await accepted(present(good))
    expect([again.props, again.scopes]).toEqual([{ list: [{ a: 1 }] }, ['read']])
    expect(() => Object.assign(again, { subject: 'other' })).toThrow(TypeError)
  })
})

describe('VerifiedTokens with concurrent requests', () => {
  it('verifies the token and checks its grant once', async () => {
    const { present, counts, advance } = openCounted()
    await Promise.all(Array.from({ length: 20 }, async () => accepted(present(good))))
    expect(counts()).toEqual([1, 1])
    advance(30_000)
    await Promise.all(Array.from({ length: 20 }, async () => accepted(present(good))))
    expect(counts()).toEqual([1, 2])
  })

  it('returns to each request its own token', async () => {
    const { present } = openCounted()
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, index) => sign(pair, claimsOf({ sub: `person-${index}` }))),
    )
    const infos = await Promise.all(tokens.map(async (token) => accepted(present(token))))
    expect(infos.map(({ subject }) => subject)).toEqual(
      Array.from({ length: 20 }, (_, index) => `person-${index}`),
    )
  })
})

describe('VerifiedTokens with a full cache', () => {
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

  it('evicts the least recently used token', async () => {
    let now = NOW
    const tokens = new VerifiedTokens({
      verify: async (text) => tokenOf(text),
      checkGrant: async () => ({ active: true }),
      grantChecks: DEFAULT_GRANT_CHECK_AGES,
      maxTokens: 3,
      now: () => now,
    })
    const cachedOf = (names: string) =>
      [...names].filter((name) => tokens.cached(name) !== undefined)
    for (const name of 'abc') await tokens.find(name)
    expect(cachedOf('abcd')).toEqual(['a', 'b', 'c'])
    now += 20_000
    await tokens.find('a')
    await tokens.find('d')
    now -= 20_000
    expect(cachedOf('abcd')).toEqual(['a', 'c', 'd'])
  })

  it('does not cache rejected tokens', async () => {
    const verify = vi.fn(async (text: string) => {
      if (text !== 'good') throw new Error('no')
      return tokenOf(text)
    })
    const tokens = new VerifiedTokens({
      verify,
      checkGrant: undefined,
      grantChecks: DEFAULT_GRANT_CHECK_AGES,
      maxTokens: 1,
      now: () => NOW,
    })
    await tokens.find('good')
    for (const text of ['x', 'y', 'z']) await expect(tokens.find(text)).rejects.toThrow('no')
    expect(tokens.cached('good')?.token.subject).toBe('good')
  })
})
