/** What holds of codes and refresh tokens whatever is called at once: winners, losers, honest clients, forgers. */
import { evictDurableObject } from 'cloudflare:test'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  connect,
  DAY_MS,
  GRANT,
  INVALID_GRANT,
  isAlive,
  issued,
  MINUTE_MS,
  NOON,
  pass,
  redemptionOf,
  refreshing,
  SECOND_MS,
} from '../../contracts/accounts/person.ts'
import { openAccounts, rowsOf, within } from './account.ts'
import { FAULTS } from './holder.ts'
import type { Fault } from './model.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Hundreds of calls. */
const TIMEOUT = { timeout: 60_000 }

it(
  'a code has one winner, if anybody has everything right, and nothing after it was replayed',
  TIMEOUT,
  async () => {
    const { accounts, stubOfSubject } = openAccounts()
    const stub = await stubOfSubject('ada')
    const account = accounts.of('ada')
    const bystander = await connect(account)
    const faults = fc.array(fc.constantFrom<Fault>('none', 'client', 'resource', 'verifier'), {
      minLength: 1,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(faults, async (at) => {
        const { grantId, codeSecret } = await account.approve(GRANT)
        const redemption = redemptionOf(codeSecret)
        const answers = await within(stub, 'ada', (inside) =>
          Promise.all(at.map((wrong) => inside.redeemCode({ ...redemption, ...FAULTS[wrong] }))),
        )
        const right = at.filter((wrong) => wrong === 'none').length
        const winners = answers.filter((answer) => !('refused' in answer))
        expect(winners).toHaveLength(Math.min(right, 1))
        expect((await account.check(grantId, undefined)).active).toBe(right === 1)
        if (right === 0) expect(await account.redeemCode(redemption)).toMatchObject({ grantId })
        await account.revoke(grantId)
      }),
      { numRuns: 60 },
    )
    expect(await isAlive(account, bystander)).toBe(true)
  },
)

it(
  'an honest client is never locked out, whatever answers it loses and however often it asks',
  TIMEOUT,
  async () => {
    const { accounts, stubOfSubject } = openAccounts()
    const stub = await stubOfSubject('ada')
    const account = accounts.of('ada')
    const turn = fc.record({
      wait: fc.constantFrom(0, SECOND_MS, MINUTE_MS, DAY_MS, 59 * DAY_MS),
      // Tries of one refresh, each of some requests at once; all answers but the last one's are lost.
      tries: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
      evict: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), async (turns) => {
        const grant = await connect(account)
        let secret = grant.refreshSecret
        for (const { wait, tries, evict } of turns) {
          pass(wait)
          const given = new Set<string>()
          for (const requests of tries) {
            const answers = await within(stub, 'ada', (inside) =>
              Promise.all(
                Array.from({ length: requests }, () => refreshing(inside, grant, secret)),
              ),
            )
            for (const answer of answers) given.add(issued(answer).refreshSecret)
            if (evict) await evictDurableObject(stub)
            pass(7 * SECOND_MS)
          }
          expect(given.size).toBe(1)
          secret = [...given][0] ?? ''
        }
        expect(await isAlive(account, grant)).toBe(true)
        await account.revoke(grant.grantId)
      }),
      { numRuns: 25 },
    )
  },
)

it(
  'no secret but those that were given out does anything, however much it looks like one',
  TIMEOUT,
  async () => {
    const { accounts, stubOfSubject } = openAccounts()
    const stub = await stubOfSubject('ada')
    const account = accounts.of('ada')
    const grant = await connect(account)
    const next = issued(await refreshing(account, grant, grant.refreshSecret))
    pass(DAY_MS)
    const before = await rowsOf(stub)
    const forge = fc.record({
      of: fc.constantFrom(grant.refreshSecret, next.refreshSecret, grant.codeSecret),
      at: fc.nat({ max: 90 }),
      character: fc.constantFrom(...'ABCDEFGHabcdefgh0123456789-_=. \u0000é'),
      how: fc.constantFrom('replace', 'insert', 'cut'),
    })
    await fc.assert(
      fc.asyncProperty(forge, async ({ of, at, character, how }) => {
        const place = at % of.length
        const tail = how === 'insert' ? of.slice(place) : of.slice(place + 1)
        const forged = of.slice(0, place) + (how === 'cut' ? '' : character) + tail
        fc.pre(forged !== of)
        expect(await refreshing(account, grant, forged)).toEqual(INVALID_GRANT)
        expect(await account.redeemCode(redemptionOf(forged))).toEqual(INVALID_GRANT)
        expect(await account.inspectRefresh(grant.grantId, forged)).toBeUndefined()
      }),
      { numRuns: 200 },
    )
    expect(await rowsOf(stub)).toEqual(before)
    expect(await refreshing(account, grant, next.refreshSecret)).toMatchObject({ subject: 'ada' })
  },
)
