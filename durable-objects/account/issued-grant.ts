/** A grant's row and what its secrets have opened, as the caller makes tokens of it. */
import type { IssuedGrantText } from './account-rpc.ts'
import type { GrantKey } from './grant-key.ts'
import type { RefreshSecret } from './refresh-secret.ts'
import type { GrantRow } from './schema.ts'

interface Issue {
  readonly scopes: readonly string[]
  readonly dpopJkt: string | undefined
  readonly key: GrantKey
  readonly props: string | undefined
  readonly secret: RefreshSecret
}

export function issuedGrant(
  row: GrantRow,
  { scopes, dpopJkt, key, props, secret }: Issue,
): IssuedGrantText {
  return {
    grantId: row.id,
    subject: row.subject,
    client: JSON.parse(row.client),
    resource: row.resource,
    scopes,
    dpopJkt,
    props,
    grantKey: key.text,
    refreshSecret: secret.text,
    refreshExpiresAt: row.refresh_until,
  }
}
