/**
 * The calls of one POST in a session, over all connections of their stream: answers their asks, resumes
 * the stream after each break, and compares everything with the ledger.
 */
import { delay } from '../../faults/sessions/delay.ts'
import type { EventReader } from '../../faults/sessions/event-reader.ts'
import type { Message } from '../../faults/sessions/message.ts'
import { type Reply, type Session, toolCall } from '../../faults/sessions/session.ts'
import { markRefused, markSent, type PlannedCall } from '../calls.ts'
import { CallHistory, textOf } from '../ledger/call-history.ts'
import { OpenCalls } from '../ledger/open-calls.ts'
import type { SessionLife } from '../ledger/session-life.ts'
import { StreamPositions } from '../ledger/stream-positions.ts'
import type { Random } from '../random.ts'
import { Answers } from './answers.ts'
import type { ClientSetting } from './client.ts'
import { readEvents } from './read-events.ts'

/** Refused because the session or its object is busy: the request did not run. */
const TOO_MANY = 429
/** The object failed while it served the request, which may have run. */
const UNAVAILABLE = 503
/** A stream that has ended, and whose events the client has. */
const COMPLETE = 405

export class Conversation {
  readonly #setting: ClientSetting
  readonly #session: Session
  readonly #life: SessionLife
  readonly #calls: readonly PlannedCall[]
  readonly #histories: readonly CallHistory[]
  readonly #open: OpenCalls
  readonly #positions: StreamPositions
  readonly #answers: Answers
  readonly #random: Random
  /** All messages of the stream, in order. */
  readonly #received: Message[] = []
  #resumes = 0

  constructor(
    setting: ClientSetting,
    session: Session,
    life: SessionLife,
    calls: readonly PlannedCall[],
    random: Random,
  ) {
    const { ledger, server } = setting
    const { kills } = server
    const wasKilled = () => server.kills > kills
    this.#setting = setting
    this.#session = session
    this.#life = life
    this.#calls = calls
    this.#histories = calls.map(({ script }) => new CallHistory(ledger, script, wasKilled))
    this.#open = new OpenCalls(ledger, this.#histories)
    this.#positions = new StreamPositions(ledger, `the stream of call ${this.#name}`, true)
    this.#answers = new Answers(setting, (ask, content) => session.answer(ask, content))
    this.#random = random
  }

  /** Resolves when each call has its response, or has lost it for a reason that the server documents. */
  async run(): Promise<void> {
    const { ledger, server } = this.#setting
    for (const call of this.#calls) {
      markSent(call)
      ledger.count(`call: ${call.script.tool}`)
    }
    const send = () => this.#session.post(this.#body())
    const reply = await server.attempt(ledger, 'call', send, 'call-sent')
    if (reply === undefined) {
      // Neither head nor stream: a call in its first silent moment is lost by a kill.
      ledger.count('excused: call without a response head')
      return
    }
    this.#life.answered(reply.status)
    if (!this.#isServed(reply)) return
    if (reply.message !== undefined) for (const one of [reply.message].flat()) this.#receive(one)
    const lastId = reply.events && (await this.#follow(reply.events))
    await this.#answers.sent()
    if (lastId !== undefined && this.#random.chance(0.15)) await this.#replay(lastId)
    for (const [index, history] of this.#histories.entries()) {
      const { success } = history
      if (success !== undefined) this.#succeed(this.#calls[index], success)
    }
  }

  get #name(): string {
    const [first] = this.#calls
    return `${first?.script.id} (${this.#calls.map(({ script }) => script.tool).join(', ')})`
  }

  #body(): object {
    const bodies = this.#calls.map(({ script, args }) => toolCall(script.tool, args, script.id))
    const [only] = bodies
    return bodies.length === 1 && only !== undefined ? only : bodies
  }

  #isServed({ status }: Reply): boolean {
    if (status === 200) return true
    const { ledger } = this.#setting
    ledger.note(`call ${this.#name} was refused with ${status}`)
    ledger.count(`refused: call with ${status}`)
    if (status === TOO_MANY) this.#calls.forEach(markRefused)
    else if (status !== UNAVAILABLE && this.#life.isValid) {
      ledger.violation('unexpected-answer', `Call ${this.#name} was refused with ${status}`)
    }
    return false
  }

