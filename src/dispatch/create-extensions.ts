/** Merges what features add to dispatch. */
import type { ServerCapabilities } from '../protocol/capabilities.ts'
import type { Definition } from '../server/definition.ts'
import { capabilitiesOf } from './capabilities.ts'
import type { ContextMembers, DispatchParts, Extensions, MethodRow } from './extensions.ts'
import { contextClassOf } from './handler-context.ts'
import { CORE_METHODS } from './methods/core-methods.ts'
import type { MethodEntry } from './methods/method.ts'

/** Notifications of clients that have no method. */
const NOTIFICATIONS: readonly string[] = [
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
]

/** @param absent the features that bring further members of the context, by member */
export function createExtensions(
  parts: readonly DispatchParts[],
  absent: Readonly<Record<string, string>> = {},
): Extensions {
  const rows = [...parts.flatMap(({ methods = [] }) => methods), ...CORE_METHODS]
  // At most one feature brings each of them.
  const { rounds, longCalls, uploads, callers, resources }: DispatchParts = Object.assign(
    {},
    ...parts,
  )
  const context: ContextMembers = Object.assign({}, ...parts.map(({ context }) => context))
  const modernMethods = tableOf(rows, 'modern')
  const sessionMethods = tableOf(rows, 'session')
  const others = new Set([
    ...NOTIFICATIONS,
    ...parts.flatMap(({ otherMethods = [] }) => otherMethods),
  ])
  return {
    modernMethods,
    sessionMethods,
    isKnownMethod: (method) =>
      modernMethods.has(method) || sessionMethods.has(method) || others.has(method),
    capabilitiesOf: (definition) =>
      merge([capabilitiesOf(definition), ...parts.map((part) => partOf(part, definition))]),
    offered: (capabilities, call) =>
      parts.reduce((offered, { offer }) => offer?.(offered, call) ?? offered, capabilities),
    declared: new Set(parts.flatMap(({ declared = [] }) => declared)),
    context,
    absent,
    Context: contextClassOf(context, absent),
    rounds,
    longCalls,
    tools: parts.flatMap(({ tools = [] }) => tools),
    uploads,
    callers,
    resources,
  }
}

function tableOf(
  rows: readonly MethodRow[],
  era: 'modern' | 'session',
): ReadonlyMap<string, MethodEntry> {
  const own = rows.filter((row) => row.era === undefined || row.era === era)
  return new Map(own.map(({ method, ...entry }) => [method, entry]))
}

const partOf = ({ capabilities }: DispatchParts, definition: Definition): ServerCapabilities =>
  capabilities?.(definition) ?? {}

function merge(all: readonly ServerCapabilities[]): ServerCapabilities {
  const extensions: ServerCapabilities['extensions'] = Object.assign(
    {},
    ...all.map((each) => each.extensions),
  )
  const { extensions: _, ...merged }: ServerCapabilities = Object.assign({}, ...all)
  return Object.keys(extensions ?? {}).length === 0 ? merged : { ...merged, extensions }
}
