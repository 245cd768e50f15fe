/** Whether a caller may use a definition. */

import type { TelemetrySink } from '../ports/telemetry.ts'
import type { AuthInfo } from '../protocol/auth-info.ts'
import { InsufficientScopeError } from '../protocol/protocol-error.ts'
import type { Definition } from '../server/definition.ts'
import type { Visible } from '../server/visibility.ts'

interface Guarded {
  readonly visible: Visible | undefined
}

export function isVisible({ visible }: Guarded, auth: AuthInfo | undefined): boolean {
  return visible === undefined || visible(auth)
}

/** The definition with every `visible` made safe: one that throws hides what it guards, and is reported. */
export function guardVisibility(definition: Definition, report: TelemetrySink): Definition {
  // A resource stands in its map under two spellings, and must stay one definition.
  const made = new Map<Guarded, Guarded>()
  const guard = <T extends Guarded>(subject: string, guarded: T): T => {
    const { visible } = guarded
    if (visible === undefined) return guarded
    const known = made.get(guarded)
    if (known !== undefined) return known as T
    const safely: Visible = (auth) => {
      try {
        return visible(auth)
      } catch (error) {
        report({ type: 'handler-error', subject, reference: 'visible', error })
        return false
      }
    }
    const safe = { ...guarded, visible: safely }
    made.set(guarded, safe)
    return safe
  }
  const all = <T extends Guarded>(
    kind: string,
    map: ReadonlyMap<string, T>,
  ): ReadonlyMap<string, T> =>
    new Map([...map].map(([key, guarded]) => [key, guard(`${kind} ${key}`, guarded)]))
  return {
    ...definition,
    tools: all('Tool', definition.tools),
    prompts: all('Prompt', definition.prompts),
    resources: all('Resource', definition.resources),
    templates: definition.templates.map((template) => guard(template.info.uriTemplate, template)),
  }
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
