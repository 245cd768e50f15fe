import { beforeAll, describe, expect, it, vi } from 'vitest'
import { OAuthError } from '../../../src/auth/oauth-error.ts'
import type { AccessToken } from '../../../src/auth/resource/access-token.ts'
import { DEFAULT_GRANT_CHECK_AGES } from '../../../src/auth/resource/grant-check-ages.ts'
import { type CheckGrant, VerifiedTokens } from '../../../src/auth/resource/verified-tokens.ts'
import {
  accepted,
  claimsOf,
  createPair,
  NOW,
  NOW_SECONDS,
  openResource,
  RESOURCE,
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

/** A resource with a grant check, and the number of verifications and grant checks. */
function openCounted(check: CheckGrant = async () => ({ active: true })) {
  const checkGrant = vi.fn(check)
  const verificationKey = vi.fn(async () => pair.publicKey)
  const opened = openResource(pair, { checkGrant, verificationKey })
  const counts = () => [verificationKey.mock.calls.length, checkGrant.mock.calls.length]
  return { ...opened, checkGrant, counts }
}

describe('VerifiedTokens', () => {
  it('verifies a token once and uses the check of its grant for 20 seconds', async () => {
    const { present, advance, counts } = openCounted()
    await accepted(present(good))
    advance(19_999)
    await accepted(present(good))
    expect(counts()).toEqual([1, 1])
    advance(1)
    await accepted(present(good))
    await accepted(present(good))
    expect(counts()).toEqual([1, 2])
  })

  it('verifies a token again after five minutes', async () => {
    const { present, advance, counts } = openCounted()
    await accepted(present(good))
    advance(299_999)
    await accepted(present(good))
    expect(counts()).toEqual([1, 2])
    advance(1)
    await accepted(present(good))
    expect(counts()).toEqual([2, 3])
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

  it('returns frozen scopes, because requests share them', async () => {
    const { present } = openCounted()
    const { scopes } = await accepted(present(good))
    expect(() => (scopes as string[]).push('write')).toThrow(TypeError)
    expect((await accepted(present(good))).scopes).toEqual(['read'])
  })

  it('returns deeply frozen props, because requests share them', async () => {
    const { present } = openCounted(async () => ({ active: true, props: { list: [{ a: 1 }] } }))
    const { props } = await accepted(present(good))
    const [item] = (props as { list: { a: number }[] }).list
    expect(() => Object.assign(item ?? {}, { a: 2 })).toThrow(TypeError)
    const again = await accepted(present(good))
    expect(again.props).toEqual({ list: [{ a: 1 }] })
    expect(() => Object.assign(again, { subject: 'other' })).toThrow(TypeError)
  })
})

describe('VerifiedTokens with a check that is 20 to 30 seconds old', () => {
  it('accepts the token at once and checks its grant after the response', async () => {
    const { presentInBackground, advance, counts } = openCounted()
    await accepted((await presentInBackground(good)).outcome)
    advance(29_999)
    const { outcome, checks } = await presentInBackground(good)
    await accepted(outcome)
    await Promise.all(checks)
    expect([checks.length, counts()]).toEqual([1, [1, 2]])
    // That check is the newest one now.
    advance(19_999)
    expect((await presentInBackground(good)).checks).toEqual([])
  })

  it('checks the grant once for all requests that arrive meanwhile', async () => {
    const answer = Promise.withResolvers<{ active: boolean }>()
    const answers = [{ active: true }, answer.promise]
    const { presentInBackground, advance, counts } = openCounted(
      async () => answers.shift() ?? { active: false },
    )
    await accepted((await presentInBackground(good)).outcome)
    advance(20_000)
    const all = await Promise.all(Array.from({ length: 20 }, () => presentInBackground(good)))
    for (const { outcome } of all) await accepted(outcome)
    answer.resolve({ active: true })
    await Promise.all(all.flatMap(({ checks }) => checks))
    expect(counts()).toEqual([1, 2])
  })

  it('rejects the next request when the check finds that the grant was revoked', async () => {
    let active = true
    const { presentInBackground, advance, events } = openCounted(async () => ({ active }))
    await accepted((await presentInBackground(good)).outcome)
    active = false
    advance(20_000)
    const { outcome, checks } = await presentInBackground(good)
    await accepted(outcome)
    await Promise.all(checks)
    expect(events).toEqual([])
    const next = await presentInBackground(good)
    expect((await refusalOf(next.outcome)).message).toBe('The access token has been revoked')
  })

  it('reports a check that fails, and accepts the token until 30 seconds have passed', async () => {
    let fails = false
    const { presentInBackground, advance, events } = openCounted(async () => {
      if (fails) throw new Error('the object is gone')
      return { active: true }
    })
    await accepted((await presentInBackground(good)).outcome)
    fails = true
    advance(29_999)
    const { outcome, checks } = await presentInBackground(good)
    await accepted(outcome)
    await Promise.all(checks)
    expect(events).toEqual([{ type: 'internal-error', error: new Error('the object is gone') }])
    advance(1)
    expect((await refusalOf((await presentInBackground(good)).outcome)).status).toBe(503)
  })

  it('does not accept a token that has expired meanwhile', async () => {
    const { presentInBackground, advance } = openCounted()
    const token = await sign(pair, claimsOf({ exp: NOW_SECONDS + 25 }))
    await accepted((await presentInBackground(token)).outcome)
    advance(24_999)
    await accepted((await presentInBackground(token)).outcome)
    advance(1)
    const { message } = await refusalOf((await presentInBackground(token)).outcome)
    expect(message).toBe('The access token has expired')
  })

  it('waits for the check of every request when the maximum age is 0', async () => {
    const checkGrant = vi.fn(async () => ({ active: true }))
    const { presentInBackground } = openResource(pair, {
      checkGrant,
      grantChecks: { grantCheckFreshMs: 20_000, grantCheckMaxAgeMs: 0 },
    })
    for (let call = 1; call <= 3; call++) {
      const { outcome, checks } = await presentInBackground(good)
      await accepted(outcome)
      expect([checks, checkGrant.mock.calls.length]).toEqual([[], call])
    }
  })
})

describe('ResourceServer.isStillAuthorized', () => {
  const requestWith = (token: string) =>
    new Request(RESOURCE, { headers: { authorization: `Bearer ${token}` } })

  it('checks the grant of an open stream unless the last check is younger than a second', async () => {
    let active = true
    const { server, present, advance, counts } = openCounted(async () => ({ active }))
    await accepted(present(good))
    active = false
    advance(999)
    expect(await server.isStillAuthorized(requestWith(good))).toBe(true)
    expect(counts()).toEqual([1, 1])
    advance(1)
    expect(await server.isStillAuthorized(requestWith(good))).toBe(false)
  })

  it('rejects when the grant cannot be checked', async () => {
    let fails = false
    const { server, present, advance } = openCounted(async () => {
      if (fails) throw new Error('the object is gone')
      return { active: true }
    })
    await accepted(present(good))
    fails = true
    advance(1000)
    await expect(server.isStillAuthorized(requestWith(good))).rejects.toThrow('the object is gone')
  })
})

describe('VerifiedTokens after the grant was revoked', () => {
  it('rejects the token with the next check, and repeats the refusal for a second', async () => {
    let active = true
    const { present, advance, counts } = openCounted(async () => ({ active }))
    await accepted(present(good))
    active = false
    advance(20_000)
    const revoked = { status: 401, message: 'The access token has been revoked' }
    const { challenge, ...refusal } = await refusalOf(present(good))
    expect(refusal).toMatchObject(revoked)
    expect(challenge).toContain('error="invalid_token"')
    advance(999)
    expect(await refusalOf(present(good))).toMatchObject(revoked)
    expect(counts()).toEqual([1, 2])
    // Evicted: the next check verifies the token again.
    advance(1)
    expect(await refusalOf(present(good))).toMatchObject(revoked)
    expect(counts()).toEqual([2, 3])
  })

  it('rejects the token 30 seconds after the last check at the latest', async () => {
    let active = true
    const { presentInBackground, advance } = openCounted(async () => ({ active }))
    await accepted((await presentInBackground(good)).outcome)
    active = false
    advance(30_000)
    const { outcome, checks } = await presentInBackground(good)
    expect([(await refusalOf(outcome)).status, checks]).toEqual([401, []])
  })

  it('rejects tokens of an evicted grant at once, and no others', async () => {
    const ended = new Set<string>()
    const { server, present } = openCounted(async ({ grantId = '' }) => ({
      active: !ended.has(grantId),
    }))
    const other = await sign(pair, claimsOf({ gid: 'grant-2' }))
    const second = await sign(pair, claimsOf({ jti: 'token-2' }))
    for (const token of [good, second, other]) await accepted(present(token))
    ended.add('grant-1')
    ended.add('grant-2')
    server.evictGrant('grant-1')
    for (const token of [good, second]) {
      expect((await refusalOf(present(token))).message).toBe('The access token has been revoked')
    }
    expect((await accepted(present(other))).subject).toBe('owner')
  })

  it('does not cache the result of a grant check that began before the eviction', async () => {
    const answer = Promise.withResolvers<{ active: boolean }>()
    const checks = [answer.promise, { active: false }, { active: false }]
    const { server, present, checkGrant } = openCounted(
      async () => checks.shift() ?? { active: true },
    )
    const early = present(good)
    await vi.waitUntil(() => checkGrant.mock.calls.length === 1)
    // With stopped timers, a later request that waited for that check would never end.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      server.evictGrant('grant-1')
      expect((await refusalOf(present(good))).status).toBe(401)
      answer.resolve({ active: true })
      await accepted(early)
      expect((await refusalOf(present(good))).status).toBe(401)
      expect(checks).toEqual([])
    } finally {
      vi.useRealTimers()
    }
  })

  it('checks the grant again 20 seconds after the previous check began', async () => {
    const opened = openCounted(async () => {
      opened.advance(600)
      return { active: true }
    })
    await accepted(opened.present(good))
    opened.advance(19_399)
    await accepted(opened.present(good))
    expect(opened.counts()).toEqual([1, 1])
    opened.advance(1)
    await accepted(opened.present(good))
    expect(opened.counts()).toEqual([1, 2])
  })

  it.each([undefined, 'true', 1])(
    'rejects the token when the check returns active %j',
    async (active) => {
      const { present } = openCounted(async () => ({ active: active as unknown as boolean }))
      expect((await refusalOf(present(good))).status).toBe(401)
    },
  )
})

describe('VerifiedTokens when a grant check fails', () => {
  it('answers 503, also for a cached token, and recovers', async () => {
    let fails = true
    const { present, advance, counts } = openCounted(async () => {
      if (fails) throw new Error('the object is gone')
      return { active: true }
    })
    expect((await refusalOf(present(good))).status).toBe(503)
    fails = false
    await accepted(present(good))
    fails = true
    advance(30_000)
    expect((await refusalOf(present(good))).status).toBe(503)
    expect((await refusalOf(present(good))).status).toBe(503)
    fails = false
    await accepted(present(good))
    expect(counts()).toEqual([2, 5])
  })

  it.each([
    new OAuthError('invalid_grant', 'no'),
    new OAuthError('temporarily_unavailable', 'no'),
    new OAuthError('insufficient_scope', 'no'),
  ])('answers 503 for the OAuth error $code', async (error) => {
    const { present } = openCounted(() => Promise.reject(error))
    const { status, challenge } = await refusalOf(present(good))
    expect([status, challenge]).toEqual([503, null])
  })

  it('answers 503 when the check takes more than five seconds', async () => {
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
