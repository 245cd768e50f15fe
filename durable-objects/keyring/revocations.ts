/** Revocations of many grants at once, as rows of the keyring object. The grant check of every isolate reads them. */
import { REVOCATION_MARGIN_MS, type Revocations } from '../../src/ports/revocations.ts'
import type { Statements } from './schema.ts'

/** The list reaches every isolate every ten seconds. Revoking everyone replaces it. */
export const MAX_REVOKED_CLIENTS = 100

/** The `client` of the row for everyone. Digests are longer. */
const EVERYONE = ''

/** Undefined while nothing is revoked. */
export function readRevocations(statements: Statements): Revocations | undefined {
  const rows = statements.revocations()
  if (rows.length === 0) return undefined
  const validFrom = rows.find(({ client }) => client === EVERYONE)?.valid_from ?? 0
  const clients = rows.filter(({ client }) => client !== EVERYONE)
  return {
    validFrom,
    clients: Object.fromEntries(clients.map(({ client, valid_from }) => [client, valid_from])),
  }
}

/**
 * Revokes what was issued to a client, or to everyone, until now and for the time of the margin. A repeated
 * call within this time changes nothing.
 *
 * @param client a digest
 * @returns from when on a grant is valid; undefined when too many clients are revoked
 */
export function addRevocation(
  statements: Statements,
  client: string | undefined,
  now: number,
): number | undefined {
  const rows = statements.revocations()
  const known = rows.find((row) => row.client === (client ?? EVERYONE))
  if (known !== undefined && known.valid_from > now) return known.valid_from
  const revokedClients = rows.filter((row) => row.client !== EVERYONE).length
  if (client !== undefined && known === undefined && revokedClients >= MAX_REVOKED_CLIENTS) {
    return undefined
  }
  if (client === undefined) statements.deleteRevocations()
  const valid_from = now + REVOCATION_MARGIN_MS
  statements.putRevocation({ client: client ?? EVERYONE, valid_from })
  return valid_from
}
