/** Builds the answer to a redemption or a refresh from the grant's row and its decrypted secrets. */
import type { IssuedGrant } from '../../src/ports/grant-tokens.ts'
import type { GrantKey } from './grant-key.ts'
import type { RefreshSecret } from './grant-secrets.ts'
import { identityOf } from './row-json.ts'
import type { GrantRow } from './schema.ts'

interface Issuance {
  readonly scopes: readonly string[]
  readonly dpopJkt: string | undefined
  readonly key: GrantKey
  readonly props: string | undefined
  readonly secret: RefreshSecret
}

export function issuedGrant(
  row: GrantRow,
  { scopes, dpopJkt, key, props, secret }: Issuance,
): IssuedGrant<string> {
  return {
    ...identityOf(row),
    scopes,
    dpopJkt,
    props,
    grantKey: key.text,
    refreshSecret: secret.text,
    refreshExpiresAt: row.refresh_until,
  }
}
