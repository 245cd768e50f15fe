/** When the grant of a verified token is checked again, and what its requests are answered with meanwhile. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { OAuthError } from '../../../src/auth/oauth-error.ts'
import type { CheckGrant } from '../../../src/auth/resource/verified-tokens.ts'
import { verifies } from '../../support/verifies.ts'
import {
  accepted,
  claimsOf,
  createPair,
  NOW_SECONDS,
  openCountedResource,
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

const openCounted = (check?: CheckGrant) => openCountedResource(pair, check)

/** A grant that a test revokes, and whose check it lets fail. */
function openSwitched() {
  const state = { active: true, fails: false }
  const opened = openCounted(async () => {
    if (state.fails) throw new Error('the object is gone')
    return { active: state.active }
  })
  return { ...opened, state }
}

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
    const { state, presentInBackground, advance, events } = openSwitched()
    await accepted((await presentInBackground(good)).outcome)
    state.active = false
    advance(20_000)
    const { outcome, checks } = await presentInBackground(good)
    await accepted(outcome)
    await Promise.all(checks)
    expect(events).toEqual([])
    const next = await presentInBackground(good)
    expect((await refusalOf(next.outcome)).message).toBe('The access token has been revoked')
  })

  it('reports a check that fails, and accepts the token until 30 seconds have passed', async () => {
    const { state, presentInBackground, advance, events } = openSwitched()
    await accepted((await presentInBackground(good)).outcome)
    state.fails = true
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
    const { outcome, checks } = await presentInBackground(token)
    await accepted(outcome)
    await Promise.all(checks)
    advance(1)
    const { message } = await refusalOf((await presentInBackground(token)).outcome)
    expect(message).toBe('The access token has expired')
  })

  it('does not accept a token that expires while its check is on the way', async () => {
    const answer = Promise.withResolvers<{ active: boolean }>()
    const answers = [{ active: true }, answer.promise]
    const { present, presentInBackground, advance, counts } = openCounted(
      async () => answers.shift() ?? { active: true },
    )
    const token = await sign(pair, claimsOf({ exp: NOW_SECONDS + 25 }))
    await accepted(present(token))
    advance(24_999)
    const { outcome, checks } = await presentInBackground(token)
    await accepted(outcome)
    advance(1)
    const late = present(token)
    answer.resolve({ active: true })
    expect((await refusalOf(late)).message).toBe('The access token has expired')
    expect([checks.length, counts()]).toEqual([1, [1, 2]])
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
    const { state, server, present, advance, counts } = openSwitched()
    await accepted(present(good))
    state.active = false
    advance(999)
    expect(await server.isStillAuthorized(requestWith(good))).toBe(true)
    expect(counts()).toEqual([1, 1])
    advance(1)
    expect(await server.isStillAuthorized(requestWith(good))).toBe(false)
  })

  it('rejects when the grant cannot be checked', async () => {
    const { state, server, present, advance } = openSwitched()
    await accepted(present(good))
    state.fails = true
    advance(1000)
    await expect(server.isStillAuthorized(requestWith(good))).rejects.toThrow('the object is gone')
  })
})

describe('VerifiedTokens after the grant was revoked', () => {
  it('rejects the token with the next check, and repeats the refusal for a second', async () => {
    verifies('token-revocation/revoked-tokens-of-clients')
    const { state, present, advance, counts } = openSwitched()
    await accepted(present(good))
    state.active = false
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
    verifies('token-revocation/revocation-is-immediate')
    const { state, presentInBackground, advance } = openSwitched()
    await accepted((await presentInBackground(good)).outcome)
    state.active = false
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
    server.evict({ grantId: 'grant-1' })
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
      server.evict({ grantId: 'grant-1' })
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
    const { state, present, advance, counts } = openSwitched()
    state.fails = true
    expect((await refusalOf(present(good))).status).toBe(503)
    state.fails = false
    await accepted(present(good))
    state.fails = true
    advance(30_000)
    expect((await refusalOf(present(good))).status).toBe(503)
    expect((await refusalOf(present(good))).status).toBe(503)
    state.fails = false
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
