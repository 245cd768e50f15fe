/** `POST /admin`: one operation of the admin API, as JSON `{ "operation": "revoke-grant", "subject": … }`. */

import { type AdminOperation, findOperation } from '../../../protocol/admin-operations.ts'
import type { AuthInfo } from '../../../protocol/auth-info.ts'
import { isJsonObject } from '../../../protocol/json.ts'
import { checkMediaType } from '../../../transport/body/media-type.ts'
import { readJson } from '../../../transport/body/read-json.ts'
import type { Handlers } from '../../../transport/endpoint.ts'
import type { Exchange } from '../../../transport/exchange.ts'
import { Refusal } from '../../../transport/refusal.ts'
import { jsonResponse } from '../../../transport/respond.ts'
import type { TimelineControl } from '../../timeline/timeline-control.ts'
import { type Admin, AdminError } from '../control/admin.ts'
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
        const result = await run(adminOf(env), timelineOf(env), operation, placesOf(auth, paths))
        return jsonResponse(JSON.stringify({ result }), {
          ...exchange.extraHeaders,
          'cache-control': 'no-store',
        })
      } catch (error) {
        if (error instanceof AdminError) throw new Refusal('params-malformed', error.message)
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

async function run(
  admin: Admin,
  timeline: TimelineControl | undefined,
  { name, params, flags }: Requested,
  places: readonly PrincipalPlace[],
): Promise<unknown> {
  const { subject = '', grant = '', client = '', session = '', task = '' } = params
  switch (name) {
    case 'health':
      return admin.health()
    case 'rotate-keys':
      return admin.rotateKeys({ discard: flags.includes('discard') })
    case 'revoke-everyone':
      return admin.revokeEveryone()
    case 'revoke-client':
      return admin.revokeClient(client)
    case 'revoke-person':
      return admin.revokePerson(subject, places)
    case 'grants':
      return { grants: await admin.grants(subject) }
    case 'revoke-grant':
      return { revoked: await admin.revokeGrant(subject, grant) }
    case 'sessions':
      return { sessions: await admin.sessions(subject, places) }
    case 'end-session':
      return { ended: await admin.endSession(subject, session, places) }
    case 'tasks':
      return { tasks: await admin.tasks(subject) }
    case 'end-task':
      return { ended: await admin.endTask(task) }
    case 'delete-person':
      return admin.deletePerson(subject, places)
    case 'timeline':
      return readTimeline(timeline, params.connection)
    case 'timeline-on':
      return switchTimelineOn(timeline, params.minutes)
    case 'timeline-off':
      return switchTimelineOff(timeline)
  }
}
