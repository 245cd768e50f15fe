/**
 * How long a request holds a call that waits, before its client abandons it.
 *
 * 45 seconds: the official SDKs wait for a minute, and few clients begin their time anew at progress. A request may ask for
 * another time, as its client waits for longer. A name can shorten the time and do nothing else, because directories refuse
 * servers that behave by name.
 */
import { holdMsOf } from '../../../clients/limits.ts'
import type { Call } from '../../../dispatch/call.ts'
import type { Tasks } from '../../../ports/tasks.ts'
import { isJsonObject } from '../../../protocol/json.ts'
import { HOLD_META, metaOf } from '../../../protocol/meta.ts'
import { Refusal } from '../../../transport/refusal.ts'

/** The parameter of the endpoint's URL, in seconds. People write it where a program would set {@link HOLD_META}. */
const HOLD_PARAM = 'hold'

/** In milliseconds: as the request asks, within the timeout of the handler, else that of the app. */
export function holdMs({ client, request, deployment }: Call, { limits }: Tasks): number {
  const asked = metaOf(request.params)?.[HOLD_META]
  return typeof asked === 'number' && asked > 0
    ? Math.min(asked, deployment.limits.handlerTimeoutMs)
    : holdMsOf(client.info?.name, limits.holdMs)
}

/**
 * Writes the hold that the URL asks for into the calls of a body that ask for none themselves.
 *
 * @throws {Refusal} for a URL whose `hold` is no number of seconds
 */
export function adoptHold(url: string, body: unknown): void {
  if (!url.includes(`${HOLD_PARAM}=`)) return
  const text = new URL(url).searchParams.get(HOLD_PARAM)
  if (text === null) return
  const seconds = Number(text)
  if (!(seconds > 0 && Number.isFinite(seconds))) {
    throw new Refusal(
      'params-malformed',
      'hold in the URL is the number of seconds that a call may be held, such as ?hold=240',
    )
  }
  for (const message of Array.isArray(body) ? body : [body]) {
    if (!isJsonObject(message) || message.method !== 'tools/call') continue
    const { params } = message
    if (!isJsonObject(params)) continue
    const meta = params._meta ?? {}
    if (isJsonObject(meta))
      Object.assign(params, { _meta: { [HOLD_META]: seconds * 1000, ...meta } })
  }
}
