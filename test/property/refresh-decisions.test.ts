/** Decisions about refresh tokens: any sequence of refreshes, with a model of the grant. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decideRefresh,
  narrowScopes,
  type PresentedSecret,
} from '../../durable-objects/account/decide-refresh.ts'
import { isRefused } from '../../durable-objects/account/grant-expiry.ts'
import type { RefreshSecret } from '../../durable-objects/account/grant-secrets.ts'
import type { GrantRow } from '../../durable-objects/account/schema.ts'
import type { RefreshRequest } from '../../src/ports/grant-tokens.ts'
import { verifies } from '../support/verifies.ts'
import { grantRow } from './grant-row.ts'
import { runs } from './settings.ts'

const GRACE_MS = 30
const IDLE_MS = 200

/** The token of a generation. One family derives one token per generation. */
const secretOf = (generation: number): RefreshSecret => ({
  generation,
  digest: `digest-${generation}`,
  bytes: new Uint8Array(),
  text: '',
})
const presentedOf = (generation: number): PresentedSecret => ({
  secret: secretOf(generation),
  successor: secretOf(generation + 1),
})

const request = (changes: Partial<RefreshRequest<string>> = {}): RefreshRequest<string> => ({
  grantId: 'grant',
  refreshSecret: '',
  clientId: 'a',
  scopes: undefined,
  resource: undefined,
  dpopJkt: undefined,
  ...changes,
})

const start = () => grantRow({ refresh_hash: secretOf(0).digest, refresh_until: IDLE_MS })

function rotated(row: GrantRow, { successor }: PresentedSecret, now: number): GrantRow {
  const { generation, digest } = successor
  return { ...row, generation, refresh_hash: digest, rotated_at: now, refresh_until: now + IDLE_MS }
}

const step = fc.record({ wait: fc.nat({ max: 60 }), back: fc.nat({ max: 3 }), ahead: fc.boolean() })

describe('decideRefresh', () => {
  it('follows a model in which each token is used once, or again within the grace until its successor is used', () => {
    verifies('oauth-2-1-grants/replay-of-refresh-tokens')
    verifies('oauth-security-practice/refresh-tokens-of-public-clients')
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
        let row = start()
        let now = 0
        /** When each token was first used, by generation. */
        const usedAt: number[] = []
        for (const { wait, back, ahead } of steps) {
          now += wait
          const newest = usedAt.length
          const generation = ahead ? newest + 1 : Math.max(0, newest - back)
          const presented = presentedOf(generation)
          const decision = decideRefresh(row, presented, request(), GRACE_MS, now)
          const isExpired = now >= (usedAt.at(-1) ?? 0) + IDLE_MS
          if (isExpired || generation > newest) {
            expect(isRefused(decision)).toBe(true)
            if (isExpired) return
            continue
          }
          if (isRefused(decision)) throw new Error(`Generation ${generation} is refused`)
          if (generation === newest) {
            expect(decision.action).toBe('rotate')
            usedAt.push(now)
            row = rotated(row, presented, now)
            continue
          }
          const isWithin = now < (usedAt[generation] ?? 0) + GRACE_MS
          const isSuccessorUsed = usedAt[generation + 1] !== undefined
          expect(decision.action).toBe(isWithin && !isSuccessorUsed ? 'repeat' : 'reuse')
          // Reuse revokes the grant.
          if (decision.action === 'reuse') return
        }
      }),
      runs(1000),
    )
  })

  it('refuses without any effect a request that does not belong to the grant, with any token', () => {
    verifies('oauth-2-1-grants/refresh-tokens-are-bound')
    const other = fc.constantFrom<Partial<RefreshRequest<string>>>(
      { clientId: 'b' },
      { resource: 'b' },
      { scopes: ['read', 'admin'] },
      { dpopJkt: 'another' },
      { dpopJkt: undefined },
    )
    const generation = fc.nat({ max: 4 })
    fc.assert(
      fc.property(
        other,
        generation,
        generation,
        fc.nat({ max: 100 }),
        (changes, newest, sent, now) => {
          const { digest: refresh_hash } = secretOf(newest)
          const row = { ...start(), generation: newest, refresh_hash, dpop_jkt: 'key' }
          const own = request({ dpopJkt: 'key', resource: 'a' })
          const decide = (asked: RefreshRequest<string>) =>
            decideRefresh(row, presentedOf(sent), asked, GRACE_MS, now)
          expect(isRefused(decide({ ...own, ...changes }))).toBe(true)
          expect(isRefused(decide(own))).toBe(sent > newest)
        },
      ),
      runs(1000),
    )
  })

  it('refuses a token of a generation that exists, with another secret, without revoking the grant', () => {
    fc.assert(
      fc.property(fc.nat({ max: 4 }), fc.nat({ max: 100 }), (generation, now) => {
        const row = { ...start(), generation, refresh_hash: secretOf(generation).digest }
        const forged = {
          ...presentedOf(generation),
          secret: { ...secretOf(generation), digest: 'x' },
        }
        expect(decideRefresh(row, forged, request(), GRACE_MS, now)).toMatchObject({
          refused: 'invalid_grant',
        })
      }),
      runs(100),
    )
  })
})

describe('narrowScopes', () => {
  it('grants the requested part of the granted scopes, in their order, and nothing more', () => {
    verifies('oauth-2-1-grants/refresh-scope')
    const scope = fc.constantFrom('read', 'write', 'admin', 'delete')
    const granted = fc.uniqueArray(scope)
    fc.assert(
      fc.property(granted, fc.option(fc.array(scope), { nil: undefined }), (own, wanted) => {
        const narrowed = narrowScopes(grantRow({ scopes: JSON.stringify(own) }), wanted)
        const isSubset = (wanted ?? []).every((name) => own.includes(name))
        const expected = own.filter((name) => wanted?.includes(name) ?? true)
        expect(narrowed).toEqual(isSubset ? expected : undefined)
      }),
      runs(500),
    )
  })
})
