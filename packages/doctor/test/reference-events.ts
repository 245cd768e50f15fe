/** A correct MCP server with events in all three modes, for the reference server. */
import { createHash, createHmac, randomBytes, randomUUID } from 'node:crypto'
import { NOTE, notification, occurrence, streamAnswer } from '../../faults/test/planted/events.ts'
import {
  type Answer,
  type Defect,
  json,
  type PlantedRequest,
} from '../../faults/test/planted/plant.ts'
import type { SenderDefects, Sent } from '../../faults/test/planted/sender.ts'
import { startReferenceServer } from './reference-server.ts'

export const POLLED = { ...NOTE, name: 'note.polled', delivery: ['poll'] }
export const PUSHED = { ...NOTE, name: 'note.pushed', delivery: ['push'] }

const CAPABILITIES = {
  tools: {},
  events: {},
  extensions: { 'io.modelcontextprotocol/events': { listChanged: false } },
}

/** The reference server with events, and its defect. */
export async function startEventServer({
  defect = (_, next) => next(),
  sender = {},
}: {
  defect?: Defect
  sender?: SenderDefects
} = {}) {
  const live = new Map<string, Subscription>()
  const server = await startReferenceServer({
    defect: (request, next, origin) => {
      const { method } = request.json
      const answer = () => answerOf(String(method), request, next, live, sender)
      // The defects of the table change an answer at once, so the answer of a sender is awaited before.
      if (method !== 'events/subscribe')
        return defect(request, answer as () => Answer | undefined, origin)
      return Promise.resolve(answer()).then((done) => defect(request, () => done, origin))
    },
  })
  return server
}

interface Subscription {
  readonly id: string
  readonly url: string
  readonly name: string
  readonly secret: string
  timer?: NodeJS.Timeout
}

interface Params {
  readonly name?: string
  readonly arguments?: { readonly topic?: unknown }
  readonly cursor?: unknown
  readonly delivery?: { readonly url?: string; readonly secret?: string }
}

function answerOf(
  method: string,
  request: PlantedRequest,
  next: () => Answer | undefined,
  live: Map<string, Subscription>,
  sender: SenderDefects,
): Answer | undefined | Promise<Answer | undefined> {
  const id = request.json.id
  const result = (value: object) =>
    json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...value } })
  const error = (code: number, message: string, data: object = {}) =>
    json({ jsonrpc: '2.0', id, error: { code, message, data } })
  const params = (request.json.params ?? {}) as Params
  const { name, arguments: args = {}, cursor } = params
  if (method === 'server/discover' || method === 'initialize') {
    const answer = next()
    const message = JSON.parse(String(answer?.body))
    const { result: value } = message
    return (
      answer && {
        ...answer,
        body: JSON.stringify({ ...message, result: { ...value, capabilities: CAPABILITIES } }),
      }
    )
  }
  const types = [NOTE, POLLED, PUSHED]
  if (method === 'events/list') return result({ events: types })
  if (!method.startsWith('events/')) return next()
  if (method === 'events/unsubscribe') {
    const key = keyOf(params)
    const found = live.get(key)
    if (found === undefined) return error(-32_023, 'NotFound', { kind: 'subscription' })
    if (sender.deliversAfterEnd !== true) clearInterval(found.timer)
    live.delete(key)
    return result({})
  }
  if (typeof name !== 'string') return error(-32_602, 'InvalidParams')
  const type = types.find((one) => one.name === name)
  if (type === undefined) return error(-32_023, 'NotFound', { kind: 'event' })
  const mode = { 'events/poll': 'poll', 'events/stream': 'push' }[method] ?? 'webhook'
  if (!type.delivery.includes(mode)) {
    return error(-32_014, 'Unsupported', { feature: 'deliveryMode', value: mode })
  }
  if (args.topic !== undefined && typeof args.topic !== 'string') {
    return error(-32_602, 'InvalidParams')
  }
  if (method === 'events/poll') {
    const events = typeof cursor === 'string' ? [occurrence(name)] : []
    return result({ events, cursor: 'c1', truncated: false, hasMore: false, nextPollMs: 30_000 })
  }
  if (method === 'events/stream') {
    return streamAnswer([
      notification(id, 'active', { cursor: 'c1', truncated: false }),
      notification(id, 'event', { ...occurrence(name), cursor: 'c1' }),
      notification(id, 'heartbeat', { cursor: 'c1' }),
    ])
  }
  return subscribe(params, live, sender, { result, error })
}

