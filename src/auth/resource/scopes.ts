/**
 * The table of scopes: descriptions, inclusion, and the scopes that a challenge names.
 *
 * Scopes are divided by resource: the admin API has its own, which no other resource has, and which includes and is
 * included by none. Otherwise the consent page of a link could name a scope of the endpoint and mean the whole server.
 */
import { isJsonObject } from '../../protocol/json.ts'
import { isScopeToken } from '../../protocol/scope-token.ts'
import type { ResourceOptions, Resources } from './resources.ts'

/** The scopes of a server, each with its description for the consent page. */
export interface ScopeOptions {
  readonly [name: string]:
    | string
    | {
        readonly description: string
        /** Narrower scopes that this one grants as well. */
        readonly includes?: readonly string[]
        /**
         * Whether clients request it at first, and not only when a call needs it: false for a scope for
         * operators. Default: true for a scope that includes no other.
         */
        readonly initial?: boolean
      }
}

export interface ScopeTable {
  readonly names: readonly string[]
  /** The scopes that a 401 names, and that are granted to a client which requests none. */
  readonly defaults: readonly string[]
  /** The description for people, or the name itself if the scope is not in the table. */
  describe(name: string): string
  /** Adds the scopes that these include. Scopes that are not in the table are kept. */
  expand(scopes: readonly string[]): readonly string[]
  /**
   * The scopes to request for a call: those that it needs, and those of the token that are in the
   * table, so that a client which requests exactly these keeps its access.
   */
  forStepUp(needed: readonly string[], granted: readonly string[]): readonly string[]
}

/** The scopes for people. Options that are invalid are refused later, when the table is created. */
export function describedScopes(
  options: ScopeOptions,
): readonly { readonly name: string; readonly description: string }[] {
  if (!isJsonObject(options)) return []
  return Object.entries(options as ScopeOptions).map(([name, option]) => ({
    name,
    description: String(isJsonObject(option) ? option.description : option),
  }))
}

/** Belongs to the authorization server: the specification excludes it from challenges and metadata. */
const OFFLINE_ACCESS = 'offline_access'

/** @throws {TypeError} for an invalid name, for including an unknown scope, and for a cycle */
export function createScopeTable(options: ScopeOptions): ScopeTable {
  if (!isJsonObject(options)) {
    throw new TypeError("scopes must name each scope with its description: { read: 'Read notes' }")
  }
  const names = Object.keys(options)
  const described = new Map(
    Object.entries(options).map(([name, option]) => [
      name,
      typeof option === 'string' ? { description: option } : option,
    ]),
  )
  for (const name of names) {
    if (!isScopeToken(name)) throw new TypeError(`"${name}" is not a valid scope name`)
    if (name === OFFLINE_ACCESS) {
      throw new TypeError(`${OFFLINE_ACCESS} is reserved for the authorization server`)
    }
  }
  const including = (name: string, path: readonly string[]): readonly string[] => {
    const option = described.get(name)
    if (option === undefined) throw new TypeError(`The scope "${name}" is included but not defined`)
    if (path.includes(name)) throw new TypeError(`The scope "${name}" includes itself`)
    const { includes = [] } = option
    return [name, ...includes.flatMap((narrower) => including(narrower, [...path, name]))]
  }
  const included = new Map(names.map((name) => [name, including(name, [])]))
  const expand = (scopes: readonly string[]) => [
    ...new Set(scopes.flatMap((scope) => included.get(scope) ?? [scope])),
  ]
  return {
    names,
    defaults: names.filter((name) => {
      const { includes = [], initial = includes.length === 0 } = described.get(name) ?? {}
      return initial
    }),
    describe: (name) => described.get(name)?.description ?? name,
    expand,
    forStepUp(needed, granted) {
      const wanted = new Set([...needed, ...granted])
      // A definition may need a scope that is not in the table.
      return [...new Set([...names.filter((name) => wanted.has(name)), ...needed])]
    },
  }
}

/** The part of a scope table that applies to one resource. */
export type ResourceScopes = Pick<ScopeTable, 'names' | 'defaults' | 'forStepUp'>

export type ScopesOfResource = (resource: Pick<ResourceOptions, 'ownScope'>) => ResourceScopes

/**
 * Divides the scopes by resource. A resource with a scope of its own, such as the admin API, has that scope alone, and
 * no other resource has it: what a person consents to for one of them is never access to the other.
 *
 * @throws {TypeError} when a scope includes the scope of a resource, or that one includes another scope
 */
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
