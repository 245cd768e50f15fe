/**
 * Check: the migrations, or the map of exports that replaces them, create each bound class with SQLite, and
 * the main module exports each class that they create.
 */

import { quoted } from '../../../../text/src/quoted.ts'
import { type Detected, detected } from '../../doctor/detected.ts'
import type { WorkerDescription } from '../inspector.ts'
import { OBJECTS_BINDING } from '../object-classes.ts'
import type { Check } from '../project-observations.ts'
import type { WranglerConfig } from '../wrangler.ts'
import { isMissing, ownBindings } from './objects.ts'

/** What the platform has for a class. `removed`: deleted, renamed or transferred away. */
type ClassState = 'sqlite' | 'key-value' | 'removed'

export const migrations: Check = (environment, { worker }) => {
  const { states, contradictions } = statesOf(environment.config)
  const own = ownBindings(environment)
  const bound = new Set(own.map(({ class_name }) => class_name))
  const isOfEdgeway = (className: string) =>
    own.some(({ name, class_name }) => name === OBJECTS_BINDING && class_name === className) ||
    worker?.exports.some(
      ({ name, audiences, isAgent }) => name === className && (isAgent || audiences !== undefined),
    )
  const faults = [...bound].flatMap((name): Detected[] => {
    const state = states.get(name)
    if (state === 'removed') {
      return [detected('migration-class-removed', `The class ${quoted(name)}`)]
    }
    if (state === 'key-value' && isOfEdgeway(name)) {
      return [detected('migration-not-sqlite', `The class ${quoted(name)}`)]
    }
    if (state !== undefined || isMissing(name, worker) || contradictions.length > 0) return []
    return [detected('migration-missing', `The class ${quoted(name)}`)]
  })
  // A class that is bound under its former name is one finding.
  const isContradictory =
    contradictions.length > 0 || [...bound].some((name) => states.get(name) === 'removed')
  const left = isContradictory ? [] : classesLeft(states, bound, worker)
  return [...contradictions, ...faults, ...left, ...orderFaults(environment.config)]
}

/** The classes that exist and are neither bound nor exported: the platform refuses such a deployment. */
function classesLeft(
  states: ReadonlyMap<string, ClassState>,
  bound: ReadonlySet<string>,
  worker: WorkerDescription | undefined,
): readonly Detected[] {
  return [...states].flatMap(([name, state]) =>
    state !== 'removed' && !bound.has(name) && isMissing(name, worker)
      ? [detected('migration-class-not-exported', `The class ${quoted(name)}`)]
      : [],
  )
}

function statesOf(config: WranglerConfig) {
  const states = new Map<string, ClassState>()
  const contradictions: Detected[] = []
  const contradict = (text: string) => contradictions.push(detected('migration-invalid', text))
  const create = (name: string, state: ClassState, tag: string) => {
    if (states.has(name) && states.get(name) !== 'removed') {
      contradict(`The migration ${quoted(tag)} creates ${quoted(name)}, which exists`)
    }
    states.set(name, state)
  }
  const remove = (name: string, verb: string, tag: string) => {
    const state = states.get(name)
    if (state === undefined || state === 'removed') {
      contradict(`The migration ${quoted(tag)} ${verb} ${quoted(name)}, which does not exist`)
    }
    states.set(name, 'removed')
    return state ?? 'sqlite'
  }
  const tags = new Set<string>()
  for (const migration of config.migrations) {
    const { tag } = migration
    if (tags.has(tag)) contradict(`Two migrations have the tag ${quoted(tag)}`)
    tags.add(tag)
    for (const name of migration.new_sqlite_classes ?? []) create(name, 'sqlite', tag)
    for (const name of migration.new_classes ?? []) create(name, 'key-value', tag)
    for (const { from, to } of migration.renamed_classes ?? []) {
      create(to, remove(from, 'renames', tag), tag)
    }
    for (const { to } of transferredIn(migration)) create(to, 'sqlite', tag)
    for (const name of migration.deleted_classes ?? []) remove(name, 'deletes', tag)
  }
  for (const [name, state] of declaredStates(config)) states.set(name, state)
  return { states, contradictions }
}

/** The type of wrangler does not have them, and its schema does. */
function transferredIn(migration: object): readonly { readonly to: string }[] {
  const { transferred_classes: transferred = [] } = migration as {
    readonly transferred_classes?: readonly { readonly to: string }[]
  }
  return transferred
}

/** `exports` declares the present state of each class, and excludes migrations. */
function declaredStates(config: WranglerConfig): readonly (readonly [string, ClassState])[] {
  const { exports: declared = {} } = config as {
    readonly exports?: Readonly<Record<string, object>>
  }
  return Object.entries(declared).flatMap(([name, entry]): (readonly [string, ClassState])[] => {
    const { type, storage } = entry as { readonly type?: unknown; readonly storage?: unknown }
    if (type !== 'durable-object') return []
    if (storage === undefined) return [[name, 'removed']]
    return [[name, storage === 'sqlite' ? 'sqlite' : 'key-value']]
  })
}

/** Tags such as v1, v2, v10: only those that end in a number have an order. */
function orderFaults({ migrations: list }: WranglerConfig): readonly Detected[] {
  const tags = list.flatMap(({ tag }) => {
    const [, prefix, digits] = /^([^0-9]*)([0-9]{1,9})$/.exec(String(tag)) ?? []
    return digits === undefined ? [] : { tag, prefix, number: Number(digits) }
  })
  const late = tags.find(
    ({ prefix, number }, index) =>
      index > 0 && tags[index - 1]?.prefix === prefix && number < (tags[index - 1]?.number ?? 0),
  )
  if (late === undefined) return []
  const all = list.map(({ tag }) => tag).join(', ')
  return [detected('migration-order', `${quoted(late.tag)} comes late in ${quoted(all)}`)]
}
