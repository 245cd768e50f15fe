/** The row of a grant for decisions that read only some of its columns. */
import type { GrantRow } from '../../durable-objects/account/schema.ts'

const EMPTY = new ArrayBuffer(0)

const ROW: GrantRow = {
  id: 'grant',
  state: 'live',
  subject: 'owner',
  client: '{"id":"a","authMethod":"none"}',
  redirect_uri: 'a',
  resource: 'a',
  scopes: '["read","write"]',
  created_at: 0,
  expires_at: 1_000_000,
  due_at: 1_000_000,
  last_used_at: 0,
  code_hash: '',
  code_challenge: 'a',
  code_jkt: null,
  redeemed_by: null,
  dpop_jkt: null,
  family_key: EMPTY,
  generation: 0,
  refresh_hash: '',
  rotated_at: 0,
  refresh_until: 1_000_000,
  access_until: 0,
  wrapped_key: EMPTY,
  props: EMPTY,
  public_key: null,
  renewed_props: null,
}

export function grantRow(columns: Partial<GrantRow>): GrantRow {
  return { ...ROW, ...columns }
}
