/** The accounts of one of several origins: shared with the others, or apart. */
import type { Accounts } from '../ports/accounts.ts'
import type { AuthServices } from '../ports/auth-services.ts'
import { configuredOrigins, type Origins, originVariable } from '../security/configured-origins.ts'
import type { EmbeddedOptions } from './embedded-options.ts'

/** The first origin has the accounts of a server with one origin, so a second origin moves none. */
export function accountsOfIssuer(
  options: Pick<EmbeddedOptions, 'accountsPerOrigin' | 'origin' | 'origins'>,
  { accounts, accountsIn }: AuthServices,
  issuer: string,
  origins: Origins | undefined,
): Accounts | undefined {
  const apart = options.accountsPerOrigin === true && origins !== undefined && issuer !== origins[0]
  return apart ? accountsIn(issuer) : accounts
}

/** Undefined where the origin of a request on a loopback host is used. */
export function originsIn(options: EmbeddedOptions, env: unknown): Origins | undefined {
  return configuredOrigins(options) ?? originVariable(env)
}
