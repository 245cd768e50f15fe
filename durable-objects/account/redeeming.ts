/** Approving a grant and redeeming its code. */
import type { Account, AccountLimits, CodeRedemption, Refused } from '../../src/ports/accounts.ts'
import { encodeBase64Url } from '../../src/protocol/base64.ts'
import type { ApprovedGrant, IssuedGrantText } from './account-rpc.ts'
import type { AccountStorage } from './account-storage.ts'
import { rememberConsent } from './consents.ts'
import { decideCodeRedemption } from './decide-code-redemption.ts'
import { digestOf } from './digest.ts'
import {
  createGrantKey,
  decryptProps,
  encryptProps,
  unwrapGrantKey,
  wrapGrantKey,
} from './grant-key.ts'
import { endGrant, renewed } from './grant-life.ts'
import { issuedGrant } from './issued-grant.ts'
import { randomBytes, readCodeSecret, SECRET_BYTES, SecretFamily } from './refresh-secret.ts'
import { invalidGrant, isRefused } from './refused.ts'
import type { GrantRow, Statements } from './schema.ts'

const GRANT_ID_BYTES = 16

const NO_SUCH_CODE = invalidGrant('no such code')
const REPLAYED = invalidGrant('code replayed: the grant is revoked')

export async function approve(
  storage: AccountStorage,
  grant: ApprovedGrant,
  limits: AccountLimits,
): ReturnType<Account['approve']> {
  const id = encodeBase64Url(randomBytes(GRANT_ID_BYTES))
  const bytes = randomBytes(SECRET_BYTES)
  const code = { bytes, hash: await digestOf(bytes) }
  const key = createGrantKey()
  const wrapped_key = await wrapGrantKey(key, code, id)
  const props = await encryptProps(grant.props, key, id)
  const now = Date.now()
  const expiresAt = now + limits.codeTtlMs
  storage.change((statements) => {
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
      code_hash: code.hash,
      code_challenge: grant.codeChallenge,
      code_jkt: grant.dpopJkt ?? null,
      family_key: randomBytes(SECRET_BYTES).buffer,
      wrapped_key,
      props,
    })
    if (grant.remember) rememberConsent(statements, grant, limits, now)
  })
  return { grantId: id, codeSecret: encodeBase64Url(bytes), expiresAt }
}

/** What needs the code's secret is made before the grant is looked at again, and changed in one step. */
export async function redeemCode(
  storage: AccountStorage,
  input: CodeRedemption,
  attempt: string,
  limits: AccountLimits,
): Promise<IssuedGrantText | Refused> {
  const code = await readCodeSecret(input.codeSecret)
  if (code === undefined) return NO_SUCH_CODE
  const judge = () =>
    decideCodeRedemption(storage.existing?.grantByCode(code.hash), input, attempt, Date.now())

  const first = judge()
  if (isRefused(first)) return first
  if (first.does === 'replay') return replayed(storage, first.row)
  const { id, family_key, wrapped_key } = first.row
  const secret = await (await SecretFamily.open(family_key)).first(code)
  const isPending = first.does === 'redeem'
  const key = await unwrapGrantKey(wrapped_key, isPending ? code : secret, id)
  const wrapped = await wrapGrantKey(key, secret, id)
  const props = (await decryptProps(first.row.props, key, id))?.json

  const judged = judge()
  if (isRefused(judged)) return judged
  if (judged.does === 'replay') return replayed(storage, judged.row)
  const { row } = judged
  const { dpopJkt } = input
  const issue = { scopes: JSON.parse(row.scopes), dpopJkt, key, props, secret }
  if (judged.does === 'repeat') return issuedGrant(row, issue)
  const isPublic = JSON.parse(row.client).authMethod === 'none'
  const bound = isPublic ? (dpopJkt ?? null) : null
  const made = { secret, wrapped, dpopJkt: bound, redeemedBy: attempt }
  const now = Date.now()
  const renewal = renewed(row, made, limits, now)
  storage.change((statements) => {
    makeRoom(statements, 'live', limits, now)
    statements.renewGrant(row.id, renewal)
  })
  return issuedGrant({ ...row, ...renewal }, issue)
}

/** Counted apart: a grant that is in use does not go for one whose code nobody has redeemed. */
function makeRoom(
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

function replayed(storage: AccountStorage, row: GrantRow): Refused {
  storage.change((statements) => endGrant(statements, row, Date.now()))
  return REPLAYED
}