const keyOf = ({ name, arguments: args, delivery }: Params) =>
  JSON.stringify([delivery?.url, name, args ?? {}])

async function subscribe(
  params: Params,
  live: Map<string, Subscription>,
  sender: SenderDefects,
  {
    result,
    error,
  }: {
    result: (value: object) => Answer
    error: (code: number, message: string, data?: object) => Answer
  },
): Promise<Answer> {
  const { name = '', delivery: { url = '', secret = '' } = {} } = params
  const key = Buffer.from(secret.slice(6), 'base64')
  if (!secret.startsWith('whsec_') || key.length < 24) return error(-32_602, 'InvalidParams')
  const { protocol, hostname, host } = new URL(url)
  // `http://127.0.0.1` is the receiver, an origin that this server trusts.
  const isTrusted = protocol === 'http:' && hostname === '127.0.0.1' && sender.refusesLocal !== true
  if (sender.connects === true && hostname === '127.0.0.1' && protocol === 'https:') {
    await fetch(`http://${host}/`).catch(() => undefined)
    return error(-32_015, 'CallbackEndpointError', { reason: 'connection_refused' })
  }
  if (!isTrusted) return error(-32_602, 'InvalidParams')
  const id = `sub_${createHash('sha256').update(keyOf(params)).digest('hex')}`
  const existing = live.get(keyOf(params))
  const subscription: Subscription = existing ?? { id, url, name, secret }
  if (existing === undefined && sender.skipsChallenge !== true) {
    const challenge = randomBytes(32).toString('base64url')
    const body = JSON.stringify({ type: 'verification', challenge })
    const answer = await send(
      subscription,
      `msg_verification_${randomUUID()}`,
      body,
      sender.challenge,
    )
    const echo: unknown = await answer?.json().catch(() => undefined)
    const isEchoed = (echo as { challenge?: unknown } | undefined)?.challenge === challenge
    if (!isEchoed && sender.checksEcho !== false) {
      return error(-32_027, 'CallbackEndpointError', { reason: 'challenge_failed' })
    }
  }
  if (existing === undefined) {
    live.set(keyOf(params), subscription)
  }
  if (existing === undefined && sender.isSilent !== true) {
    subscription.timer = setInterval(() => {
      const event = { ...occurrence(name), cursor: 'c2' }
      void send(subscription, event.eventId, JSON.stringify(event), sender.delivery)
    }, 100)
    subscription.timer.unref()
  }
  return result({
    id,
    refreshBefore: new Date(Date.now() + 60_000).toISOString(),
    cursor: null,
    truncated: false,
  })
}

async function send(
  { url, id, secret }: Subscription,
  messageId: string,
  text: string,
  change: (sent: Sent) => Partial<Sent> = () => ({}),
): Promise<Response | undefined> {
  const right: Sent = {
    id: messageId,
    timestamp: Math.floor(Date.now() / 1000),
    body: text,
    key: Buffer.from(secret.slice(6), 'base64'),
    contentType: 'application/json',
    subscription: id,
  }
  const sent = { ...right, ...change(right) }
  const base = `${sent.id}.${sent.timestamp}.${sent.body}`
  const signature = createHmac('sha256', sent.key).update(base).digest('base64')
  return fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': sent.contentType,
      'webhook-id': sent.id,
      'webhook-timestamp': String(sent.timestamp),
      'webhook-signature': `v1,${signature}`,
      ...(sent.subscription === '' ? {} : { 'x-mcp-subscription-id': sent.subscription }),
    },
    body: sent.body,
  }).catch(() => undefined)
}
