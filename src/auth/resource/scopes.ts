/** Scopes: which there are, which include which, and which ones a challenge names. */
import { isScopeToken } from '../../protocol/scope-token.ts'

/** As an author writes them: a description for the consent page, or that and more. */
export interface ScopeOptions {
  readonly [name: string]:
    | string
    | {
        readonly description: string
        /** Narrower scopes that whoever has this one need not have besides. */
        readonly includes?: readonly string[]
        /**
         * Whether clients are told to ask for it from the start, rather than when a call needs it.
         * Default: true for a scope that includes no other.
         */
        readonly initial?: boolean
      }
}

export interface ScopeTable {
  readonly names: readonly string[]
  /** Those to ask for from the start: what a 401 names, and what a client gets that names none. */
  readonly defaults: readonly string[]
  /** For people; the name itself where it is not one of `names`. */
  describe(name: string): string
  /** These scopes and all that they include. Scopes from elsewhere stay. */
  expand(scopes: readonly string[]): readonly string[]
  /**
   * What to ask for to be able to do something more: the scopes that it needs, and of those held the
   * ones that exist here, so that a client which asks for exactly these loses nothing.
   */
  forStepUp(needed: readonly string[], held: readonly string[]): readonly string[]
}

/** No scope of a resource: the specification keeps it out of challenges and metadata. */
const OFFLINE_ACCESS = 'offline_access'

/** @throws {TypeError} for a name that is none, an unknown scope that is included, and a circle */
export function createScopeTable(options: ScopeOptions): ScopeTable {
  const names = Object.keys(options)
  const described = new Map(
    Object.entries(options).map(([name, option]) => [
      name,
      typeof option === 'string' ? { description: option } : option,
    ]),
  )
  for (const name of names) {
    if (!isScopeToken(name)) throw new TypeError(`"${name}" cannot be the name of a scope`)
    if (name === OFFLINE_ACCESS) {
      throw new TypeError(`${OFFLINE_ACCESS} is the authorization server's own scope`)
    }
  }
  const including = (name: string, path: readonly string[]): readonly string[] => {
    const option = described.get(name)
    if (option === undefined)
      throw new TypeError(`The scope "${name}" is included, but not defined`)
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
    forStepUp(needed, held) {
      const asked = new Set([...needed, ...held])
      // What a definition needs is named even where the author has not described it.
      return [...new Set([...names.filter((name) => asked.has(name)), ...needed])]
    },
  }
}
