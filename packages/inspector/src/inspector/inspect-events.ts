/** The event types of the server, the subscriptions of a subject, and one event by hand. */

import { OperationError } from '../../../../src/index.ts'
import type { EmitOptions, EventCatalog } from '../../../../src/internal.ts'
import { readBoundedText } from '../../../../src/platform/bounded-body.ts'
import { tryParseJson } from '../../../../src/platform/try-parse.ts'
import type { TelemetrySink } from '../../../../src/ports/telemetry.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import { principalDigests } from '../../../../src/protocol/principal.ts'
import { type PersonSources, readPrincipals } from '../admin/control/person-index.ts'
import type { InspectedEvents } from './inspected-events.ts'
import { json, problem } from './problem.ts'

/** @param subject undefined: the principal of anonymous callers */
export async function describeEvents(
  catalog: EventCatalog | undefined,
  sources: PersonSources,
  subject: string | undefined,
): Promise<InspectedEvents> {
  const types = catalog?.types ?? []
  try {
    const principals = catalog && (await principalsOf(catalog, sources, subject))
    const found = principals && (await sources.services.subscriptions()?.list(principals))
    return { types, subscriptions: found ?? null }
  } catch {
    // An object cannot be reached. The types are shown all the same.
    return { types, subscriptions: null }
  }
}

async function principalsOf(
  catalog: EventCatalog,
  sources: PersonSources,
  subject: string | undefined,
): Promise<readonly string[] | undefined> {
  if (subject !== undefined) {
    return sources.access && principalDigests(await readPrincipals(sources, subject))
  }
  const anonymous = await catalog.anonymous()
  return anonymous === undefined ? undefined : [anonymous]
}

/** A delivery is smaller. */
const MAX_BODY_BYTES = 512 * 1024

/** `POST /inspect/emit` with `{ type, data, subject? }`. */
export async function emitByHand(
  catalog: EventCatalog | undefined,
  request: Request,
  env: unknown,
  report: TelemetrySink,
): Promise<Response> {
  if (catalog === undefined) return problem(404, 'This server has no event types')
  // A form of another page cannot have this type.
  if (request.headers.get('content-type')?.startsWith('application/json') !== true) {
    return problem(415, 'Send application/json')
  }
  const text = await readBoundedText(request.body, MAX_BODY_BYTES).catch(() => undefined)
  const body = text === undefined ? undefined : tryParseJson(text)
  if (!isJsonObject(body) || typeof body.type !== 'string') {
    return problem(400, 'Send { "type": …, "data": … }')
  }
  const { type, data, subject } = body
  const options = (subject === undefined ? {} : { subject }) as EmitOptions
  try {
    return json(await catalog.emit(env, type, data, options))
  } catch (error) {
    if (error instanceof OperationError) return problem(400, error.message)
    report({ type: 'internal-error', error })
    return problem(500, 'The event was not stored. The log of the server has the error')
  }
}
