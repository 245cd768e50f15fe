/**
 * A deployment of two versions, as during a gradual deployment: some of its Durable Objects run another
 * version than the Worker that calls them. Both use the storage that one version alone would use.
 */
import type { WorkerBundle } from './bundle-cache.ts'

export interface ObjectsVersion {
  readonly bundle: WorkerBundle
  /** The classes of the objects that run this version. */
  readonly classes: readonly string[]
}

/** The first Worker serves requests and hosts all other classes, except those that its version does not have. */
export function splitDeployment(bundle: WorkerBundle, objects: ObjectsVersion): WorkerBundle[] {
  const name = String(bundle.options.name)
  const objectsName = `${name}-objects`
  const hostOf = (className: string) =>
    objects.classes.includes(className) || !hasClass(bundle, className) ? objectsName : name
  const withHosts = ({ script, options }: WorkerBundle, workerName: string): WorkerBundle => {
    const bindings = Object.entries(options.durableObjects ?? {}).map(([binding, object]) => {
      if (typeof object === 'string') throw new TypeError(`${binding} is no SQLite class`)
      const scriptName = hostOf(object.className)
      const isHosted = scriptName === workerName
      const key = isHosted ? { unsafeUniqueKey: `${name}-${object.className}` } : {}
      return [binding, { ...object, scriptName, ...key }] as const
    })
    const durableObjects = Object.fromEntries(bindings)
    return { script, options: { ...options, name: workerName, durableObjects } }
  }
  return [withHosts(bundle, name), withHosts(objects.bundle, objectsName)]
}

function hasClass({ options }: WorkerBundle, className: string): boolean {
  return Object.values(options.durableObjects ?? {}).some(
    (object) => typeof object === 'object' && object.className === className,
  )
}