  /** Reads the stream to its end. Returns its last event id when all calls have their responses. */
  async #follow(first: EventReader): Promise<string | undefined> {
    const { ledger } = this.#setting
    for (let events = first; ; ) {
      const cutAfter = this.#random.chance(0.1) ? this.#random.between(1, 4) : undefined
      const lastId = await this.#read(events, cutAfter)
      if (this.#histories.every(({ isAnswered }) => isAnswered)) return lastId
      if (lastId === '') {
        // Older revisions begin a stream without an id, so there is nothing to resume from.
        ledger.count('excused: stream without an event id')
        return undefined
      }
      const next = await this.#resume(lastId)
      if (next === undefined) return undefined
      events = next
    }
  }

  /**
   * Returns the event id to resume from.
   *
   * @param cutAfter the client breaks the connection itself after this many messages
   */
  async #read(events: EventReader, cutAfter: number | undefined): Promise<string> {
    let received = 0
    let cutAt: string | undefined
    await readEvents(events, (message, eventId) => {
      this.#positions.receive(eventId)
      this.#receive(message)
      received++
      if (received === cutAfter) cutAt = eventId
      return cutAt !== undefined
    })
    if (cutAt === undefined) return events.lastId
    this.#setting.ledger.note(`cut the stream of call ${this.#name} after ${cutAt.slice(-8)}`)
    events.close()
    return cutAt
  }

  /** Opens the stream again; undefined when that is refused, which is a violation unless all came. */
  async #resume(lastId: string): Promise<EventReader | undefined> {
    const { ledger, server } = this.#setting
    for (;;) {
      const resume = () => this.#session.get(lastId)
      const opened = await server.persist(ledger, 'resume', resume, 'resume-sent')
      if (opened === undefined) return undefined
      this.#resumes++
      ledger.count('resumes')
      ledger.note(`resumed call ${this.#name} after ${lastId.slice(-8)}: ${statusOf(opened)}`)
      if (typeof opened !== 'number') return opened
      this.#life.answered(opened)
      if (opened === UNAVAILABLE) {
        await delay(100)
        continue
      }
      if (opened === COMPLETE) for (const history of this.#histories) history.end()
      else
        ledger.violation('lost-message', `Resuming call ${this.#name} was refused with ${opened}`)
      return undefined
    }
  }

  /** Reads the log of a complete stream once more, from its beginning. Nothing follows its last event. */
  async #replay(lastId: string): Promise<void> {
    const { ledger, server } = this.#setting
    const events = await server.attempt(ledger, 'replay', async () => {
      const opened = await this.#session.get(lastId.replace(/~\d+$/, '~0'))
      if (typeof opened !== 'number') await readEvents(opened, () => undefined)
      return opened
    })
    if (events === undefined) return
    if (typeof events === 'number') {
      const text = `The log of call ${this.#name} was refused with ${events}`
      ledger.violation('lost-message', text)
      return
    }
    // A kill may have cut the replay.
    const count = events.messages.length
    const isWhole =
      JSON.stringify(events.messages) === JSON.stringify(this.#received.slice(0, count))
    if (!isWhole) ledger.violation('lost-message', `The log of call ${this.#name} has changed`)
    ledger.count('logs replayed')
    const again = await server.attempt(ledger, 'resume', () => this.#session.get(lastId))
    if (again === undefined || again === COMPLETE) return
    const text = `Call ${this.#name} is complete, and its stream was resumed: ${statusOf(again)}`
    ledger.violation('unexpected-answer', text)
  }

  #receive(message: Message): void {
    this.#setting.ledger.note(`received ${message.id ?? ''} ${textOf(message)}`)
    this.#received.push(message)
    const history = this.#open.receive(message)
    const call = this.#calls.find(({ script }) => script === history?.script)
    // The client reads on: only the kill waits for this moment.
    if (message.method !== undefined) void this.#setting.server.reach('message-received')
    if (call === undefined || message.method !== 'elicitation/create') return
    const text = textOf(message)
    this.#answers.give(message, call.contents[text] ?? {}, this.#random)
    // The effects before an ask are recorded before it is sent.
    for (const effect of provenBy(call, text)) effect.hasHappened()
  }

  #succeed(call: PlannedCall | undefined, response: Message): void {
    if (call === undefined) return
    const { ledger } = this.#setting
    ledger.count(`answered: ${call.script.tool}`)
    if (this.#resumes > 0) ledger.count('answered after a resume')
    for (const effect of call.effects.at(-1) ?? []) effect.hasHappened()
    call.onSuccess(response)
  }
}

function provenBy({ script, effects }: PlannedCall, ask: string) {
  const asks = script.before.filter((text) => text.startsWith('ask '))
  return effects.length > 1 ? (effects[asks.indexOf(ask)] ?? []) : []
}

function statusOf(opened: EventReader | number): number {
  return typeof opened === 'number' ? opened : 200
}
