/**
 * `POST /webhooks/<secret>`: delivers a JSON body to a wait of a task, once. The secret names the task
 * and the wait, so a forged one is refused without a call of an object.
 */

import { readBoundedText } from '../../platform/bounded-body.ts'
import { parseBoundedJson } from '../../platform/bounded-json.ts'
import type { Limits } from '../../ports/app-limits.ts'
import type { Services } from '../../ports/services.ts'
import type { Delivery } from '../../ports/tasks.ts'
import { essenceOf } from '../../protocol/file-name.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { deliveryError } from './delivery-error.ts'
import { overLimit, textAnswer } from './secret-routes.ts'
import { openWebhook, type Webhook } from './webhook-secrets.ts'

/** Bytes of a body: what a task keeps, in the largest encoding. */
const MAX_BODY_BYTES = 1024 * 1024

/** The HTTP status of each outcome. */
const STATUS: Readonly<Record<Delivery['kind'], number>> = {
  kept: 202,
  unknown: 404,
  over: 410,
  late: 410,
  delivered: 409,
  misfit: 422,
  full: 429,
  'too-large': 413,
}

export async function serveWebhook(
  request: Request,
  secret: string,
  services: Services,
  audience: string,
  limits: Pick<Limits, 'jsonDepth' | 'jsonValues'>,
): Promise<Response> {
  const answer = (status: number, message: string, headers?: Readonly<Record<string, string>>) =>
    textAnswer(request, status, message, headers)
  if (request.method !== 'POST') return answer(405, 'Send the value with POST', { allow: 'POST' })
  const limited = await overLimit(services, request.headers)
  if (limited !== undefined) return answer(429, 'Too many requests', { 'retry-after': limited })
  const webhook = await findWebhook(services, audience, secret)
  if (webhook === undefined) return answer(404, 'There is no such webhook')
  if (!isJson(request.headers)) return answer(415, 'The Content-Type must be application/json')
  const text = await readBoundedText(request.body, MAX_BODY_BYTES).catch(() => null)
  if (text === null) return answer(400, 'The body must be complete, and UTF-8')
  if (text === undefined) return answer(413, `The body must have at most ${MAX_BODY_BYTES} bytes`)
  const parsed = parseBoundedJson(text, { depth: limits.jsonDepth, values: limits.jsonValues })
  if (!parsed.ok) return answer(400, 'The body must be JSON')
  const delivery = await deliver(services, webhook, parsed.value as JsonValue)
  if (delivery.kind === 'kept') return answer(STATUS.kept, 'Delivered')
  return answer(STATUS[delivery.kind], deliveryError(webhook.key, delivery).message)
}

/** Delivers a value that the app itself sends to a wait. Returns whether there is such a wait. */
export async function deliverWebhook(
  services: Services,
  audience: string,
  secret: string,
  value: JsonValue,
): Promise<boolean> {
  const webhook = await findWebhook(services, audience, secret)
  return webhook !== undefined && (await deliver(services, webhook, value)).kind !== 'unknown'
}

/** Whether the run of a webhook exists and would keep a value. */
export async function isWebhookAwaited(
  services: Services,
  audience: string,
  secret: string,
): Promise<boolean> {
  const webhook = await findWebhook(services, audience, secret)
  if (webhook === undefined) return false
  const { name, key, run } = webhook
  if (run !== undefined) {
    return (await services.sessions()?.deliveryRefusal(name, run, key)) === undefined
  }
  const refusal = await services.tasks()?.deliveryRefusal(name, key)
  // A handler that asks before its call becomes a task runs in an object that has no rows yet.
  return refusal === undefined || refusal === 'unknown'
}

async function findWebhook(services: Services, audience: string, secret: string) {
  const sealer = services.sealer()
  return sealer && openWebhook(sealer, audience, secret)
}

async function deliver(
  services: Services,
  { name, key, run }: Webhook,
  value: JsonValue,
): Promise<Delivery> {
  const delivered =
    run === undefined
      ? services.tasks()?.deliver(name, key, value)
      : services.sessions()?.deliver(name, run, key, value)
  return (await delivered) ?? { kind: 'unknown' }
}

/** A page of another site cannot send this type without a preflight, which is not answered. */
function isJson(headers: Headers): boolean {
  const type = essenceOf(headers.get('content-type') ?? '')
  return type === 'application/json' && !headers.has('content-encoding')
}
