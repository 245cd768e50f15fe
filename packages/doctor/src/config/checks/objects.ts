/** Check: the class of Edgeway and those of an author's features are bound and exported. */
import { isServerKind, type Kind } from '../../../../../src/ports/object-kinds.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { type Detected, detected } from '../../doctor/detected.ts'
import type { DescribedApp, DescribedExport, WorkerDescription } from '../inspector.ts'
import { OBJECTS_BINDING, OBJECTS_CLASS } from '../object-classes.ts'
import type { Check, ObservedEnvironment, ProjectObservations } from '../project-observations.ts'

export const objects: Check = (environment, project) => {
  const { worker } = project
  const bound = environment.config.durable_objects.bindings.map(({ name }) => name)
  return [
    ...ownBindings(environment).flatMap((binding) => bindingFaults(binding, worker)),
    ...(worker === undefined
      ? []
      : missingBindings(bound, worker, hasSecret(environment, project))),
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

/** Whether the main module, whose exports are known, does not export the class. */
export function isMissing(className: string, worker: WorkerDescription | undefined): boolean {
  return worker !== undefined && !worker.exports.some(({ name }) => name === className)
}

/** The feature of the binding of an agent, whose class is that of its sessions. */
const AGENT_FEATURE = 'McpAgent'

const isAgent = ({ required }: DescribedApp) =>
  required.some(({ feature }) => feature === AGENT_FEATURE)

/** The kinds of objects that an app has in the class. Every app has the kind `place`. */
const kindsOf = (app: DescribedApp): readonly string[] =>
  app.kinds.filter((kind) => kind !== 'place' && !(kind === 'session' && isAgent(app)))

/** Whether it stores anything in the class. */
export const hasOwnObjects = (app: DescribedApp): boolean => kindsOf(app).length > 0

function bindingFaults(
  { name, class_name: className }: ObjectBinding,
  worker: WorkerDescription | undefined,
): readonly Detected[] {
  const binding = `The binding ${quoted(name)} has the class ${quoted(className)}`
  if (worker === undefined) return []
  const { apps, exports } = worker
  const found = exports.find((entry) => entry.name === className)
  if (found === undefined) {
    const exported = exports.map((entry) => entry.name).join(', ')
    const text = `${binding}; the exported classes are ${quoted(exported)}`
    return [detected('object-not-exported', text)]
  }
  if (apps.length === 0) return []
  if (name === OBJECTS_BINDING) return classFaults(found, binding, apps)
  const needed = apps.flatMap(({ required }) => required).find((one) => one.binding === name)
  if (needed === undefined || found.classes.includes(needed.className)) return []
  const text = `${binding} and needs ${quoted(needed.className)}`
  return [detected('object-binding-wrong-class', text)]
}

/** The class of {@link OBJECTS_BINDING} has the objects of every app. */
function classFaults(
  { name, audiences }: DescribedExport,
  binding: string,
  apps: readonly DescribedApp[],
): readonly Detected[] {
  if (audiences === undefined) {
    const text = `${binding}, which does not extend edgeway.Objects`
    return [detected('object-binding-wrong-class', text)]
  }
  const isIn = ({ audience }: DescribedApp) => audiences.includes(audience)
  const kinds = apps.filter(isIn).flatMap(kindsOf)
  const lacks = (kind: string) => isServerKind(kind as Kind) || !kinds.includes(kind)
  const lacking = apps.filter((app) => !isIn(app) && kindsOf(app).some(lacks))
  if (lacking.length === 0) return []
  const names = (texts: readonly string[]) => [...new Set(texts)].map(quoted).join(', ')
  const text = `The class ${quoted(name)} has the objects of ${names(audiences)}, and lacks those of ${names(lacking.map(({ audience }) => audience))}`
  return [detected('object-class-lacks-server', text)]
}

function missingBindings(
  bound: readonly string[],
  { apps, exports }: WorkerDescription,
  hasKey: boolean,
): readonly Detected[] {
  const text = (binding: string, className: string) =>
    `${quoted(binding)} with the class ${quoted(className)}`
  const missing = apps
    .flatMap(({ required }) => required)
    .filter(({ binding }) => !bound.includes(binding))
    .map(({ binding, className }) => text(binding, className))
  const exported = exports.find(({ audiences }) => audiences !== undefined)?.name
  const own = text(OBJECTS_BINDING, exported ?? OBJECTS_CLASS)
  const isBound = bound.includes(OBJECTS_BINDING)
  if (!isBound && apps.some(fails)) missing.push(own)
  else if (!isBound && !hasKey && apps.some(isAgent)) {
    missing.push(`${own}, or the secret "EDGEWAY_SECRET"`)
  } else if (!isBound && apps.some((app) => loses(app, exported !== undefined))) {
    return [...listed('object-binding-missing', missing), ...listed('object-not-bound', [own])]
  }
  return listed('object-binding-missing', missing)
}

/** One finding for all that have the same fault. */
const listed = (code: Detected['code'], texts: readonly string[]): readonly Detected[] =>
  texts.length === 0 ? [] : [detected(code, [...new Set(texts)].join(', '))]

const hasTasks = ({ tools }: DescribedApp) => tools?.some(({ task }) => task)

/** Whether requests of the app fail without its objects. */
const fails = (app: DescribedApp): boolean =>
  app.kinds.includes('account') ||
  app.kinds.includes('subscriber') ||
  (app.sessionsOnly === true && !isAgent(app)) ||
  hasTasks(app) === true ||
  app.tools?.some(({ files }) => files) === true

/** Of these, a secret replaces the first one. */
const KEYRING = ['keyring', 'principals', 'redeemed']

/** Whether a feature of the app is not served without its objects. */
const loses = (app: DescribedApp, isExported: boolean): boolean =>
  kindsOf(app).some((kind) => {
    if (KEYRING.includes(kind)) return isExported && !isAgent(app)
    return kind !== 'task' || hasTasks(app) !== false
  })

/** Whether an environment is known to have the secret that replaces the keyring. */
function hasSecret({ config }: ObservedEnvironment, { secretFiles }: ProjectObservations): boolean {
  const files = secretFiles.map(({ values }) => values.get(SECRET))
  return (
    [config.vars[SECRET], ...files].some((value) => value !== undefined && value !== '') ||
    config.secrets?.required?.includes(SECRET) === true
  )
}

const SECRET = 'EDGEWAY_SECRET'
