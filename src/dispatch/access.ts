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

/** @throws {InsufficientScopeError} naming every scope the definition needs */
export function checkScopes(
  { scopes }: { readonly scopes: readonly string[] },
  auth: AuthInfo | undefined,
): void {
  if (scopes.length === 0) return
  const granted = auth?.scopes ?? []
  if (!scopes.every((scope) => granted.includes(scope))) throw new InsufficientScopeError(scopes)
}
