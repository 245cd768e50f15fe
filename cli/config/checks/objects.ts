/** Check: each Durable Object class that the app needs is bound and exported. */
import { type Detected, detected } from '../../doctor/detected.ts'
import { isObject, quoted } from '../../doctor/text.ts'
import type { DescribedApp, WorkerDescription } from '../inspector.ts'
import { OBJECT_CLASSES } from '../object-classes.ts'
import type { Check, ObservedEnvironment, ProjectObservations } from '../project-observations.ts'

/** Bindings that Edgeway reads, each with its class. */
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
  const lacking = lackingBindings(apps, environment).filter(
    ([name]) => !needed.some(([one]) => one === name),
  )
  const unbound = [...lostBindings(worker, expected)].filter(
    (entry) => !isBound(entry) && !needed.some(([name]) => name === entry[0]),
  )
  const sealing = [...needed, ...unbound].some(([, kind]) => kind === 'McpKeyring')
  const notExported = own
    .filter(({ class_name }) => isMissing(class_name, worker))
    .map(({ name }) => name)
  const isUnused = ({ class_name }: ObjectBinding) =>
    worker?.exports.some((entry) => entry.name === class_name && entry.isUnused === true)
  const unused = own.filter(isUnused).map(({ name }) => name)
  const used = bound.filter((name) => !notExported.includes(name) && !unused.includes(name))
  return [
    ...own.flatMap((binding) => bindingFaults(binding, expected, worker, bound)),
    ...listed('object-binding-missing', [...needed, ...lacking], bindingText),
    ...listed('object-not-bound', unbound, bindingText),
    ...listed('object-binding-unused', unusedBindings(used, apps), (text) => text),
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

/** Without an app, the classes of all features. */
function expectedBindings(apps: readonly DescribedApp[]): Expected {
  if (apps.length > 0) {
    return new Map([...bindingsOf(apps, ({ classes }) => classes), ...pairedBindings(apps)])
  }
  return new Map([...OBJECT_CLASSES].map(([kind, { binding }]) => [binding, kind]))
}

/** The bindings of features of the author that have one class and one binding, so that they belong together. */
const pairedBindings = (apps: readonly DescribedApp[]): readonly (readonly [string, string])[] =>
  apps.flatMap(({ required = [] }) =>
    required.flatMap(({ feature, binding, classes }) => {
      const isOnly = required.filter((other) => other.feature === feature).length === 1
      const [kind] = classes
      return isOnly && classes.length === 1 && kind !== undefined ? [[binding, kind] as const] : []
    }),
  )

/** The bindings of features of the author that the configuration lacks, each with its classes. */
function lackingBindings(
  apps: readonly DescribedApp[],
  { config }: ObservedEnvironment,
): readonly (readonly [string, string])[] {
  const paired = new Set(pairedBindings(apps).map(([name]) => name))
  const lacking = apps
    .flatMap(({ required = [] }) => required)
    .filter(({ binding }) => !paired.has(binding) && !isConfigured(config, binding))
  return [...new Map(lacking.map(({ binding, classes }) => [binding, classes.join('" or "')]))]
}

/** Whether the configuration has a binding of any kind with the name: a feature may have a bucket too. */
function isConfigured(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((one) => isConfigured(one, name))
  if (!isObject(value)) return false
  if (value.name === name || value.binding === name) return true
  return Object.entries(value).some(
    ([member, one]) =>
      (member === 'vars' && isObject(one) && name in one) || isConfigured(one, name),
  )
}

/** The bindings of some classes of each app, without those of an author's feature. */
function bindingsOf(
  apps: readonly DescribedApp[],
  kindsOf: (app: DescribedApp) => readonly string[],
): Expected {
  const entries = apps.flatMap((app) =>
    kindsOf(app).map((kind) => [bindingIn(app, kind), kind] as const),
  )
  return new Map(entries.flatMap(([binding, kind]) => (binding ? [[binding, kind]] : [])))
}

/** The binding that an app reads for a class of Edgeway. */
function bindingIn(app: DescribedApp, kind: string): string | undefined {
  const { sessionBinding, taskBinding, eventBinding } = app
  const own = { McpSession: sessionBinding, McpTask: taskBinding, McpEvents: eventBinding }[kind]
  return own ?? OBJECT_CLASSES.get(kind)?.binding
}

/** The bindings without which requests fail. */
const neededBindings = (apps: readonly DescribedApp[]): Expected =>
  new Map([
    ...pairedBindings(apps),
    ...bindingsOf(apps, (app) => [
      ...(isEmbedded(app) ? ['McpKeyring', 'McpAccount'] : []),
      ...(needsSessions(app) ? ['McpSession'] : []),
      ...(hasTasks(app) ? ['McpTask'] : []),
      ...(hasFiles(app) ? ['McpState'] : []),
      ...(app.eventBinding === undefined ? [] : ['McpEvents']),
    ]),
  ])

/** A binding with a name of its own is in use, as that of an agent is. */
const needsSessions = ({ sessionsOnly, sessionBinding = 'MCP_SESSION' }: DescribedApp) =>
  sessionsOnly === true || sessionBinding !== 'MCP_SESSION'

/**
 * The bindings without which a feature is lost. A secret can replace the keyring, so it is one of them where
 * the main module exports it.
 */
function lostBindings(worker: WorkerDescription | undefined, expected: Expected): Expected {
  const apps = worker?.apps ?? NO_APPS
  const exported = (worker?.exports ?? []).map(({ name }) => classOf(name, worker))
  if (apps.length === 0) return new Map([...expected].filter(([, kind]) => exported.includes(kind)))
  const isLost = (app: DescribedApp, kind: string) => {
    if (kind === 'McpKeyring') return exported.includes(kind)
    return kind !== 'McpTask' || mayHaveTasks(app)
  }
  return bindingsOf(apps, (app) => app.classes.filter((kind) => isLost(app, kind)))
}

const isEmbedded = ({ auth }: DescribedApp) => auth?.type === 'embedded'
const hasTasks = ({ tools = [] }: DescribedApp) => tools.some(({ task }) => task)
const mayHaveTasks = (app: DescribedApp) => app.tools === undefined || hasTasks(app)
const hasFiles = ({ tools = [] }: DescribedApp) => tools.some(({ files }) => files)

function knowsClasses(worker: WorkerDescription | undefined): worker is WorkerDescription {
  return worker !== undefined && worker.apps.length > 0
}

/** The class of Edgeway behind the name of an export; by its name where the classes are not known. */
export function classOf(name: string, worker: WorkerDescription | undefined): string | undefined {
  // Without an app, the classes of Edgeway are not known.
  if (!knowsClasses(worker)) return OBJECT_CLASSES.has(name) ? name : undefined
  const found = worker.exports.find((entry) => entry.name === name)
  return found?.isAgent === true ? 'McpSession' : found?.objectClass
}

function bindingFaults(
  { name, class_name: className }: ObjectBinding,
  expected: Expected,
  worker: WorkerDescription | undefined,
  bound: readonly string[],
): readonly Detected[] {
  const binding = `The binding ${quoted(name)} has the class ${quoted(className)}`
  if (isMissing(className, worker)) {
    const exported = worker.exports.map((entry) => entry.name).join(', ')
    const text = `${binding}; the exported classes are ${quoted(exported)}${lackOf(className, worker)}`
    return [detected('object-not-exported', text)]
  }
  const kind = classOf(className, worker)
  const right = expected.get(name)
  if (right !== undefined) {
    if (kind === right || !knowsClasses(worker)) return []
    return [detected('object-binding-wrong-class', `${binding} and needs ${right}`)]
  }
  const names = [...expected].filter(([, of]) => of === kind).map(([correct]) => correct)
  // An agent that is served at another path names its binding there, which is known when that path is requested.
  const isOtherAgent = isAgent(className, worker) && names.every((one) => bound.includes(one))
  if (names.length === 0 || isOtherAgent) return []
  return [detected('object-binding-misnamed', `${binding}; rename it to ${names.join(' or ')}`)]
}

function isAgent(className: string, worker: WorkerDescription | undefined): boolean {
  return worker?.exports.find(({ name }) => name === className)?.isAgent === true
}

/** Whether the main module, whose exports are known, does not export the class. */
export function isMissing(
  className: string,
  worker: WorkerDescription | undefined,
): worker is WorkerDescription {
  return worker !== undefined && !worker.exports.some(({ name }) => name === className)
}

/** What brings a class of Edgeway, where the app does not have it: the feature may have been removed. */
export function lackOf(className: string, { apps }: WorkerDescription): string {
  const kind = OBJECT_CLASSES.get(className)
  if (kind === undefined || apps.length === 0) return ''
  if (apps.some(({ classes }) => classes.includes(className))) return ''
  return `; it needs ${kind.broughtBy}, which the app does not have`
}

function unusedBindings(bound: readonly string[], apps: readonly DescribedApp[]): string[] {
  if (apps.length === 0) return []
  const unused = [...OBJECT_CLASSES].flatMap(([kind, { binding, broughtBy }]) =>
    bound.includes(binding) && !apps.some(({ classes }) => classes.includes(kind))
      ? [`${binding} is for ${broughtBy}, which the app does not have`]
      : [],
  )
  const task = apps.map(({ taskBinding }) => taskBinding).find((name) => isIn(bound, name))
  if (task !== undefined && !apps.some(mayHaveTasks)) {
    unused.push(`${task} is for tools with the option task, which the app does not have`)
  }
  return unused
}

const isIn = (bound: readonly string[], name: string | undefined): name is string =>
  name !== undefined && bound.includes(name)

/** The ids of sessions and tasks are sealed, the handles of state, and the secrets of subscriptions. */
const SEALING = ['McpSession', 'McpTask', 'McpState', 'McpEvents']

function sealingFaults(
  bound: readonly string[],
  apps: readonly DescribedApp[],
  secrets: readonly string[],
): readonly Detected[] {
  const sealing = [...expectedBindings(apps)].filter(([, kind]) => SEALING.includes(kind))
  const using =
    apps.length === 0 ? [] : sealing.map(([name]) => name).filter((name) => isIn(bound, name))
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

/** The names of the variables and secrets that an environment is known to have. */
function knownSecrets(
  { config }: ObservedEnvironment,
  { secretFiles }: ProjectObservations,
): readonly string[] {
  const local = secretFiles.flatMap(({ values }) =>
    [...values].flatMap(([name, value]) => (value === '' ? [] : name)),
  )
  const variables = Object.entries(config.vars).flatMap(([name, value]) =>
    value === '' ? [] : name,
  )
  return [...local, ...variables, ...(config.secrets?.required ?? [])]
}
