/** Grants, requests and the clock of the account tests. */
import { expect, vi } from 'vitest'
import type { Account } from '../../../src/ports/accounts.ts'
import type { NewGrant } from '../../../src/ports/grant.ts'
import type { GrantRefusalReason } from '../../../src/ports/grant-refusal.ts'
import type {
  CodeRedemption,
  IssuedGrant,
  RefreshRequest,
  Refused,
} from '../../../src/ports/grant-tokens.ts'
import type { NewPersonalToken } from '../../../src/ports/personal-token.ts'
import { DAY_MS, NOON } from '../fake-clock.ts'

export { DAY_MS, HOUR_MS, MINUTE_MS, NOON, SECOND_MS, useFakeClock } from '../fake-clock.ts'

export const advance = (ms: number) => vi.setSystemTime(Date.now() + ms)

export const GRANT: NewGrant = {
  subject: 'ada',
  client: {
    id: 'client-1',
    name: 'A client',
    uri: 'https://client.example',
    authMethod: 'none',
  },
  redirectUri: 'https://client.example/callback',
  resource: 'https://mcp.example.com/mcp',
  scopes: ['read', 'write'],
  codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  dpopJkt: undefined,
  props: { upstream: 'token-1' },
  rememberConsent: false,
}

export const PERSONAL_TOKEN: NewPersonalToken = {
  key: 'nV7yqS2mP0x4dR8kTzWcB1aLfHgJuEoIi3vQ5s6Yt9M',
  name: 'CI',
  resource: 'https://mcp.example.com/mcp',
  scopes: ['read'],
  expiresAt: NOON + 30 * DAY_MS,
  props: { upstream: 'token-1' },
}

export const redemptionOf = (codeSecret: string): CodeRedemption => ({
  codeSecret,
  clientId: 'client-1',
  redirectUri: 'https://client.example/callback',
  verifierChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  resource: 'https://mcp.example.com/mcp',
  dpopJkt: undefined,
})

export const refreshOf = (
  { grantId }: Pick<IssuedGrant, 'grantId'>,
  refreshSecret: string,
): RefreshRequest => ({
  grantId,
  refreshSecret,
  clientId: 'client-1',
  scopes: undefined,
  resource: 'https://mcp.example.com/mcp',
  dpopJkt: undefined,
})

export function issued(answer: IssuedGrant | Refused): IssuedGrant & { refreshSecret: string } {
  if ('refused' in answer) throw new Error(`refused: ${answer.refused}, ${answer.reason}`)
  if (answer.refreshSecret === undefined) throw new Error('no refresh secret')
  return { ...answer, refreshSecret: answer.refreshSecret }
}

export const INVALID_GRANT = expect.objectContaining({
  refused: 'invalid_grant',
  reason: expect.any(String),
})
export const invalidGrant = (reason: GrantRefusalReason) => ({ refused: 'invalid_grant', reason })
export const INVALID_SCOPE = { refused: 'invalid_scope', reason: expect.any(String) }
export const INVALID_TARGET = { refused: 'invalid_target', reason: expect.any(String) }

/** Approves a grant and redeems its code. */
export async function connect(account: Account, grant: Partial<NewGrant> = {}) {
  const { codeSecret } = await account.approve({ ...GRANT, ...grant })
  const redemption = { ...redemptionOf(codeSecret), dpopJkt: grant.dpopJkt }
  return { ...issued(await account.redeemCode(redemption)), codeSecret }
}

/** Refreshes with a secret and other changed parameters. */
export const refreshWith = (
  account: Account,
  grant: IssuedGrant,
  secret: string,
  changes: Partial<RefreshRequest> = {},
) => account.refresh({ ...refreshOf(grant, secret), ...changes })

export async function isActive(account: Account, { grantId, grantKey }: IssuedGrant) {
  return (await account.check(grantId, grantKey)).active
}
