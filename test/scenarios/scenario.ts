/**
 * Generates the tests of a scenario: one for each client and revision of `clients.ts`. A scenario says what the server does, what
 * the client does, and what each side must have seen; `differs` says for which clients and revisions that is something else, and why.
 */
import { env } from 'cloudflare:workers'
import { expect, it, onTestFinished } from 'vitest'
import { createFullEdgeway } from '../support/full-app.ts'
import { openSessionApp } from '../support/session-client.ts'
import {
  type Handler,
  keepHandler,
  objectEvents,
  sessionServer,
} from '../support/session-server.ts'
import { ENDPOINT, type TestApp } from '../support/test-app.ts'
import {
  type AdaptedClient,
  ASKING_METHODS,
  type AskingMethod,
  type CallOptions,
  type ConnectOptions,
  type Received,
  textOf,
} from './client.ts'
import { type Ability, ROWS, type Row } from './clients.ts'
import { messagesOf, recordWire, type Wire } from './wire.ts'

/** A request of the server. */
export interface Asked {
  readonly method: string
  readonly params: Received
}

/** What the client answers: each in turn, or by the request. An error is sent as an error. */
export type Answers =
  | readonly (object | Error)[]
  | ((params: Received, method: AskingMethod) => object | Promise<object>)

/** What must have been seen. */
interface Outcome {
  /** What `does` returns. */
  readonly returns?: unknown
  /** The requests that the client receives, in order. Default: none. */
  readonly asked?: readonly unknown[]
  /** The notifications that the client receives: log messages and changes as notices, progress as numbers. Default: none. */
  readonly notified?: readonly unknown[]
  /** The telemetry of the requests and of the session object. Default: none. */
  readonly reported?: readonly unknown[]
  /** The messages of the errors that the client reports. Default: none. */
  readonly errors?: readonly unknown[]
}

export interface Difference extends Outcome {
  readonly on: (row: Row) => boolean
  readonly because: string
}

export interface Scenario extends Outcome {
  /** Calls `verifies` with the requirements that the scenario verifies. */
  readonly cites?: () => void
  /** A client that cannot do this says why not in `clients.ts`. */
  readonly needs?: readonly Ability[]
  /** The rows that the scenario is about, where the form of its messages depends on the revision. Default: the representative ones. */
  readonly rows?: (row: Row) => boolean
  readonly capabilities?: object
  readonly answers?: Answers
  /** What the tool `run` of the server does. */
  readonly server?: Handler
  /** What the client does. Default: it calls the tool, and returns the text of its result. */
  readonly does?: (stage: Stage) => Promise<unknown>
  readonly differs?: readonly Difference[]
}

/** A connected client of a scenario, and what it takes part in. */
export interface Stage extends AdaptedClient {
  readonly row: Row
  readonly wire: Wire
  readonly app: TestApp
  /** The requests of the server so far. */
  asked(): readonly Asked[]
  /** Calls a tool that runs the handler. Default: that of the scenario. */
  run(handler?: Handler, options?: CallOptions): Promise<Received>
  /** The text of the result of {@link run}. */
  text(handler?: Handler, options?: CallOptions): Promise<string>
  /** Connects another client of the same kind. */
  another(options?: Partial<ConnectOptions>): Promise<Stage>
}

/** Not what the scenario is about. */
export const ANY = expect.any(Array) as readonly unknown[]

export const CAN_ALL = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: { listChanged: true },
}

/** Publishes changes without a client. */
export const publish = createFullEdgeway(sessionServer, {}).notify(env)

/** Polls a value until it is as expected. */
export const eventually = <T>(read: () => T) => expect.poll(read, { interval: 5, timeout: 5000 })

export const everyRow = () => true
export const isModern = ({ era }: Row) => era === 'modern'
export const isOver = (...revisions: readonly string[]) => {
  return ({ revision }: Row) => revisions.includes(revision)
}

const nameOf = ({ client, revision }: Row) => `${client}, ${revision}`

export function scenario(title: string, scenario: Scenario): void {
  const { needs = [], rows = ({ isRepresentative }) => isRepresentative } = scenario
  const needed = scenario.answers === undefined ? needs : [...needs, 'answer' as const]
  const able = ROWS.filter(rows).filter(({ cannot }) =>
    needed.every((ability) => cannot[ability] === undefined),
  )
  if (able.length === 0) throw new TypeError(`No client can play the scenario "${title}"`)
  for (const row of able) it(`${title} (${nameOf(row)})`, () => play(scenario, row))
}

