/** Writes an approved grant as pending, with the digest of its authorization code. */

import { encodeBase64Url } from '../../src/platform/base64.ts'
import { sha256Base64Url } from '../../src/platform/digest.ts'
import { randomToken } from '../../src/platform/random-token.ts'
import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { Account } from '../../src/ports/accounts.ts'
import type { NewGrant } from '../../src/ports/grant.ts'
import { randomBytes } from '../aes-gcm.ts'
import type { AccountStorage } from './account-storage.ts'
import { rememberConsent } from './consents.ts'
import { endGrant } from './grant-expiry.ts'
import { createGrantKey, encryptProps, wrapGrantKey } from './grant-key.ts'
import { SECRET_BYTES } from './grant-secrets.ts'
import { publicKeyOf } from './renewed-props.ts'
import type { GrantRow, Statements } from './schema.ts'

const GRANT_ID_BYTES = 16

export async function approveGrant(
  storage: AccountStorage,
  grant: NewGrant<string>,
  limits: AccountLimits,
): ReturnType<Account['approve']> {
  const id = randomToken(GRANT_ID_BYTES)
  const bytes = randomBytes(SECRET_BYTES)
  const code = { bytes, digest: await sha256Base64Url(bytes) }
  const key = createGrantKey()
  const wrapped_key = await wrapGrantKey(key, code, id)
  const props = await encryptProps(grant.props, key, id)
  const public_key = grant.renewable ? await publicKeyOf(key) : null
  const now = Date.now()
  const expiresAt = now + limits.codeTtlMs
  storage.write((statements) => {
    statements.deleteDue(now)
    makeRoom(statements, 'pending', limits, now)
    statements.insertGrant({
      id,
      subject: grant.subject,
      client: JSON.stringify(grant.client),
      redirect_uri: grant.redirectUri,
      resource: grant.resource,
      scopes: JSON.stringify(grant.scopes),
      created_at: now,
      expires_at: now + limits.grantLifetimeMs,
      due_at: expiresAt,
      last_used_at: now,
      code_hash: code.digest,
      code_challenge: grant.codeChallenge,
      code_jkt: grant.dpopJkt ?? null,
      family_key: randomBytes(SECRET_BYTES).buffer,
      wrapped_key,
      props,
      public_key,
    })
    if (grant.rememberConsent) rememberConsent(statements, grant, limits, now)
  })
  return { grantId: id, codeSecret: encodeBase64Url(bytes), expiresAt }
}

/**
 * Ends the least recently used grants until one more fits. Pending and live grants are counted
 * separately, so that approvals that are never redeemed cannot end a grant that is in use.
 */
export function makeRoom(
  statements: Statements,
  state: GrantRow['state'],
  { grantsPerAccount }: AccountLimits,
  now: number,
): void {
  while (statements.countGrants(state) >= grantsPerAccount) {
    const row = statements.leastRecentlyUsed(state)
    if (row === undefined) break
    endGrant(statements, row, now)
  }
}
