/** Check: each Durable Object class that the app needs is bound and exported. */
import { type Detected, detected } from '../../doctor/detected.ts'
import { quoted } from '../../doctor/text.ts'
import type { DescribedApp, WorkerDescription } from '../inspector.ts'
import { knownSecrets } from '../known-secrets.ts'
import type { Check, ObservedEnvironment } from '../project-observations.ts'

/** A binding that Edgeway reads, and its class. */
type Expected = ReadonlyMap<string, string>

const NO_APPS: readonly DescribedApp[] = []

export const objects: Check = (environment, project) => {
  const { worker } = project
  const apps = worker?.apps ?? NO_APPS
  const expected = expectedBindings(apps)
  const own = ownBindings(environment)
  const bound = environment.config.durable_objects.bindings.map(({ name }) => name)
  const kinds = own.map(({ class_name }) => classOf(class_name, worker))
  const isBound = ([name, kind]: readonly [string, string]) =>
    bound.includes(name) || kinds.includes(kind)
  const needed = [...neededBindings(apps)].filter((entry) => !isBound(entry))
  const unbound = unboundExports(worker, expected).filter(
    (entry) => !isBound(entry) && !needed.some(([name]) => name === entry[0]),
  )
  const sealing = [...needed, ...unbound].some(([, kind]) => kind === 'McpKeyring')
  return [
    ...own.flatMap((binding) => bindingFaults(binding, expected, worker)),
    ...listed('object-binding-missing', needed, bindingText),
    ...listed('object-not-bound', unbound, bindingText),
    ...listed('object-binding-unused', unusedBindings(bound, apps), (text) => text),
    ...(sealing || kinds.includes('McpKeyring') || bound.includes('MCP_KEYRING')
      ? []
      : sealingFaults(bound, apps, knownSecrets(environment, project))),
  ]
}

interface ObjectBinding {
  readonly name: string
  readonly class_name: string
  readonly script_name?: string | undefined
}

/** The bindings of classes of this Worker. */
export function ownBindings({ config }: ObservedEnvironment): readonly ObjectBinding[] {
  return config.durable_objects.bindings.filter(
    ({ script_name }) => script_name === undefined || script_name === config.name,
  )
}

function expectedBindings(apps: readonly DescribedApp[]): Expected {
  return new Map([
    ['MCP_KEYRING', 'McpKeyring'],
    ['MCP_HUB', 'McpHub'],
    ['MCP_STATE', 'McpState'],
    ['MCP_ACCOUNT', 'McpAccount'],
    ...(apps.length === 0
      ? ([
          ['MCP_SESSION', 'McpSession'],
          ['MCP_TASK', 'McpTask'],
        ] as const)
      : []),
    ...apps.map(({ sessionBinding }) => [sessionBinding, 'McpSession'] as const),
    ...apps.map(({ taskBinding }) => [taskBinding, 'McpTask'] as const),
  ])
}

function neededBindings(apps: readonly DescribedApp[]): Expected {
  return new Map(
    apps.flatMap((app): (readonly [string, string])[] => [
      ...(isEmbedded(app) ? EMBEDDED : []),
      // A binding with a name of its own is in use, as that of an agent is.
      ...(app.sessionsOnly || app.sessionBinding !== 'MCP_SESSION'
        ? ([[app.sessionBinding, 'McpSession']] as const)
        : []),
      ...(hasTasks(app) ? ([[app.taskBinding, 'McpTask']] as const) : []),
      ...(hasFiles(app) ? ([['MCP_STATE', 'McpState']] as const) : []),
    ]),
  )
}

const EMBEDDED = [
  ['MCP_KEYRING', 'McpKeyring'],
  ['MCP_ACCOUNT', 'McpAccount'],
] as const

const isEmbedded = ({ auth }: DescribedApp) => auth?.type === 'embedded'
const hasTasks = ({ tools = [] }: DescribedApp) => tools.some(({ task }) => task)
const hasFiles = ({ tools = [] }: DescribedApp) => tools.some(({ files }) => files)

function knowsClasses(worker: WorkerDescription | undefined): worker is WorkerDescription {
  return worker !== undefined && worker.apps.length > 0
}

/** The class of Edgeway behind the name of an export; by its name where the classes are not known. */
export function classOf(name: string, worker: WorkerDescription | undefined): string | undefined {
  // Without an app, the classes of Edgeway are not known.
  if (!knowsClasses(worker))
    return /^Mcp(?:Hub|Keyring|Session|Account|State|Task)$/.exec(name)?.[0]
  const found = worker.exports.find((entry) => entry.name === name)
  return found?.isAgent === true ? 'McpSession' : found?.objectClass
}

function bindingFaults(
  { name, class_name: className }: ObjectBinding,
  expected: Expected,
  worker: WorkerDescription | undefined,
): readonly Detected[] {
  const binding = `The binding ${quoted(name)} has the class ${quoted(className)}`
  if (worker !== undefined && !worker.exports.some((entry) => entry.name === className)) {
    const exported = worker.exports.map((entry) => entry.name).join(', ')
    return [
      detected('object-not-exported', `${binding}; the exported classes are ${quoted(exported)}`),
    ]
  }
  const kind = classOf(className, worker)
  const right = expected.get(name)
  if (right !== undefined) {
    if (kind === right || !knowsClasses(worker)) return []
    return [detected('object-binding-wrong-class', `${binding} and needs ${right}`)]
  }
  const names = [...expected].filter(([, of]) => of === kind).map(([correct]) => correct)
  if (names.length === 0) return []
  return [detected('object-binding-misnamed', `${binding}; rename it to ${names.join(' or ')}`)]
}

/** Exported classes that are of use in every app. The others have a use only where they are needed. */
function unboundExports(worker: WorkerDescription | undefined, expected: Expected) {
  const exported = (worker?.exports ?? []).map(({ name }) => classOf(name, worker))
  return [...expected].filter(
    ([, kind]) => exported.includes(kind) && !['McpAccount', 'McpTask'].includes(kind),
  )
}

function unusedBindings(bound: readonly string[], apps: readonly DescribedApp[]): string[] {
  if (apps.length === 0) return []
  const unused: string[] = []
  if (bound.includes('MCP_ACCOUNT') && !apps.some(isEmbedded)) {
    unused.push('MCP_ACCOUNT is for auth: embedded(…), which the app does not have')
  }
  const isTaskless = apps.every((app) => app.tools !== undefined && !hasTasks(app))
  const task = apps.map(({ taskBinding }) => taskBinding).find((name) => bound.includes(name))
  if (task !== undefined && isTaskless) {
    unused.push(`${task} is for tools with the option task, which the app does not have`)
  }
  return unused
}

function sealingFaults(
  bound: readonly string[],
  apps: readonly DescribedApp[],
  secrets: readonly string[],
): readonly Detected[] {
  const names = apps.flatMap(({ sessionBinding, taskBinding }) => [sessionBinding, taskBinding])
  const using = [...new Set(names)].filter((name) => bound.includes(name))
  if (using.length === 0 || secrets.includes('EDGEWAY_SECRET')) return []
  const text = `${using.join(' and ')} need MCP_KEYRING or EDGEWAY_SECRET`
  return [detected('sealing-keys-missing', text)]
}

const bindingText = ([name, kind]: readonly [string, string]) =>
  `${quoted(name)} with the class ${quoted(kind)}`

/** One finding for all that have the same fault. */
function listed<T>(
  code: Detected['code'],
  entries: readonly T[],
  text: (entry: T) => string,
): readonly Detected[] {
  return entries.length === 0 ? [] : [detected(code, entries.map(text).join(', '))]
}
