/** Properties of refresh tokens under lost answers and forgeries. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { openAccounts, rowsOf } from './account.ts'
import {
  advance,
  connect,
  DAY_MS,
  INVALID_GRANT,
  issued,
  redemptionOf,
  refreshWith,
  useFakeClock,
} from './grant-requests.ts'

useFakeClock()

/** Each property makes hundreds of calls. */
const TIMEOUT = { timeout: 300_000 }

it('a secret that was changed in any way is refused and changes nothing', TIMEOUT, async () => {
  verifies('oauth-2-1-clients/bearer-references')
  verifies('oauth-2-1-grants/refresh-tokens-cannot-be-forged', 'oauth-2-1-security/guessing')
  verifies('oauth-security-practice/integrity-of-refresh-tokens')
  const { accounts, stubOfSubject } = openAccounts()
  const stub = await stubOfSubject('ada')
  const account = accounts.of('ada')
  const grant = await connect(account)
  const next = issued(await refreshWith(account, grant, grant.refreshSecret))
  advance(DAY_MS)
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
      expect(await refreshWith(account, grant, forged)).toEqual(INVALID_GRANT)
      expect(await account.redeemCode(redemptionOf(forged))).toEqual(INVALID_GRANT)
      expect(await account.inspectRefresh(grant.grantId, forged)).toBeUndefined()
    }),
    { numRuns: 200 },
  )
  expect(await rowsOf(stub)).toEqual(before)
  expect(await refreshWith(account, grant, next.refreshSecret)).toMatchObject({ subject: 'ada' })
})
