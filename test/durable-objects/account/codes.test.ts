/** Authorization codes in the account of their subject. */
import { describe, expect, it } from 'vitest'
import type { CodeRedemption } from '../../../src/ports/grant-tokens.ts'
import { verifies } from '../../support/verifies.ts'
import { openAccounts } from './account.ts'
import {
  advance,
  connect,
  GRANT,
  INVALID_GRANT,
  INVALID_TARGET,
  invalidGrant,
  isActive,
  issued,
  MINUTE_MS,
  NOON,
  redemptionOf,
  useFakeClock,
} from './grant-requests.ts'

const SECRET = /^[A-Za-z0-9_-]{43}$/

const OTHER_KEY = invalidGrant('code-dpop-key-mismatch')

/** Redemptions with one wrong parameter, and the refusal of each. */
const WRONG: Record<string, [Partial<CodeRedemption>, object]> = {
  'another client': [{ clientId: 'client-2' }, invalidGrant('code-client-mismatch')],
  'no client': [{ clientId: '' }, invalidGrant('code-client-mismatch')],
  'another redirect': [
    { redirectUri: 'https://client.example/callback/' },
    invalidGrant('code-redirect-uri-mismatch'),
  ],
  'another verifier': [
    { verifierChallenge: 'e9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
    INVALID_GRANT,
  ],
  'no verifier': [{ verifierChallenge: '' }, invalidGrant('code-verifier-mismatch')],
  'another resource': [{ resource: 'https://mcp.example.com/other' }, INVALID_TARGET],
  'another code': [{ codeSecret: 'A'.repeat(43) }, INVALID_GRANT],
  'no code': [{ codeSecret: '' }, INVALID_GRANT],
  'a code with padding': [{ codeSecret: `${'A'.repeat(43)}=` }, INVALID_GRANT],
}

useFakeClock()

describe('an authorization code', () => {
  it('is redeemed for the content of the tokens', async () => {
    const account = openAccounts().accounts.of('ada')
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
      expiresAt: NOON + 365 * 24 * 60 * MINUTE_MS,
    })
  })

  it('is redeemed with the whole client of the grant, its secret hash included', async () => {
    const account = openAccounts().accounts.of('ada')
    const client = { ...GRANT.client, authMethod: 'client_secret_post', secretHash: 'h' } as const
    expect((await connect(account, { client })).client).toEqual(client)
  })

  it('is redeemed without props when the grant has none', async () => {
    const account = openAccounts().accounts.of('ada')
    const grant = await connect(account, { props: undefined })
    expect(grant.props).toBeUndefined()
    expect(await account.check(grant.grantId, grant.grantKey)).toEqual({ active: true })
  })

  it('is redeemed when the request omits the redirect URI and the resource', async () => {
    const account = openAccounts().accounts.of('ada')
    const { codeSecret } = await account.approve(GRANT)
    const redemption = redemptionOf(codeSecret)
    const short = { ...redemption, redirectUri: undefined, resource: undefined }
    expect(issued(await account.redeemCode(short)).resource).toBe('https://mcp.example.com/mcp')
  })

  it.each(Object.keys(WRONG))('is not used up by a redemption with %s', async (what) => {
    verifies('oauth-2-1-grants/code-belongs-to-its-client')
    verifies('oauth-2-1-grants/redirect-uri-of-oauth-2-0', 'oauth-2-0/redirect-uri-of-the-exchange')
    const account = openAccounts().accounts.of('ada')
    const { codeSecret } = await account.approve(GRANT)
    const redemption = redemptionOf(codeSecret)
    const [wrong, refusal] = WRONG[what] ?? []
    expect(await account.redeemCode({ ...redemption, ...wrong })).toEqual(refusal)
    expect(await account.redeemCode(redemption)).toMatchObject({ subject: 'ada' })
  })

  it('that is redeemed again revokes its grant, and names it', async () => {
    const account = openAccounts().accounts.of('ada')
    const grant = await connect(account)
    const other = await connect(account)
    expect(await account.redeemCode(redemptionOf(grant.codeSecret))).toEqual({
      refused: 'invalid_grant',
      reason: 'code-replayed',
      revoked: grant.grantId,
    })
    expect(await isActive(account, grant)).toBe(false)
    expect(await isActive(account, other)).toBe(true)
  })

  it('is valid for exactly one minute', async () => {
    verifies('oauth-2-1-grants/codes-expire')
    const account = openAccounts().accounts.of('ada')
    const intime = await account.approve(GRANT)
    const late = await account.approve(GRANT)
    advance(MINUTE_MS - 1)
    const answer = await account.redeemCode(redemptionOf(intime.codeSecret))
    expect(answer).toMatchObject({ subject: 'ada' })
    advance(1)
    expect(await account.redeemCode(redemptionOf(late.codeSecret))).toEqual(
      invalidGrant('code-expired'),
    )
  })

  it('is refused in another account', async () => {
    const accounts = openAccounts().accounts
    const { codeSecret } = await accounts.of('ada').approve(GRANT)
    const redemption = redemptionOf(codeSecret)
    expect(await accounts.of('bob').redeemCode(redemption)).toEqual(INVALID_GRANT)
    expect(await accounts.of('ada').redeemCode(redemption)).toMatchObject({ subject: 'ada' })
  })
})

describe('an authorization code that is bound to a DPoP key', () => {
  it.each([
    ['another key', 'key-2'],
    ['no key', undefined],
  ])('is neither used up nor revoked by a redemption with %s', async (_, dpopJkt) => {
    const account = openAccounts().accounts.of('ada')
    const { codeSecret } = await account.approve({ ...GRANT, dpopJkt: 'key-1' })
    const redemption = { ...redemptionOf(codeSecret), dpopJkt: 'key-1' }
    expect(await account.redeemCode({ ...redemption, dpopJkt })).toEqual(OTHER_KEY)
    const grant = issued(await account.redeemCode(redemption))
    expect(grant.dpopJkt).toBe('key-1')
    expect(await account.redeemCode({ ...redemption, dpopJkt })).toEqual(OTHER_KEY)
    expect(await isActive(account, grant)).toBe(true)
  })
})
