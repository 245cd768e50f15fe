/** A client of the transport of 2024-11-05, whose one stream carries the responses of all its calls. */

import { bounded } from '../../faults/sessions/bounded.ts'
import { delay } from '../../faults/sessions/delay.ts'
import { HttpSseSession, StreamRefusedError } from '../../faults/sessions/http-sse-session.ts'
import type { Message } from '../../faults/sessions/message.ts'
import { toolCall } from '../../faults/sessions/session.ts'
import { markRefused, markSent, type PlannedCall, planCall } from '../calls.ts'
import { CallHistory, textOf } from '../ledger/call-history.ts'
import type { ClientLedger } from '../ledger/ledger.ts'
import { OpenCalls } from '../ledger/open-calls.ts'
import { StreamPositions } from '../ledger/stream-positions.ts'
import { TopicListener } from '../ledger/topics.ts'
import type { Random } from '../random.ts'
import { Answers } from './answers.ts'
import { type ClientSetting, callContext, nextId, type SoakClient } from './client.ts'
import { IDLE_MS, readEvents } from './read-events.ts'
import { settleListener } from './settle-listener.ts'

const ACCEPTED = 202
const UNAVAILABLE = 503
/** No reader of the session connected in time. The request did not run. */
const NO_READER = 404
const TOO_MANY = 429

/** Longer than kills can delay a response on a busy machine, in milliseconds. */
const RESPONSE_TIMEOUT_MS = 120_000

export class HttpSseClient implements SoakClient {
  readonly workers = 2
  readonly #setting: ClientSetting
  readonly #calls: OpenCalls
  readonly #planned = new Map<CallHistory, PlannedCall>()
  readonly #listener: TopicListener
  readonly #positions: StreamPositions
  readonly #answers: Answers
  #session: HttpSseSession | undefined
  /** Responses to requests that are no calls, by request id. */
  readonly #others = new Map<number, () => void>()

  constructor(setting: ClientSetting) {
    const { ledger, topic } = setting
    this.#setting = setting
    this.#calls = new OpenCalls(ledger)
    this.#listener = new TopicListener(ledger, topic)
    this.#positions = new StreamPositions(ledger, 'the main stream', false)
    this.#answers = new Answers(setting, (ask, content) => this.session.answer(ask, content))
  }

  get ledger(): ClientLedger {
    return this.#setting.ledger
  }

