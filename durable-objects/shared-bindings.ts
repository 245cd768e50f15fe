/**
 * Reports servers of one Worker that share what each needs for itself. An isolate sees it when the second server is used
 * in it, before an object refuses a request.
 */
import { perObject } from '../src/platform/per-object.ts'
import type { TelemetrySink } from '../src/ports/telemetry.ts'
import { isSameServer, serverLabel } from '../src/protocol/served-server.ts'

/** The first server of this isolate that has used each binding, and each audience, by environment. */
const usersIn = perObject((_: object) => new Map<string, string>())

export type BindingOption = 'sessions' | 'tasks' | 'events'

/** @throws {TypeError} for a name that is no text */
export function checkBinding(option: BindingOption, binding: unknown): void {
  if (typeof binding !== 'string' || binding === '') {
    throw new TypeError(`${option}({ binding }) must be a text with at least one character`)
  }
}

/** The objects of a binding that each server of a Worker needs for itself. Reports that another server uses it too. */
export function ownBinding<Objects>(
  bindings: Readonly<Record<string, unknown>>,
  binding: string,
  option: BindingOption,
  { serverOfVersion: server, report }: BindingUser,
): Objects | undefined {
  const objects = bindings[binding] as Objects | undefined
  if (objects === undefined) return undefined
  const owner = firstUser(bindings, `binding ${binding}`, server)
  if (isSameServer(owner, server)) return objects
  const servers = `${serverLabel(owner)} and ${serverLabel(server)}`
  report({
    type: 'definition-warning',
    subject: `The binding ${binding}`,
    message: `the servers ${servers} use it, and its objects refuse the requests of one of them. Export a class for each server, and name its binding in ${option}({ binding })`,
  })
  return objects
}

interface BindingUser {
  readonly serverOfVersion: string
  readonly report: TelemetrySink
}

export interface AudienceUse {
  /** From `serverText`. */
  readonly server: string
  readonly audience: string
  readonly report: TelemetrySink
}

export function reportSharedAudience(env: object, { server, audience, report }: AudienceUse): void {
  const first = firstUser(env, `audience ${audience}`, server)
  if (isSameServer(first, server)) return
  report({
    type: 'definition-warning',
    subject: `The servers ${serverLabel(first)} and ${serverLabel(server)}`,
    message:
      'have the same name, so that one accepts what the other has sealed for anonymous callers, and receives its notifications. Give each a name of its own in the option audience of createEdgeway',
  })
}

function firstUser(env: object, key: string, server: string): string {
  const users = usersIn(env)
  const first = users.get(key) ?? server
  users.set(key, first)
  return first
}
