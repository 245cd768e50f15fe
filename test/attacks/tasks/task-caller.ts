/** Creates and reads tasks over HTTP, as a conforming client. */
import { HttpSession } from '../../support/http-session.ts'
import { type Answer, type NamedParams, readAnswer, taskRequest } from '../modern.ts'

export class TaskCaller {
  readonly #url: string
  readonly #token: string | undefined

  constructor(url: string, token?: string) {
    this.#url = url
    this.#token = token
  }

  async send(method: string, params: NamedParams): Promise<Answer> {
    return readAnswer(await this.#fetch(taskRequest(this.#url, method, params)))
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

  async codeOf(method: string, taskId: string): Promise<unknown> {
    return (await this.send(method, { taskId, inputResponses: {} })).error?.code
  }

  openSession(): Promise<HttpSession> {
    const fetch = (request: Request) => this.#fetch(request)
    return HttpSession.open({ url: this.#url, fetch })
  }

  #fetch(request: Request): Promise<Response> {
    if (this.#token !== undefined) request.headers.set('authorization', `Bearer ${this.#token}`)
    return fetch(request)
  }
}
