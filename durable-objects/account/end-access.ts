/** Ends many grants, personal access tokens, consents and sign-ins of an account at once. */

import type { AccountLimits } from '../../src/ports/account-limits.ts'
import type { EndedAccess } from '../../src/ports/accounts.ts'
import { personalTokenClient } from '../../src/ports/personal-token.ts'
import { type Revocations, validFromOf } from '../../src/ports/revocations.ts'
import type { AccountStorage } from './account-storage.ts'
import { endGrant } from './grant-expiry.ts'
import { clientOf } from './row-json.ts'

/** Ends what was issued before the times of the revocations. A grant is as old as its approval. */
export async function endIssuedBefore(
  storage: AccountStorage,
  revocations: Revocations,
  { consentTtlMs }: AccountLimits,
): Promise<void> {
  const { existing } = storage
  if (existing === undefined) return
  // A digest is awaited, so the times are computed before the one step that reads and deletes.
  const clients = [
    ...existing.grants().map((row) => clientOf(row).id),
    ...existing.personalTokens().map(({ id }) => personalTokenClient(id)),
    ...existing.consentClients().map(({ client_id }) => client_id),
  ]
  const times = new Map<string, number>()
  for (const id of new Set(clients)) times.set(id, await validFromOf(revocations, id))
  const validFrom = (client: string) => times.get(client) ?? revocations.validFrom
  storage.writeIfExists((statements) => {
    const now = Date.now()
    for (const row of statements.grants()) {
      if (row.created_at < validFrom(clientOf(row).id)) endGrant(statements, row, now)
    }
    for (const { id, created_at } of statements.personalTokens()) {
      if (created_at < validFrom(personalTokenClient(id))) statements.deletePersonalToken(id)
    }
    for (const { client_id } of statements.consentClients()) {
      statements.deleteConsentsUntil(client_id, validFrom(client_id) + consentTtlMs)
    }
  })
}

/**
 * Ends everything, and every sign-in that expires by a time.
 *
 * @param erase also deletes what would be kept to recognise ended grants, so that only that time is left
 */
export function endAll(storage: AccountStorage, signInsUntil: number, erase: boolean): EndedAccess {
  return storage.write((statements) => {
    const now = Date.now()
    const grants = statements.grants()
    const tokens = statements.personalTokens()
    const consents = statements.countConsents()
    for (const grant of grants) endGrant(statements, grant, now)
    for (const { id } of tokens) statements.deletePersonalToken(id)
    statements.deleteAllConsents()
    if (erase) statements.deleteTraces()
    statements.endSignInsUntil(signInsUntil)
    return { grants: grants.length, personalTokens: tokens.length, consents }
  })
}
