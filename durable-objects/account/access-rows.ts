/** The rows that access depends on: grants and personal access tokens, whose ids never coincide. */
import { isLive } from './grant-expiry.ts'
import type { PropsColumns } from './renewed-props.ts'
import type { Statements } from './schema.ts'

export type AccessRow = PropsColumns & { last_used_at: number | null }

/** Undefined when there is none, or when it has expired. */
export function liveRow(
  statements: Statements | undefined,
  id: string,
  now: number,
): AccessRow | undefined {
  const grant = statements?.grant(id)
  if (grant !== undefined) return isLive(grant, now) ? grant : undefined
  const token = statements?.personalToken(id)
  return token !== undefined && now < token.due_at ? token : undefined
}

export function updateRow(
  statements: Statements,
  id: string,
  changes: { last_used_at: number } | Partial<PropsColumns>,
): void {
  statements.updateGrant(id, changes)
  statements.updatePersonalToken(id, changes)
}
