/** What the configuration of a Worker says, and the edits that a moved server needs in it. */
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { OBJECTS_BINDING, OBJECTS_CLASS } from '../../../doctor/src/config/object-classes.ts'
import { listIn, type Members } from '../../../text/src/json/members.ts'
import type { Append, Language } from './edit.ts'
import { jsonc } from './jsonc.ts'
import { toml } from './toml.ts'

/** The top level, or one environment. */
export interface Scope {
  /** Undefined for the top level. */
  readonly environment: string | undefined
  readonly path: readonly string[]
  readonly value: Members
}

export const languageOf = (file: string): Language => (file.endsWith('.toml') ? toml : jsonc)

export function scopesOf(value: unknown): readonly [Scope, ...Scope[]] {
  const top = isJsonObject(value) ? value : {}
  const environments = isJsonObject(top.env) ? Object.entries(top.env) : []
  return [
    { environment: undefined, path: [], value: top },
    ...environments.flatMap(([environment, one]): Scope[] =>
      isJsonObject(one) ? [{ environment, path: ['env', environment], value: one }] : [],
    ),
  ]
}

export interface ObjectBinding {
  readonly name: string
  readonly className: string
}

/** The bindings of a scope to classes of this Worker. */
export function bindingsOf({ value }: Scope): readonly ObjectBinding[] {
  return listIn(value.durable_objects, 'bindings').flatMap((entry) => {
    if (!isJsonObject(entry) || entry.script_name !== undefined) return []
    const { name, class_name: className } = entry
    return typeof name === 'string' && typeof className === 'string' ? { name, className } : []
  })
}

/** The main modules of all scopes, as the configuration names them. */
export function mainModules(scopes: readonly Scope[]): readonly string[] {
  const mains = scopes.flatMap(({ value }) => (typeof value.main === 'string' ? value.main : []))
  return [...new Set(mains)]
}

const textsIn = (list: readonly unknown[]): readonly string[] =>
  list.filter((one): one is string => typeof one === 'string')

const ASYNC_HOOKS = ['nodejs_compat', 'nodejs_compat_v2', 'nodejs_als']

/** `AsyncLocalStorage`: a flag of the scope itself, because a list of an environment replaces that of the top level. */
export function flagEdits(scopes: readonly Scope[]): readonly Append[] {
  return scopes.flatMap(({ path, value }) => {
    const isReplaced = path.length === 0 || value.compatibility_flags !== undefined
    const flags = textsIn(listIn(value, 'compatibility_flags'))
    if (!isReplaced || flags.some((flag) => ASYNC_HOOKS.includes(flag))) return []
    return [{ path: [...path, 'compatibility_flags'], entry: 'nodejs_als' }]
  })
}

/**
 * The binding of the class of Edgeway in each scope that binds an agent, and the migration that creates it.
 *
 * @param isAgent whether a binding has the class of an agent
 */
export function objectsEdits(
  scopes: readonly Scope[],
  isAgent: (binding: ObjectBinding) => boolean,
): readonly Append[] {
  const using = scopes.filter((scope) => bindingsOf(scope).some(isAgent))
  const unbound = using.filter(
    (scope) =>
      !bindingsOf(scope).some(({ className }) => className === OBJECTS_CLASS) &&
      !takesObjectsBinding(scope),
  )
  const bindings = unbound.map(
    ({ path }): Append => ({
      path: [...path, 'durable_objects', 'bindings'],
      entry: { name: OBJECTS_BINDING, class_name: OBJECTS_CLASS },
    }),
  )
  return using.length === 0 ? [] : [...bindings, ...scopes.flatMap(migrationEdits)]
}

/** Whether the name of the binding is that of another class, or of a class of another Worker. */
export const takesObjectsBinding = ({ value }: Scope): boolean =>
  listIn(value.durable_objects, 'bindings').some(
    (entry) =>
      isJsonObject(entry) &&
      entry.name === OBJECTS_BINDING &&
      (entry.class_name !== OBJECTS_CLASS || entry.script_name !== undefined),
  )

function migrationEdits({ path, value }: Scope): readonly Append[] {
  // An environment inherits the migrations of the top level.
  if (path.length > 0 && value.migrations === undefined) return []
  if (isJsonObject(value.exports)) return []
  const migrations = listIn(value, 'migrations').filter(isJsonObject)
  const created = migrations.flatMap((migration) => [
    ...listIn(migration, 'new_sqlite_classes'),
    ...listIn(migration, 'new_classes'),
  ])
  if (created.includes(OBJECTS_CLASS)) return []
  const tags = migrations.map(({ tag }) => String(tag))
  const entry = { tag: nextTag(tags), new_sqlite_classes: [OBJECTS_CLASS] }
  return [{ path: [...path, 'migrations'], entry }]
}

/** `v3` after `v1` and `v2`; a word after tags of another form. */
export function nextTag(tags: readonly string[]): string {
  const last = tags.at(-1)
  if (last === undefined) return 'v1'
  const [, prefix, number] = /^(\D*)(\d{1,9})$/.exec(last) ?? []
  let count = Number(number)
  const next = () =>
    number === undefined ? `${last}-edgeway` : `${prefix}${padded(++count, number)}`
  let tag = next()
  for (let more = 2; tags.includes(tag); more++) {
    tag = number === undefined ? `${last}-edgeway-${more}` : next()
  }
  return tag
}

const padded = (count: number, like: string): string => String(count).padStart(like.length, '0')

/** Whether the classes are declared by `exports`, in place of migrations. */
export const declaresExports = ([top]: readonly [Scope, ...Scope[]]): boolean =>
  isJsonObject(top.value.exports)

/** Classes that a migration creates without SQLite. */
export function keyValueClasses(scopes: readonly Scope[]): readonly string[] {
  return scopes.flatMap(({ value }) =>
    listIn(value, 'migrations').flatMap((migration) => textsIn(listIn(migration, 'new_classes'))),
  )
}

/** The names of variables and secrets that a configuration declares. */
export function variablesOf({ value }: Scope): readonly string[] {
  const variables = isJsonObject(value.vars) ? Object.keys(value.vars) : []
  return [...variables, ...textsIn(listIn(value.secrets, 'required'))]
}

/** Whether a route of a custom domain gives requests another host in `wrangler dev`. */
export function hasCustomDomain(scopes: readonly Scope[]): boolean {
  return scopes.some(({ value }) =>
    [...listIn(value, 'routes'), value.route].some(
      (route) => isJsonObject(route) && route.custom_domain === true,
    ),
  )
}
