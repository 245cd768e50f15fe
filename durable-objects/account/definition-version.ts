/** The version of the definitions of a subject. A factory builds them again for a caller with another version. */
import { randomToken } from '../../src/platform/random-token.ts'
import type { AccountStorage } from './account-storage.ts'

/**
 * Longer than an isolate keeps a definition, so that none of those from before the change is used again
 * when the version has expired.
 */
const VERSION_TTL_MS = 30 * 24 * 60 * 60_000

/**
 * Does nothing for an account without storage: it has no grants, so no isolate has a definition for one.
 * The version is random: an account that is emptied and filled again never has an earlier one.
 */
export function changeDefinitionVersion(storage: AccountStorage): void {
  storage.writeIfExists((statements) =>
    statements.putDefinitionVersion(randomToken(), Date.now() + VERSION_TTL_MS),
  )
}
