/** Decisions about authorization codes: any request, against any grant, at any time. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideCodeRedemption } from '../../durable-objects/account/decide-code-redemption.ts'
import { isRefused } from '../../durable-objects/account/grant-expiry.ts'
import type { CodeRedemption } from '../../src/ports/grant-tokens.ts'
import { verifies } from '../support/verifies.ts'
import { grantRow } from './grant-row.ts'
import { runs } from './settings.ts'

const few = fc.constantFrom('a', 'b')
const optional = fc.option(few, { nil: undefined })

const row = fc
  .record({
    state: fc.constantFrom('pending', 'live'),
    client: few.map((id) => JSON.stringify({ id, authMethod: 'none' })),
    redirect_uri: few,
    resource: few,
    code_challenge: few,
    code_jkt: fc.option(few),
    redeemed_by: fc.option(few),
    generation: fc.nat({ max: 2 }),
    due_at: fc.nat({ max: 10 }),
  })
  .map(grantRow)

const redemption: fc.Arbitrary<CodeRedemption> = fc.record({
  codeSecret: fc.constant('secret'),
  clientId: few,
  redirectUri: optional,
  verifierChallenge: few,
  resource: optional,
  dpopJkt: optional,
  attempt: optional,
})
const now = fc.nat({ max: 12 })

type Row = ReturnType<typeof grantRow>

/** Every parameter of a request that a grant fixes. */
function belongs(grant: Row, request: CodeRedemption): boolean {
  const fits = (own: string | null, sent: string | undefined) => sent === own
  return (
    fits(JSON.parse(grant.client).id, request.clientId) &&
    fits(grant.code_challenge, request.verifierChallenge) &&
    (request.redirectUri === undefined || fits(grant.redirect_uri, request.redirectUri)) &&
    (request.resource === undefined || fits(grant.resource, request.resource)) &&
    (grant.code_jkt === null || fits(grant.code_jkt, request.dpopJkt))
  )
}

describe('decideCodeRedemption', () => {
  it('refuses without any effect exactly the requests that do not belong to the grant, or are late', () => {
    verifies('oauth-2-1-grants/code-verifier-is-enforced', 'oauth-2-1-grants/challenge-is-kept')
    verifies('oauth-2-1-grants/code-belongs-to-its-client', 'pkce/challenge-is-kept')
    fc.assert(
      fc.property(row, redemption, now, (grant, request, at) => {
        const isRefusal = isRefused(decideCodeRedemption(grant, request, at))
        expect(isRefusal).toBe(!belongs(grant, request) || at >= grant.due_at)
      }),
      runs(2000),
    )
  })

  it('redeems a pending grant, and never one that is redeemed already', () => {
    verifies('oauth-2-1-grants/single-use-codes')
    fc.assert(
      fc.property(row, redemption, now, (grant, request, at) => {
        const decision = decideCodeRedemption(grant, request, at)
        if (isRefused(decision)) return
        expect(decision.row).toBe(grant)
        expect(decision.action === 'redeem').toBe(grant.state === 'pending')
      }),
      runs(2000),
    )
  })

  it('repeats an answer only for the same attempt, before the first refresh', () => {
    fc.assert(
      fc.property(row, redemption, now, (grant, request, at) => {
        const decision = decideCodeRedemption(grant, request, at)
        if (isRefused(decision) || decision.action === 'redeem') return
        const { attempt } = request
        const isSame = attempt !== undefined && attempt === grant.redeemed_by
        expect(decision.action).toBe(isSame && grant.generation === 0 ? 'repeat' : 'replay')
      }),
      runs(2000),
    )
  })

  it('does not disclose in a refusal whether the code was redeemed', () => {
    fc.assert(
      fc.property(row, redemption, now, (grant, request, at) => {
        const one = decideCodeRedemption({ ...grant, state: 'pending' }, request, at)
        const other = decideCodeRedemption({ ...grant, state: 'live' }, request, at)
        if (isRefused(one) || isRefused(other)) expect(one).toEqual(other)
      }),
      runs(500),
    )
  })

  it('refuses every request for a code without a grant', () => {
    fc.assert(
      fc.property(redemption, now, (request, at) => {
        expect(decideCodeRedemption(undefined, request, at)).toMatchObject({
          refused: 'invalid_grant',
        })
      }),
      runs(100),
    )
  })
})
