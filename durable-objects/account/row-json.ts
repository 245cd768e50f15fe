/** What the rows of an account say to the Worker: their JSON with its types. A member that a later version has added is ignored. */
import type { GrantClient } from '../../src/ports/grant.ts'
import type { IssuedGrant } from '../../src/ports/grant-tokens.ts'
import type { GrantKey } from './grant-key.ts'
import type { RefreshSecret } from './grant-secrets.ts'
import type { ConsentRow, GrantRow } from './schema.ts'

/** The client of a grant, as it was when the grant was approved. */
export function clientOf({ client }: Pick<GrantRow, 'client'>): GrantClient {
  return JSON.parse(client)
}

/** What names a grant to the Worker. */
export function identityOf(row: GrantRow) {
  const { id: grantId, subject, resource } = row
  return { grantId, subject, client: clientOf(row), resource }
}

/** The scopes of a grant or of a personal access token. */
export function scopesOf({ scopes }: { readonly scopes: string }): readonly string[] {
  return JSON.parse(scopes)
}

/** The sets of scopes of a consent, the newest first. */
export function scopeSetsOf({
  scopes,
}: Pick<ConsentRow, 'scopes'>): readonly (readonly string[])[] {
  return JSON.parse(scopes)
}

interface Issuance {
  readonly scopes: readonly string[]
  readonly dpopJkt: string | undefined
  readonly key: GrantKey
  readonly props: string | undefined
  readonly secret: RefreshSecret
}

/** The answer to a redemption or a refresh, from the grant's row and its decrypted secrets. */
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
    expiresAt: row.expires_at,
  }
}
