/** How a client of one revision creates its tasks and calls their methods. */
import { type NamedParams, readAnswer, taskRequest } from '../../attacks/modern.ts'
import { delay } from '../../faults/sessions/delay.ts'
import type { Session } from '../../faults/sessions/session.ts'
import { type ClientSetting, nextId } from './client.ts'

/** A session or its object is busy, or failed while it served the request. */
const REPEATED = [429, 503]

/** A response that concerns a task, in either revision. */
export interface TaskMessage {
  readonly result?: {
    readonly resultType?: string
    readonly taskId?: string
    readonly task?: { readonly taskId: string }
    readonly status?: string
    readonly statusMessage?: string
    readonly inputRequests?: Readonly<
      Record<string, { readonly params: { readonly message: string } }>
    >
    readonly error?: { readonly message: string }
    readonly isError?: boolean
    readonly content?: readonly { readonly text: string }[]
    /** The result of the call, in the modern revision. */
    readonly result?: TaskMessage['result']
  }
  readonly error?: { readonly code: number; readonly message: string }
}

export interface TaskWire {
  /** Calls a tool once. Undefined without a response: it may have become a task. */
  create(name: string, args: object): Promise<TaskMessage | undefined>
  /** The id of the task that `create` returned. */
  idOf(created: TaskMessage): unknown
  /** Calls a method of a task until there is a response; undefined when the soak is over. */
  call(method: string, taskId: string, more?: object): Promise<TaskMessage | undefined>
  /** The result of a task that is completed. */
  result(state: TaskMessage): Promise<TaskMessage | undefined>
}

export class ModernTasks implements TaskWire {
  readonly #setting: ClientSetting

  constructor(setting: ClientSetting) {
    this.#setting = setting
  }

  create(name: string, args: object): Promise<TaskMessage | undefined> {
    const { server, ledger } = this.#setting
    return server.attempt(
      ledger,
      'task creation',
      () => this.#send('tools/call', { name, arguments: args }),
      'call-sent',
    )
  }

  idOf({ result }: TaskMessage): unknown {
    return result?.resultType === 'task' ? result.taskId : undefined
  }

  call(method: string, taskId: string, more?: object): Promise<TaskMessage | undefined> {
    const { server, ledger } = this.#setting
    return server.persist(ledger, method, () => this.#send(method, { taskId, ...more }))
  }

  async result(state: TaskMessage): Promise<TaskMessage | undefined> {
    return state.result?.result && { result: state.result.result }
  }

  async #send(method: string, params: NamedParams): Promise<TaskMessage> {
    const { caller, server, ledger } = this.#setting
    const answer = await readAnswer(await caller.fetch(taskRequest(server.url, method, params)))
    ledger.note(`${method}: ${JSON.stringify(answer).slice(0, 300)}`)
    return answer as TaskMessage
  }
}

/** The experimental tasks of 2025-11-25. */
export class SessionTasks implements TaskWire {
  readonly #setting: ClientSetting
  readonly #sessionOf: () => Session

  constructor(setting: ClientSetting, sessionOf: () => Session) {
    this.#setting = setting
    this.#sessionOf = sessionOf
  }

  create(name: string, args: object): Promise<TaskMessage | undefined> {
    const { server, ledger } = this.#setting
    return server.attempt(
      ledger,
      'task creation',
      () => this.#send('tools/call', { name, arguments: args, task: {} }),
      'call-sent',
    )
  }

  idOf({ result }: TaskMessage): unknown {
    return result?.task?.taskId
  }

  async call(method: string, taskId: string): Promise<TaskMessage | undefined> {
    const { server, ledger } = this.#setting
    while (!server.isOver) {
      const message = await server.attempt(ledger, method, () => this.#send(method, { taskId }))
      if (message !== undefined) return message
      await delay(50)
    }
    return undefined
  }

  result({ result }: TaskMessage): Promise<TaskMessage | undefined> {
    return this.call('tasks/result', String(result?.taskId))
  }

  /** Undefined for a request that the session refused because it is busy. */
  async #send(method: string, params: object): Promise<TaskMessage | undefined> {
    const reply = await this.#sessionOf().post({ jsonrpc: '2.0', id: nextId(), method, params })
    const message = reply.message ?? (await reply.events?.rest())?.at(-1)
    this.#setting.ledger.note(
      `${method}: ${reply.status} ${JSON.stringify(message)?.slice(0, 300)}`,
    )
    return REPEATED.includes(reply.status) ? undefined : (message as TaskMessage | undefined)
  }
}
