/** What every `Accounts` does with codes. `create` opens another deployment each time. */
import { describe, expect, it } from 'vitest'
import type { Accounts, CodeRedemption } from '../../../src/ports/accounts.ts'
import {
  connect,
  GRANT,
  INVALID_GRANT,
  INVALID_TARGET,
  isAlive,
  issued,
  MINUTE_MS,
  NOON,
  pass,
  redemptionOf,
} from './person.ts'

const SECRET = /^[A-Za-z0-9_-]{43}$/

/** By what it says, one thing in a redemption that is not as it should be. */
const WRONG: Record<string, [Partial<CodeRedemption>, object]> = {
  'another client': [{ clientId: 'client-2' }, INVALID_GRANT],
  'no client': [{ clientId: '' }, INVALID_GRANT],
  'another redirect': [{ redirectUri: 'https://client.example/callback/' }, INVALID_GRANT],
  'another verifier': [
    { verifierChallenge: 'e9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
    INVALID_GRANT,
  ],
  'no verifier': [{ verifierChallenge: '' }, INVALID_GRANT],
  'another resource': [{ resource: 'https://mcp.example.com/other' }, INVALID_TARGET],
  'another code': [{ codeSecret: 'A'.repeat(43) }, INVALID_GRANT],
  'no code': [{ codeSecret: '' }, INVALID_GRANT],
  'a code with padding': [{ codeSecret: `${'A'.repeat(43)}=` }, INVALID_GRANT],
}

export function testCodes(name: string, create: () => Accounts): void {
  describe(`${name}: a code`, () => {
    it('gives everything that tokens are made of', async () => {
      const account = create().of('ada')
      const approved = await account.approve(GRANT)
      expect(approved).toEqual({
        grantId: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
        codeSecret: expect.stringMatching(SECRET),
        expiresAt: NOON + MINUTE_MS,
      })
      expect(await account.redeemCode(redemptionOf(approved.codeSecret))).toEqual({
        grantId: approved.grantId,
        subject: 'ada',
        client: GRANT.client,
        resource: 'https://mcp.example.com/mcp',
        scopes: ['read', 'write'],
        dpopJkt: undefined,
        props: { upstream: 'token-1' },
        grantKey: expect.stringMatching(SECRET),
        refreshSecret: expect.stringMatching(/^[A-Za-z0-9_-]{91}$/),
        refreshExpiresAt: NOON + 60 * 24 * 60 * MINUTE_MS,
      })
    })

    it('keeps what a client is known by, its secret too', async () => {
      const account = create().of('ada')
      const client = { ...GRANT.client, authMethod: 'client_secret_post', secretHash: 'h' } as const
      expect((await connect(account, { client })).client).toEqual(client)
    })

    it('gives no props where there are none', async () => {
      const account = create().of('ada')
      const grant = await connect(account, { props: undefined })
      expect(grant.props).toBeUndefined()
      expect(await account.check(grant.grantId, grant.grantKey)).toEqual({ active: true })
    })

    it('need not say redirect and resource again', async () => {
      const account = create().of('ada')
      const { codeSecret } = await account.approve(GRANT)
      const redemption = redemptionOf(codeSecret)
      const short = { ...redemption, redirectUri: undefined, resource: undefined }
      expect(issued(await account.redeemCode(short)).resource).toBe('https://mcp.example.com/mcp')
    })

    it.each(Object.keys(WRONG))('is not spent by %s', async (what) => {
      const account = create().of('ada')
      const { codeSecret } = await account.approve(GRANT)
      const redemption = redemptionOf(codeSecret)
      const [wrong, refusal] = WRONG[what] ?? []
      expect(await account.redeemCode({ ...redemption, ...wrong })).toEqual(refusal)
      expect(await account.redeemCode(redemption)).toMatchObject({ subject: 'ada' })
    })

    it.each(Object.keys(WRONG))('that was spent does no harm with %s', async (what) => {
      const account = create().of('ada')
      const grant = await connect(account)
      const [wrong, refusal] = WRONG[what] ?? []
      const redemption = { ...redemptionOf(grant.codeSecret), ...wrong }
      expect(await account.redeemCode(redemption)).toEqual(refusal)
      expect(await isAlive(account, grant)).toBe(true)
    })

    it('that is redeemed again revokes what it gave', async () => {
      const account = create().of('ada')
      const grant = await connect(account)
      const other = await connect(account)
      expect(await account.redeemCode(redemptionOf(grant.codeSecret))).toEqual(INVALID_GRANT)
      expect(await isAlive(account, grant)).toBe(false)
      expect(await isAlive(account, other)).toBe(true)
    })

    it('that is redeemed again revokes what it gave, however late', async () => {
      const account = create().of('ada')
      const grant = await connect(account)
      pass(10 * MINUTE_MS)
      expect(await account.redeemCode(redemptionOf(grant.codeSecret))).toEqual(INVALID_GRANT)
      expect(await isAlive(account, grant)).toBe(false)
    })

    it('works until its last millisecond, and not after it', async () => {
      const account = create().of('ada')
      const intime = await account.approve(GRANT)
      const late = await account.approve(GRANT)
      pass(MINUTE_MS - 1)
      const answer = await account.redeemCode(redemptionOf(intime.codeSecret))
      expect(answer).toMatchObject({ subject: 'ada' })
      pass(1)
      expect(await account.redeemCode(redemptionOf(late.codeSecret))).toEqual(INVALID_GRANT)
    })

    it('is of no use in another account', async () => {
      const accounts = create()
      const { codeSecret } = await accounts.of('ada').approve(GRANT)
      const redemption = redemptionOf(codeSecret)
      expect(await accounts.of('bob').redeemCode(redemption)).toEqual(INVALID_GRANT)
      expect(await accounts.of('ada').redeemCode(redemption)).toMatchObject({ subject: 'ada' })
    })

    it('has one winner among 20 who redeem it at once, and then nobody has anything', async () => {
      const account = create().of('ada')
      const { codeSecret } = await account.approve(GRANT)
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => account.redeemCode(redemptionOf(codeSecret))),
      )
      const winners = answers.filter((answer) => !('refused' in answer)).map(issued)
      expect(winners).toHaveLength(1)
      for (const winner of winners) expect(await isAlive(account, winner)).toBe(false)
    })
  })

  describe(`${name}: a code that is bound to a DPoP key`, () => {
    it.each([
      ['another', 'key-2'],
      ['none', undefined],
    ])('is neither spent nor ended by whoever shows %s', async (_, dpopJkt) => {
      const account = create().of('ada')
      const { codeSecret } = await account.approve({ ...GRANT, dpopJkt: 'key-1' })
      const redemption = { ...redemptionOf(codeSecret), dpopJkt: 'key-1' }
      expect(await account.redeemCode({ ...redemption, dpopJkt })).toEqual(INVALID_GRANT)
      const grant = issued(await account.redeemCode(redemption))
      expect(grant.dpopJkt).toBe('key-1')
      expect(await account.redeemCode({ ...redemption, dpopJkt })).toEqual(INVALID_GRANT)
      expect(await isAlive(account, grant)).toBe(true)
    })
  })
}
