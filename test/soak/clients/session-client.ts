/** A client of one session over HTTP: 2025-11-25, 2025-06-18, or 2025-03-26 with batches. */
import { delay } from '../../faults/sessions/delay.ts'
import type { Message } from '../../faults/sessions/message.ts'
import { Session } from '../../faults/sessions/session.ts'
import { HttpSession } from '../../support/http-session.ts'
import { planCall } from '../calls.ts'
import type { ClientLedger } from '../ledger/ledger.ts'
import { SessionLife } from '../ledger/session-life.ts'
import type { Random } from '../random.ts'
import { planTask } from '../tasks.ts'
import { type ClientSetting, callContext, nextId, type SoakClient } from './client.ts'
import { Conversation } from './conversation.ts'
import { SoakTask } from './soak-task.ts'
import { StandaloneStream } from './standalone-stream.ts'
import { SessionTasks } from './task-wire.ts'

const WITH_BATCHES = '2025-03-26'
const WITH_TASKS = '2025-11-25'

/** Share of the operations that are tasks, which take longer than others. */
const TASK_SHARE = 0.2

export class SessionClient implements SoakClient {
  readonly workers = 2
  readonly #setting: ClientSetting
  readonly #version: string
  #session: Session | undefined
  #life: SessionLife
  #stream: StandaloneStream | undefined

  constructor(setting: ClientSetting, version: string) {
    this.#setting = setting
    this.#version = version
    this.#life = new SessionLife(setting.ledger, 'unopened')
  }

  get ledger(): ClientLedger {
    return this.#setting.ledger
  }

  get session(): Session {
    if (this.#session === undefined) throw new TypeError('The session is not open')
    return this.#session
  }

  get life(): SessionLife {
    return this.#life
  }

  async open(): Promise<void> {
    const { server, ledger, topic } = this.#setting
    const session = await openSession(this.#setting, this.#version)
    if (session === undefined) return
    this.#session = session
    this.#life = new SessionLife(ledger, session.id.slice(-12))
    this.#stream = new StandaloneStream(this.#setting, session, this.#life)
    for (const uri of topic.uris) {
      const params = { uri }
      const subscribe = () => request(session, 'resources/subscribe', params)
      await server.persist(ledger, 'subscribe', subscribe)
    }
    this.#stream.subscribed()
    void this.#stream.follow()
  }

  async operate(random: Random): Promise<void> {
    if (this.#version === WITH_TASKS && random.chance(TASK_SHARE)) {
      const tasks = new SessionTasks(this.#setting, () => this.session)
      const plan = planTask(random, `task-${nextId()}`, this.#setting.server.isProtected, false)
      return new SoakTask(this.#setting, tasks, random, plan).run()
    }
    const isBatch = this.#version === WITH_BATCHES && random.chance(0.3)
    const count = isBatch ? random.between(2, 4) : 1
    // The calls of a batch share a stream, so each of their messages must name its call.
    const calls = Array.from({ length: count }, () =>
      planCall(callContext(this.#setting, random), isBatch),
    )
    await new Conversation(this.#setting, this.session, this.#life, calls, random).run()
    await delay(random.between(0, 20))
  }

  async settle(): Promise<void> {
    await this.#stream?.settle()
    const { server, ledger } = this.#setting
    const ping = () => this.session.post({ jsonrpc: '2.0', id: nextId(), method: 'ping' })
    const reply = await server.persist(ledger, 'ping', ping)
    if (reply !== undefined) this.#life.answered(reply.status)
  }
}

/** Opens a session that can be asked; undefined when the soak is over. */
export async function openSession(
  { server, ledger, caller }: ClientSetting,
  version: string,
): Promise<Session | undefined> {
  const endpoint = { url: server.url, fetch: caller.fetch }
  const http = await server.persist(ledger, 'initialize', () =>
    HttpSession.open(endpoint, { version, capabilities: { elicitation: {} } }),
  )
  return http && new Session(http)
}

/** Sends a request that may be repeated; undefined when its response did not arrive. */
async function request(
  session: Session,
  method: string,
  params: object,
): Promise<Message | undefined> {
  const { message, events } = await session.post({ jsonrpc: '2.0', id: nextId(), method, params })
  const response = message ?? (await events?.rest())?.at(-1)
  if (response?.error !== undefined) throw new Error(`${method}: ${response.error.message}`)
  return response
}
