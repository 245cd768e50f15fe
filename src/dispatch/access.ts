/** Whether a caller may use a definition. */
import type { AuthInfo } from '../protocol/auth-info.ts'
import { InsufficientScopeError } from '../protocol/protocol-error.ts'
import type { Visible } from '../server/visibility.ts'

export function isVisible(
  { visible }: { readonly visible: Visible | undefined },
  auth: AuthInfo | undefined,
): boolean {
  return visible === undefined || visible(auth)
}

/** Whether the caller's token has every scope of a definition. */
export function hasScopes(
  { scopes }: { readonly scopes: readonly string[] },
  auth: AuthInfo | undefined,
): boolean {
  return scopes.length === 0 || scopes.every((scope) => auth?.scopes.includes(scope) === true)
}

/** @throws {InsufficientScopeError} naming every scope the definition needs */
export function checkScopes(
  definition: { readonly scopes: readonly string[] },
  auth: AuthInfo | undefined,
): void {
  if (!hasScopes(definition, auth)) throw new InsufficientScopeError(definition.scopes)
}
