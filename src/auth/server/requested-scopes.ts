/** Decides which of the requested scopes can be granted. */
import { isScopeToken } from '../../protocol/scope-token.ts'
import { OAuthError } from '../oauth-error.ts'
import type { ResourceScopes } from '../resource/scopes.ts'

/** Requested by many clients. It grants nothing here, because every grant can be refreshed. */
const OFFLINE_ACCESS = 'offline_access'

/**
 * The requested scopes that exist and that the client may have. Clients request scopes of other
 * servers as well, so unknown ones are ignored.
 *
 * @param table of the resource
 * @param requested the `scope` parameter; undefined requests the defaults
 * @param allowed the scopes that the client may have; undefined allows all
 * @throws {OAuthError} `invalid_scope` when nothing of what is wanted remains
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3
 */
export function grantableScopes(
  table: ResourceScopes,
  requested: string | undefined,
  allowed: readonly string[] | undefined,
): readonly string[] {
  const names = requested === undefined ? undefined : splitScopes(requested)
  const wanted =
    names === undefined || names.every((name) => name === OFFLINE_ACCESS) ? table.defaults : names
  const granted = wanted.filter(
    (name) => table.names.includes(name) && (allowed === undefined || allowed.includes(name)),
  )
  // On a server whose scopes are all asked for later, a client connects without any.
  if (granted.length > 0 || wanted.length === 0 || table.names.length === 0) return granted
  throw new OAuthError(
    'invalid_scope',
    'None of the requested scopes can be granted to this client',
  )
}

/** @throws {OAuthError} `invalid_scope` when the text is no list of scope tokens */
export function splitScopes(text: string): readonly string[] {
  const names = text.split(/ +/)
  if (text.length > 1024 || !names.every(isScopeToken)) {
    throw new OAuthError('invalid_scope', 'scope must be scope tokens separated by spaces')
  }
  return [...new Set(names)]
}