/** Official clients try to open a standalone stream in any case, which is refused without a session. */
const isOfScenario = (event: { readonly type: string; readonly name?: unknown }) =>
  event.name !== 'http-method-not-allowed'

async function play(scenario: Scenario, row: Row): Promise<void> {
  objectEvents.length = 0
  const before = APP.events.length
  const stage = await open(scenario, row)
  const differences = scenario.differs?.filter(({ on }) => on(row)) ?? []
  const outcome: Outcome = Object.assign({}, scenario, ...differences)
  const { does = ({ text }: Stage) => text() } = scenario
  const returned = await does(stage)
  if ('returns' in outcome) expect(returned).toEqual(outcome.returns)
  expect(stage.asked()).toEqual(outcome.asked ?? [])
  await eventually(() => notifiedOf(stage.wire)).toEqual(outcome.notified ?? [])
  const reported = [...APP.events.slice(before), ...objectEvents].filter(isOfScenario)
  expect(reported).toEqual(outcome.reported ?? [])
  expect(stage.errors.map(({ message }) => message)).toEqual(outcome.errors ?? [])
  checkWire(stage)
}

/** A client is to reconnect soon. */
const OPTIONS = { featureLimits: { sessions: { retryMs: 50 } } }

const APP = openSessionApp(OPTIONS)

async function open(
  scenario: Scenario,
  row: Row,
  options: Partial<ConnectOptions> = {},
): Promise<Stage & { readonly errors: readonly Error[] }> {
  const { capabilities = CAN_ALL, answers = [] } = scenario
  const wire = recordWire((input, init) => APP.fetch(new Request(input, init)))
  const offered = { url: ENDPOINT, version: row.revision, capabilities, ...options }
  const adapted = await row.connect(offered, wire)
  onTestFinished(() => adapted.client.close())
  const errors: Error[] = []
  adapted.client.onerror = (error) => errors.push(error)
  const queue = typeof answers === 'function' ? [] : [...answers]
  for (const method of ASKING_METHODS) {
    if (!Object.hasOwn(capabilities, method.split('/')[0] ?? '')) continue
    adapted.onAsked(method, (params) => {
      if (typeof answers === 'function') return answers(params, method)
      const answer = queue.shift()
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('No answer')
      return answer
    })
  }
  if (isModern(row) && row.cannot['log level'] === undefined) await adapted.setLogLevel('info')
  const run: Stage['run'] = (handler = scenario.server, options) => {
    if (handler === undefined) throw new Error('The scenario has no server')
    return adapted.call('run', keepHandler(handler), options)
  }
  return {
    ...adapted,
    row,
    wire,
    app: APP,
    errors,
    asked: () => askedOf(wire),
    run,
    text: async (handler, options) => textOf(await run(handler, options)),
    another: (more) => open({ ...scenario, answers: [] }, row, more),
  }
}

/** The requests of the server: in a session each is a message, in the modern era a part of a result. */
function askedOf(wire: Wire): readonly Asked[] {
  return messagesOf(wire).flatMap(({ id, method, params, result }) => {
    if (method !== undefined) return id === undefined ? [] : [{ method, params }]
    const requests = Object.values(result?.inputRequests ?? {}) as Asked[]
    return requests.map(({ method, params }) => ({ method, params }))
  })
}

function notifiedOf(wire: Wire): readonly unknown[] {
  return messagesOf(wire).flatMap(({ id, method, params }) => {
    if (id !== undefined || method === undefined) return []
    if (method === 'notifications/subscriptions/acknowledged') return []
    const name = method.slice('notifications/'.length)
    if (name === 'progress') return [params.progress]
    if (name === 'message') return [`${params.level}: ${params.data}`]
    return [params?.uri ?? params?.elicitationId ?? params?.reason ?? name]
  })
}

/** What holds in every scenario: each request has one answer or is cancelled, and each message its status. */
function checkWire({ wire, row }: Stage): void {
  const { exchanges } = wire
  for (const { method, status, body } of exchanges) {
    if (method !== 'POST') continue
    const sent = JSON.parse(body)
    const isRequest = sent.method !== undefined && sent.id !== undefined
    const accepted = row.era === 'http-sse' ? 202 : isRequest ? 200 : 202
    if (status < 400) expect([body, status]).toEqual([body, accepted])
  }
  const answered = messagesOf(wire).flatMap(({ id, method }) =>
    method === undefined ? (id ?? []) : [],
  )
  expect(new Set(answered).size).toBe(answered.length)
}
