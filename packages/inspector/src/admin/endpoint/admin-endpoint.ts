/** `POST /admin`: one operation of the admin API, as JSON `{ "operation": "revoke-grant", "subject": … }`. */

import { OperationError } from '../../../../../src/index.ts'
import {
  checkMediaType,
  type Exchange,
  type Handlers,
  jsonResponse,
  Refusal,
  readJson,
} from '../../../../../src/internal.ts'
import type { AuthInfo } from '../../../../../src/protocol/auth-info.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import type { TimelineControl } from '../../timeline/timeline-control.ts'
import { type AdminOperation, findOperation } from '../admin-operations.ts'
import type { Admin } from '../control/admin.ts'
import type { PrincipalPlace } from '../control/views.ts'
import type { AdminOptions } from './admin-options.ts'
import { readTimeline, switchTimelineOff, switchTimelineOn } from './timeline-operations.ts'

export interface AdminEndpointContext {
  readonly options: AdminOptions
  readonly adminOf: (env: unknown) => Admin
  /** Undefined where no timeline can be stored. */
  readonly timelineOf: (env: unknown) => TimelineControl | undefined
  /** The paths of the endpoint without params. */
  readonly paths: readonly string[]
}

export function createAdminHandlers(context: AdminEndpointContext): Handlers {
  const { options, adminOf, timelineOf, paths } = context
  return {
    async POST(exchange) {
      checkMediaType(exchange)
      const auth = authorize(exchange, options)
      const operation = readOperation(await readJson(exchange))
      const { env } = exchange
      try {
        const [admin, timeline, places] = [adminOf(env), timelineOf(env), placesOf(auth, paths)]
        const result = await run({ ...operation, admin, timeline, places })
        return jsonResponse(JSON.stringify({ result }), {
          ...exchange.extraHeaders,
          'cache-control': 'no-store',
        })
      } catch (error) {
        if (error instanceof OperationError) throw new Refusal('params-malformed', error.message)
        throw error
      }
    },
  }
}

/** @throws {Refusal} `administrator-required` */
function authorize({ auth, challenge }: Exchange, { owners, scope }: AdminOptions): AuthInfo {
  if (auth === undefined || owners?.includes(auth.subject) === false) {
    throw new Refusal('administrator-required', 'You are no owner of this server')
  }
  if (scope !== undefined && !auth.scopes.includes(scope)) {
    throw new Refusal('administrator-required', `This needs the scope ${scope}`, {
      headers: { 'www-authenticate': challenge([scope]) },
    })
  }
  return auth
}

interface Requested {
  readonly name: AdminOperation
  readonly params: Readonly<Record<string, string>>
  readonly flags: readonly string[]
}

/** @throws {Refusal} for anything but an operation with exactly its parameters */
function readOperation(body: unknown): Requested {
  if (!isJsonObject(body)) throw malformed('The body must be a JSON object')
  const { operation: name, ...given } = body
  const operation = findOperation(name)
  if (operation === undefined) throw malformed('"operation" must name an operation')
  const { params, optional, flags = [] } = operation
  const texts: Record<string, string> = {}
  const known = [...params, ...flags, ...(optional === undefined ? [] : [optional])]
  const unknown = Object.keys(given).find((each) => !known.includes(each))
  if (unknown !== undefined) throw malformed(`${name} has no parameter of this name`)
  const isGiven = optional !== undefined && given[optional] !== undefined
  for (const param of isGiven ? [...params, optional] : params) {
    const text = given[param]
    if (typeof text !== 'string') throw malformed(`${name} needs the text "${param}"`)
    texts[param] = text
  }
  const wrong = flags.find((flag) => !['undefined', 'boolean'].includes(typeof given[flag]))
  if (wrong !== undefined) throw malformed(`"${wrong}" must be true or false`)
  const set = flags.filter((flag) => given[flag] === true)
  return { name: name as AdminOperation, params: texts, flags: set }
}

const malformed = (text: string) => new Refusal('message-malformed', text)

/** Where a person may have data, seen from the resource of the administrator. */
function placesOf({ issuer, resource }: AuthInfo, paths: readonly string[]): PrincipalPlace[] {
  // Without a configured origin, callers of verifier() and fromContext() have the resource urn:edgeway:NAME/PATH.
  const base = resource.startsWith('urn:')
    ? resource.slice(0, resource.indexOf('/'))
    : new URL(resource).origin
  return paths.map((path) => ({ issuer, resource: `${base}${path}` }))
}

interface Operation extends Requested {
  readonly admin: Admin
  readonly timeline: TimelineControl | undefined
  readonly places: readonly PrincipalPlace[]
}

/** An operation has exactly its parameters, so those of others are not read. */
async function run({ name, params, flags, admin, timeline, places }: Operation): Promise<unknown> {
  const { subject = '', grant = '', client = '', session = '', task = '' } = params
  const operations: Readonly<Record<AdminOperation, () => unknown>> = {
    health: () => admin.health(),
    'rotate-keys': () => admin.rotateKeys({ discard: flags.includes('discard') }),
    'revoke-everyone': () => admin.revokeEveryone(),
    'revoke-client': () => admin.revokeClient(client),
    'revoke-person': () => admin.revokePerson(subject, places),
    grants: async () => ({ grants: await admin.grants(subject) }),
    'revoke-grant': async () => ({ revoked: await admin.revokeGrant(subject, grant) }),
    sessions: async () => ({ sessions: await admin.sessions(subject, places) }),
    'end-session': async () => ({ ended: await admin.endSession(subject, session, places) }),
    subscriptions: async () => ({
      subscriptions: await admin.subscriptions(subject, places),
    }),
    'end-subscriptions': async () => ({
      ended: await admin.endSubscriptions(subject, params.subscription, places),
    }),
    tasks: async () => ({ tasks: await admin.tasks(subject) }),
    'end-task': async () => ({ ended: await admin.endTask(task) }),
    'delete-person': () => admin.deletePerson(subject, places),
    timeline: () => readTimeline(timeline, params.connection),
    'timeline-on': () => switchTimelineOn(timeline, params.minutes),
    'timeline-off': () => switchTimelineOff(timeline),
  }
  return operations[name]()
}
