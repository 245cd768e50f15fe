/** The server of the tool `work`, which is killed and restarted on its storage, as its clients reach it. */
import { join } from 'node:path'
import { PROJECT_DIRECTORY } from '../../../scripts/support/project.ts'
import {
  type Answer,
  type NamedParams,
  readAnswer,
  type TaskParams,
  taskRequest,
} from '../../attacks/modern.ts'
import type { Part, Place } from '../../fixtures/tasks/parts.ts'
import { isBroken } from '../sessions/is-broken.ts'
import { PersistentServer } from '../sessions/persistent-server.ts'
import { readText, send } from '../sessions/send.ts'

export interface Work {
  readonly name: string
  readonly parts: readonly Part[]
  readonly hold?: { readonly part: number; readonly at: Place }
}

/** A task as `tasks/get` returns it. */
export interface TaskState {
  readonly taskId: string
  readonly status: string
  readonly statusMessage?: string
  readonly inputRequests?: Readonly<Record<string, { readonly params: { message: string } }>>
  readonly result?: { readonly structuredContent?: unknown }
  readonly error?: { readonly message: string }
}

export class WorkServer {
  readonly #server: PersistentServer
  #up = Promise.resolve()
  #kills = 0

  private constructor(server: PersistentServer) {
    this.#server = server
  }

  /** @param atEnd receives a function that stops the server and deletes its storage */
  static async start(atEnd: (dispose: () => Promise<void>) => void): Promise<WorkServer> {
    const configPath = join(PROJECT_DIRECTORY, 'test/fixtures/tasks/wrangler.toml')
    return new WorkServer(await PersistentServer.start(atEnd, { configPath }))
  }

  get kills(): number {
    return this.#kills
  }

  /** The log output since the last start. */
  get log(): string {
    return this.#server.log
  }

  async restart(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#up = promise
    this.#kills++
    await this.#server.kill()
    // The URLs of webhooks name the port.
    await this.#server.startAgain({ samePort: true })
    resolve()
  }

  /**
   * Sends a request when the server answers, and reads its response; undefined when a kill broke it.
   *
   * @throws when the connection broke without a kill
   */
  async attempt<T>(
    request: () => Request,
    read: (response: Response) => Promise<T>,
  ): Promise<T | undefined> {
    await this.#up
    const before = this.#kills
    try {
      return await read(await send(request()))
    } catch (error) {
      if (isBroken(error) && this.#kills > before) return undefined
      throw error
    }
  }

  /** Sends a request until no kill breaks it. */
  async persist<T>(request: () => Request, read: (response: Response) => Promise<T>): Promise<T> {
    for (;;) {
      const result = await this.attempt(request, read)
      if (result !== undefined) return result
    }
  }

  /** Calls the tool once; undefined when a kill broke the request, which may have created a task. */
  async create(principal: string, work: Work): Promise<Answer | undefined> {
    const params = { name: 'work', arguments: work }
    return this.attempt(() => this.#request(principal, 'tools/call', params), readAnswer)
  }

  /** Calls a method of a task until no kill breaks it. */
  async call(principal: string, method: string, params: TaskParams): Promise<Answer> {
    return this.persist(() => this.#request(principal, method, params), readAnswer)
  }

  /** The state of a task; the error when there is none. */
  async get(principal: string, taskId: string): Promise<TaskState | Answer['error']> {
    const { result, error } = await this.call(principal, 'tasks/get', { taskId })
    return result === undefined ? error : (result as unknown as TaskState)
  }

  /** Delivers a value; `delivered`, or the reason of the refusal. Undefined when a kill broke the request. */
  deliver(taskId: string, key: string, value: object): Promise<string | undefined> {
    const request = () => postOf(this.#path('/deliver'), { taskId, key, value })
    return this.attempt(request, async (response) => {
      const { reason } = JSON.parse(await readText(response))
      return String(reason)
    })
  }

  /** Calls a webhook; the status. Undefined when a kill broke the request. */
  callWebhook(url: string, value: object): Promise<number | undefined> {
    return this.attempt(
      () => postOf(url, value),
      async (response) => {
        await readText(response)
        return response.status
      },
    )
  }

  counters(): Promise<Readonly<Record<string, number>>> {
    return this.#read('/counters')
  }

  /** The ids of the tasks of a subject, as the owner of the server lists them. */
  tasksOf(subject: string): Promise<readonly string[]> {
    return this.#read(`/tasks/${subject}`)
  }

  async #read<T>(path: string): Promise<T> {
    const text = await this.persist(() => new Request(this.#path(path)), readText)
    return JSON.parse(text)
  }

  #path(path: string): string {
    return new URL(path, this.#server.url).href
  }

  #request(principal: string, method: string, params: NamedParams): Request {
    const request = taskRequest(this.#server.url, method, params)
    request.headers.set('authorization', `Bearer ${principal}`)
    return request
  }
}

function postOf(url: string, body: object): Request {
  const headers = { 'content-type': 'application/json' }
  return new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
}
