/**
 * The scopes by resource. A resource with a scope of its own, such as the admin API, has that scope alone, and
 * no other resource has it: what a person consents to for one of them is never access to the other.
 */
import type { ResourceOptions, Resources } from './resources.ts'
import type { ScopeTable } from './scopes.ts'

/** The part of a scope table that applies to one resource. */
export type ResourceScopes = Pick<ScopeTable, 'names' | 'defaults' | 'forStepUp'>

export type ScopesOfResource = (resource: Pick<ResourceOptions, 'ownScope'>) => ResourceScopes

/** @throws {TypeError} when a scope includes the scope of a resource, or that one includes another scope */
export function createScopesOfResource(table: ScopeTable, { single }: Resources): ScopesOfResource {
  const own = new Set(single.flatMap(({ ownScope }) => ownScope ?? []))
  for (const name of table.names) checkInclusion(name, table.expand([name]), own)
  const isShared = (name: string) => !own.has(name)
  const shared: ResourceScopes = {
    names: table.names.filter(isShared),
    defaults: table.defaults.filter(isShared),
    forStepUp: (needed, granted) => table.forStepUp(needed, granted.filter(isShared)),
  }
  return ({ ownScope }) =>
    ownScope === undefined
      ? shared
      : { names: [ownScope], defaults: [ownScope], forStepUp: () => [ownScope] }
}

function checkInclusion(
  name: string,
  [, ...included]: readonly string[],
  own: ReadonlySet<string>,
): void {
  const scope = own.has(name) && included.length > 0 ? name : included.find((one) => own.has(one))
  if (scope === undefined) return
  throw new TypeError(
    `The scope "${scope}" is for its own resource alone: it can neither include another scope nor be included`,
  )
}
