/** Creates and reads tasks over HTTP, as a conforming client whose requests a test changes in one place. */
import { HttpSession } from '../../support/http-session.ts'
import { type Answer, type NamedParams, readAnswer, taskRequest } from '../modern.ts'

export class TaskCaller {
  readonly #url: string
  readonly #token: string | undefined

  constructor(url: string, token?: string) {
    this.#url = url
    this.#token = token
  }

  /** @param headers replace those of a conforming client; null removes one */
  async send(
    method: string,
    params: NamedParams,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<Answer> {
    return readAnswer(await this.#fetch(taskRequest(this.#url, method, params), headers))
  }

  /** Calls a tool and returns the id of its task. @throws without a task */
  async create(name: string, args: object = {}): Promise<string> {
    const { result, error } = await this.send('tools/call', { name, arguments: args })
    if (typeof result?.taskId === 'string') return result.taskId
    throw new Error(`No task: ${JSON.stringify(result ?? error)}`)
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
  async get(taskId: string): Promise<any> {
    const { result, error } = await this.send('tasks/get', { taskId })
    return result ?? error
  }

  async statusOf(taskId: string): Promise<unknown> {
    return (await this.get(taskId)).status
  }

  /** The text of the result of a task that is completed. */
  async textOf(taskId: string): Promise<unknown> {
    return (await this.get(taskId)).result?.content[0].text
  }

  async codeOf(method: string, taskId: string): Promise<unknown> {
    return (await this.send(method, { taskId, inputResponses: {} })).error?.code
  }

  openSession(version = '2025-11-25'): Promise<HttpSession> {
    const fetch = (request: Request) => this.#fetch(request)
    return HttpSession.open({ url: this.#url, fetch }, { version })
  }

  #fetch(
    request: Request,
    headers: Readonly<Record<string, string | null>> = {},
  ): Promise<Response> {
    if (this.#token !== undefined) request.headers.set('authorization', `Bearer ${this.#token}`)
    for (const [name, value] of Object.entries(headers)) {
      if (value === null) request.headers.delete(name)
      else request.headers.set(name, value)
    }
    return fetch(request)
  }
}