  get session(): HttpSseSession {
    if (this.#session === undefined) throw new TypeError('The session is not open')
    return this.#session
  }

  async open(): Promise<void> {
    const { server, ledger, caller, topic } = this.#setting
    this.#session = await server.persist(ledger, 'initialize', () =>
      HttpSseSession.open(server.url, caller.fetch),
    )
    if (this.#session === undefined) return
    void this.#follow()
    for (const uri of topic.uris) await this.#subscribe(uri)
    this.#listener.acknowledged()
  }

  async operate(random: Random): Promise<void> {
    await this.perform(planCall(callContext(this.#setting, random), true))
    await delay(random.between(0, 20))
  }

  async perform(call: PlannedCall): Promise<void> {
    const { server, ledger } = this.#setting
    const { kills } = server
    const history = new CallHistory(ledger, call.script, () => server.kills > kills)
    this.#calls.add(history)
    this.#planned.set(history, call)
    markSent(call)
    ledger.count(`call: ${call.script.tool}`)
    const { script, args } = call
    const send = () => this.session.post(toolCall(script.tool, args, script.id))
    const status = await server.attempt(ledger, 'call', send, 'call-sent')
    ledger.note(`call ${script.id} ${script.tool}: ${status ?? 'broken'}`)
    if (status === ACCEPTED) await this.#finish(history, call)
    else if (status === undefined) ledger.count('excused: call without a response head')
    else this.#refused(call, status)
  }

  async settle(): Promise<void> {
    await this.#answers.sent()
    await settleListener(this.#listener)
    this.#planned.clear()
  }

  async #finish(history: CallHistory, { script, effects, onSuccess }: PlannedCall): Promise<void> {
    const { ledger, server } = this.#setting
    const what = `the response to call ${script.id} of ${script.tool}`
    await bounded(history.answered, what, RESPONSE_TIMEOUT_MS).catch(
      () => server.isOver || history.end(),
    )
    await this.#answers.sent()
    const { success } = history
    if (success === undefined) return
    ledger.count(`answered: ${script.tool}`)
    for (const effect of effects.at(-1) ?? []) effect.hasHappened()
    onSuccess(success)
  }

  #refused(call: PlannedCall, status: number): void {
    const { ledger } = this.#setting
    ledger.count(`refused: call with ${status}`)
    if (status === NO_READER || status === TOO_MANY) markRefused(call)
    else if (status !== UNAVAILABLE) {
      const text = `Call ${call.script.id} was refused with ${status}`
      ledger.violation('unexpected-answer', text)
    }
  }

  async #subscribe(uri: string): Promise<void> {
    const { server, ledger } = this.#setting
    const id = nextId()
    const answered = new Promise<void>((resolve) => this.#others.set(id, resolve))
    const body = { jsonrpc: '2.0', id, method: 'resources/subscribe', params: { uri } }
    await server.persist(ledger, 'subscribe', () => this.session.post(body))
    await bounded(answered, `the response to the subscription of ${uri}`)
  }

  /** Reads the stream and resumes it after each break, until the soak ends. */
  async #follow(): Promise<void> {
    const { server, ledger } = this.#setting
    try {
      // The first message is the response to `initialize`, which `open` has read.
      let skipped = 1
      while (!server.isOver) {
        await readEvents(
          this.session.events,
          (message, eventId) => {
            this.#positions.receive(eventId)
            if (skipped > 0) skipped--
            else this.#receive(message)
          },
          IDLE_MS,
        )
        await this.#reconnect()
      }
    } catch (error) {
      ledger.violation('unexpected-answer', `The stream of 2024-11-05 failed: ${error}`)
    }
  }

  /** Opens the stream after its last event, until the server does, or the soak is over. */
  async #reconnect(): Promise<void> {
    const { server, ledger } = this.#setting
    const { endpoint, lastId } = this.session.events
    for (;;) {
      const status = await server.persist(ledger, 'resume', () => this.#resume(), 'resume-sent')
      if (status === undefined) return
      ledger.count('resumes')
      ledger.note(`resumed the stream after ${lastId.slice(-16)}: ${status}`)
      if (status === 200) break
      if (status !== UNAVAILABLE) {
        const kind = status === 404 ? 'forgotten-session' : 'unexpected-answer'
        ledger.violation(kind, `The session of a live stream was resumed with status ${status}`)
      }
      await delay(250)
    }
    if (this.session.events.endpoint === endpoint) return
    ledger.violation('forgotten-session', 'A stream that was resumed belongs to another session')
  }

  /** Returns the status. */
  async #resume(): Promise<number> {
    try {
      await this.session.reconnect()
      return 200
    } catch (error) {
      if (error instanceof StreamRefusedError) return error.status
      throw error
    }
  }

  #receive(message: Message): void {
    const { ledger } = this.#setting
    ledger.note(`received ${message.id ?? ''} ${textOf(message)}`)
    if (message.method === 'notifications/resources/updated') {
      this.#listener.receive(message.params?.uri ?? '')
      return
    }
    const resolve = message.method === undefined && this.#others.get(Number(message.id))
    if (resolve) {
      resolve()
      return
    }
    const history = this.#calls.receive(message)
    const call = history && this.#planned.get(history)
    // The client reads on: only the kill waits for this moment.
    if (message.method !== undefined) void this.#setting.server.reach('message-received')
    if (call === undefined || message.method !== 'elicitation/create') return
    const content = call.contents[textOf(message)] ?? {}
    this.#answers.give(message, content, this.#setting.random)
    for (const effect of call.effects[0] ?? []) effect.hasHappened()
  }
}
