/** Check: each of several servers of one Worker has a name, and classes and bindings for its sessions, tasks and events. */
import { audienceOf, isSameServer, serverLabel } from '../../../src/protocol/served-server.ts'
import { type Detected, detected } from '../../doctor/detected.ts'
import { printable, quoted } from '../../doctor/text.ts'
import type { DescribedApp } from '../inspector.ts'
import type { Check, ObservedEnvironment } from '../project-observations.ts'
import { ownBindings } from './objects.ts'

const KINDS = [
  { kind: 'McpSession', feature: 'sessions', member: 'sessionBinding' },
  { kind: 'McpTask', feature: 'tasks', member: 'taskBinding' },
  { kind: 'McpEvents', feature: 'events', member: 'eventBinding' },
] as const

type Kind = (typeof KINDS)[number]

/** An app whose release announces which server it is. */
type NamedApp = DescribedApp & { readonly server: string }

const isNamed = (app: DescribedApp): app is NamedApp => app.server !== undefined

export const servers: Check = (environment, { worker }) => {
  const apps = (worker?.apps ?? []).filter(isNamed)
  if (worker === undefined || apps.length < 2) return []
  const pairs = pairsOf(apps)
  const shared = KINDS.flatMap((kind) => sharedBindings(pairs, kind, environment))
  return [
    ...shared,
    ...(shared.length === 0 ? wrongClasses(apps, worker.exports, environment) : []),
    ...sharedNames(pairs),
  ]
}

type Pair = readonly [NamedApp, NamedApp]

function pairsOf(apps: readonly NamedApp[]): readonly Pair[] {
  return apps.flatMap((one, index) => apps.slice(index + 1).map((other): Pair => [one, other]))
}

/** A server whose tools are known and need no tasks has none. */
const mayUse = ({ tools }: DescribedApp, { kind }: Kind) =>
  kind !== 'McpTask' || tools === undefined || tools.some(({ task }) => task)

function sharedBindings(
  pairs: readonly Pair[],
  kind: Kind,
  environment: ObservedEnvironment,
): readonly Detected[] {
  const bound = environment.config.durable_objects.bindings.map(({ name }) => name)
  return pairs.flatMap((pair) => {
    const [one, other] = pair
    const binding = one[kind.member]
    const isShared =
      binding !== undefined &&
      binding === other[kind.member] &&
      bound.includes(binding) &&
      !isSameServer(one.server, other.server) &&
      pair.every((app) => mayUse(app, kind))
    if (!isShared) return []
    const text = `${labelled(pair)} have ${kind.feature}({ binding: ${quoted(binding)} })`
    return [detected('servers-share-binding', text)]
  })
}

/** A binding of one server that has the class of another. */
function wrongClasses(
  apps: readonly NamedApp[],
  exported: readonly { readonly name: string; readonly server?: string }[],
  environment: ObservedEnvironment,
): readonly Detected[] {
  return ownBindings(environment).flatMap(({ name, class_name: className }) => {
    const server = exported.find((entry) => entry.name === className)?.server
    const users = apps.filter((app) => KINDS.some(({ member }) => app[member] === name))
    if (server === undefined || users.length === 0) return []
    if (users.some((app) => isSameServer(app.server, server))) return []
    const [user] = users
    const text = `The binding ${quoted(name)} of ${label(user?.server ?? '')} has the class ${quoted(className)} of ${label(server)}`
    return [detected('object-binding-wrong-class', text)]
  })
}

function sharedNames(pairs: readonly Pair[]): readonly Detected[] {
  return pairs.flatMap((pair) => {
    const [one, other] = pair
    const audience = audienceOf(one.server)
    if (audience === undefined || audience !== audienceOf(other.server)) return []
    // The same server twice, unless one of both has other callers.
    if (isSameServer(one.server, other.server) && one.auth?.type === other.auth?.type) return []
    return [detected('servers-share-name', labelled(pair))]
  })
}

const label = (server: string) => printable(serverLabel(server))

const labelled = ([one, other]: Pair) => `${label(one.server)} and ${label(other.server)}`
