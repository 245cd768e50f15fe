/**
 * The server of the conformance rows: its event types in two versions, and one class of objects that runs the version
 * that is deployed. Every token is trusted, so that each test is a person of its own.
 */
// features: changes, events
import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { McpServer } from '../../../../src/index.ts'
import type { TelemetryEvent } from '../../../../src/telemetry/index.ts'
import { createFullEdgeway } from '../../../../test/support/full-app.ts'
import { openObjectsOf } from '../../../../test/support/opened-objects.ts'
import { trusting } from '../../../../test/support/trusting.ts'
import { type DefinedEvent, defineEvent, events } from '../../src/index.ts'

export const HISTORY_MS = 600_000
export const MAX_SUBSCRIPTIONS = 4
export const MAX_STREAMS = 5
export const MAX_UPSTREAMS = 3
export const RETRY_DELAYS_MS = [1000, 2000, 4000]
export const SECRET_OVERLAP_MS = 600_000
export const DEFAULT_TTL_MS = 21_600_000
export const MAX_TTL_MS = 86_400_000
export const HEARTBEAT_MS = 200

/** What a test changes while the server runs. */
export const switches = {
  /** Subjects that `authorize` refuses. */
  forbidden: new Set<string>(),
  /** Subjects whose access has ended. */
  revoked: new Set<string>(),
  /** Origins of callbacks that the operator trusts. */
  trusted: new Set<string>(),
  /** Topics of `rows.ended` for which `authorize` does not settle yet. */
  held: new Set<string>(),
  /** Texts whose `transform` throws. */
  faulty: new Set<string>(),
}

/** The topics for which `rows.upstream` has started to listen. */
export const started: unknown[] = []
const start = ({ arguments: { topic } }: { readonly arguments: { readonly topic?: string } }) => {
  started.push(topic)
}

const payload = z.object({ topic: z.string(), text: z.string() })
const input = z.object({ topic: z.string().optional(), level: z.int().optional() })

/** The filter of the tests is `topic`: each test has its own. */
const common = {
  description: 'Occurs when a test emits it.',
  input,
  payload,
  history: HISTORY_MS,
  match: ({ topic }: { readonly topic?: string }, data: { readonly topic: string }) =>
    topic === undefined || topic === data.topic,
}

const first: readonly DefinedEvent[] = [
  defineEvent('rows.all', {
    ...common,
    authorize: ({ auth, arguments: { topic } }) =>
      topic !== 'secret' && !switches.forbidden.has(auth?.subject ?? ''),
    transform: (data) => {
      if (switches.faulty.has(data.text)) throw new Error('The upstream has failed')
      return data
    },
    _meta: { 'example/owner': 'tests' },
  }),
  defineEvent('rows.poll', { ...common, delivery: ['poll'] }),
  defineEvent('rows.push', { ...common, delivery: ['push'] }),
  defineEvent('rows.webhook', { ...common, delivery: ['webhook'] }),
  defineEvent('rows.plain', { ...common, history: 0 }),
  defineEvent('rows.ended', {
    ...common,
    async authorize({ arguments: { topic = '' } }) {
      while (switches.held.has(topic)) await new Promise((resolve) => setTimeout(resolve, 2))
      return true
    },
  }),
  defineEvent('rows.removed', common),
  defineEvent('rows.payload', common),
  defineEvent('rows.input', common),
  defineEvent('rows.grown', common),
  defineEvent('rows.upstream', { ...common, upstream: { start, stop: () => undefined } }),
]

/** The next deployment: a type is removed, two are changed so that subscriptions break, one has grown. */
const second: readonly DefinedEvent[] = [
  ...first.slice(0, 6),
  defineEvent('rows.payload', {
    ...common,
    payload: payload.extend({ text: z.int() }),
    match: () => true,
  }),
  defineEvent('rows.input', { ...common, input: z.object({ topic: z.string(), level: z.int() }) }),
  defineEvent('rows.grown', {
    ...common,
    input: input.extend({ author: z.string().optional() }),
    payload: payload.extend({ author: z.string().optional() }),
  }),
]

/** The telemetry of Worker and objects, of all tests in a file. */
export const telemetry: TelemetryEvent[] = []

function deploymentOf(types: readonly DefinedEvent[]) {
  return createFullEdgeway(new McpServer({ name: 'rows', version: '1.0.0' }), {
    auth: trusting('https://rows.example.com', switches.revoked),
    rateLimits: false,
    telemetry: (event) => telemetry.push(event),
    events: events({
      types,
      allowsNoExpiry: true,
      callbacks: { trusted: (origin) => switches.trusted.has(origin) },
      limits: {
        subscriptionsPerPrincipal: MAX_SUBSCRIPTIONS,
        streamsPerPrincipal: MAX_STREAMS,
        upstreamsPerPrincipal: MAX_UPSTREAMS,
        retryDelaysMs: RETRY_DELAYS_MS,
        heartbeatMs: HEARTBEAT_MS,
        challengesPerMinute: 1000,
        deliveryTimeoutMs: 500,
      },
    }),
  })
}

const deployments = { first: deploymentOf(first), second: deploymentOf(second) }

let deployed: keyof typeof deployments = 'first'
openObjectsOf(deployments.first)

/** The objects that run go on with the earlier version until they are evicted. */
export function deploy(version: keyof typeof deployments): void {
  deployed = version
  openObjectsOf(deployments[version])
}

export const rowsApp = () => deployments[deployed]

export const rowsEnv = env

export const rowsEvents = () => rowsApp().events(env)
