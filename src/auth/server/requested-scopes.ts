/** The scopes that a request asks for. */
import { isScopeToken } from '../../protocol/scope-token.ts'
import { OAuthError } from '../oauth-error.ts'
import type { ScopeTable } from '../resource/scopes.ts'

/** Asked for by many clients, and no scope of ours: every grant can be refreshed. */
const OFFLINE_ACCESS = 'offline_access'

/**
 * What of the asked-for scopes there is, and the client may have. Clients ask for whatever they have
 * seen somewhere; what does not exist here is left out, and only a request for nothing that does is
 * refused.
 *
 * @param allowed undefined sets no bound
 * @throws {OAuthError} `invalid_scope`
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3
 */
export function grantableScopes(
  table: ScopeTable,
  asked: string | undefined,
  allowed: readonly string[] | undefined,
): readonly string[] {
  const names = asked === undefined ? undefined : splitScopes(asked)
  const wanted =
    names === undefined || names.every((name) => name === OFFLINE_ACCESS) ? table.defaults : names
  const granted = wanted.filter(
    (name) => table.names.includes(name) && (allowed === undefined || allowed.includes(name)),
  )
  if (granted.length > 0 || table.names.length === 0) return granted
  throw new OAuthError('invalid_scope', 'None of these scopes exists here for this client')
}

/** @throws {OAuthError} `invalid_scope` for what is no list of scope tokens */
export function splitScopes(text: string): readonly string[] {
  const names = text.split(/ +/)
  if (text.length > 1024 || !names.every(isScopeToken)) {
    throw new OAuthError('invalid_scope', 'scope must be scope tokens with spaces between them')
  }
  return [...new Set(names)]
}
