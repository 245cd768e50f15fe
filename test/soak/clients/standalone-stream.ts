/** The standalone stream of a session, over all its connections, which carries the changes of a topic. */
import { delay } from '../../faults/sessions/delay.ts'
import type { EventReader } from '../../faults/sessions/event-reader.ts'
import type { Message } from '../../faults/sessions/message.ts'
import type { Session } from '../../faults/sessions/session.ts'
import { textOf } from '../ledger/call-history.ts'
import type { SessionLife } from '../ledger/session-life.ts'
import { StreamPositions } from '../ledger/stream-positions.ts'
import { TopicListener } from '../ledger/topics.ts'
import type { ClientSetting } from './client.ts'
import { IDLE_MS, readEvents } from './read-events.ts'
import { settleListener } from './settle-listener.ts'

/** Too many streams, or the object is unavailable: to be repeated. */
const REPEATED = [429, 503]

/** The states of a task that is over. */
const FINAL = ['completed', 'failed', 'cancelled']

/** How often the client breaks the connection itself, for each change. */
const CUT_PROBABILITY = 0.02

export class StandaloneStream {
  readonly #setting: ClientSetting
  readonly #session: Session
  readonly #life: SessionLife
  readonly #listener: TopicListener
  readonly #positions: StreamPositions
  /** The final status of each task that has ended. */
  readonly #ended = new Map<string, string>()
  #lastId = ''

  constructor(setting: ClientSetting, session: Session, life: SessionLife) {
    const { ledger, topic } = setting
    this.#setting = setting
    this.#session = session
    this.#life = life
    this.#listener = new TopicListener(ledger, topic)
    this.#positions = new StreamPositions(ledger, 'the standalone stream', false)
  }

  /** The subscription was acknowledged. */
  subscribed(): void {
    this.#listener.acknowledged()
  }

  /** Reads the stream and opens it again, until the session or the soak ends. */
  async follow(): Promise<void> {
    const { server, ledger } = this.#setting
    try {
      while (!server.isOver && this.#life.isValid) {
        const events = await this.#open()
        if (events !== undefined) await this.#read(events)
      }
    } catch (error) {
      ledger.violation('unexpected-answer', `The standalone stream failed: ${error}`)
    }
  }

  async settle(): Promise<void> {
    await settleListener(this.#listener)
  }

  async #open(): Promise<EventReader | undefined> {
    const { server, ledger } = this.#setting
    const isResume = this.#lastId !== ''
    const what = isResume ? 'resume' : 'listen'
    const open = () => this.#session.get(isResume ? this.#lastId : undefined)
    const opened = await server.attempt(ledger, what, open, `${what}-sent`)
    if (opened === undefined) {
      // The server may have opened the stream before the kill.
      this.#excuseUnnamed()
      return undefined
    }
    if (typeof opened !== 'number') {
      ledger.count(isResume ? 'resumes' : 'streams opened')
      ledger.note(`standalone stream open after "${this.#lastId.slice(-16)}"`)
      return opened
    }
    ledger.note(`standalone stream refused with ${opened}`)
    this.#life.answered(opened)
    if (!REPEATED.includes(opened) && this.#life.isValid) {
      const text = `The standalone stream was refused with ${opened}`
      ledger.violation(isResume ? 'lost-message' : 'unexpected-answer', text)
      this.#lastId = ''
    }
    ledger.count(`refused: stream with ${opened}`)
    await delay(250)
    return undefined
  }

  async #read(events: EventReader): Promise<void> {
    const { random, ledger } = this.#setting
    let cutAt: string | undefined
    const onMessage = (message: Message, eventId: string) => {
      this.#receive(message, eventId)
      if (random.chance(CUT_PROBABILITY)) cutAt = eventId
      return cutAt !== undefined
    }
    await readEvents(events, onMessage, IDLE_MS)
    if (cutAt !== undefined) {
      ledger.note('cut the standalone stream')
      events.close()
    }
    this.#lastId = cutAt ?? events.lastId
    this.#excuseUnnamed()
  }

  /** A client cannot resume a stream that it cannot name: the changes on their way count as delivered. */
  #excuseUnnamed(): void {
    if (this.#lastId !== '') return
    this.#setting.ledger.count('excused: stream without an event id')
    this.#listener.excuse()
  }

  #receive(message: Message, eventId: string): void {
    this.#setting.ledger.note(`standalone stream: ${textOf(message)} ${eventId.slice(-16)}`)
    this.#positions.receive(eventId)
    if (message.method === 'notifications/resources/updated') {
      this.#listener.receive(message.params?.uri ?? '')
    } else if (message.method === 'notifications/tasks/status') {
      this.#receiveStatus(message.params)
    } else {
      const text = `The standalone stream carries ${JSON.stringify(message)}`
      this.#setting.ledger.violation('foreign-message', text)
    }
  }

  /** A status of a task of this session. The last one may arrive again after a kill; none follows it. */
  #receiveStatus({ taskId = '', status = '' }: Message['params'] = {}): void {
    const { ledger } = this.#setting
    ledger.count('task states')
    const final = this.#ended.get(taskId)
    if (final !== undefined && final !== status) {
      ledger.violation('reordered-message', `Task ${taskId} is ${status} after it was ${final}`)
    }
    if (FINAL.includes(status)) this.#ended.set(taskId, status)
  }
}
