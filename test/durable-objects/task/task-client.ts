/** A client with tasks, in workerd. */
import { expect, vi } from 'vitest'
import type { Handler } from '../../support/session-server.ts'
import { keepHandler } from '../../support/session-server.ts'
import { parseMessages } from '../../support/sse-parser.ts'
import { openTaskApp, TASKS } from '../../support/task-server.ts'
import type { Answer, TestApp } from '../../support/test-app.ts'

export type Tool =
  | 'plain'
  | 'optional'
  | 'required'
  | 'inline'
  | 'before'
  | 'brief'
  | 'scoped'
  | 'concealed'

export class TaskClient {
  readonly app: TestApp
  readonly #headers: Record<string, string>

  constructor(
    app: TestApp = openTaskApp(),
    subject?: string,
    headers: Record<string, string> = {},
  ) {
    this.app = app
    this.#headers =
      subject === undefined ? headers : { ...headers, authorization: `Bearer ${subject}` }
  }

  /** On a busy machine the answer may be a stream, which ends with it. */
  async send(method: string, params: Record<string, unknown> = {}): Promise<Answer> {
    const answer = await this.app.modern(method, params, { meta: TASKS, headers: this.#headers })
    const { body } = answer
    return typeof body === 'string' ? { ...answer, body: parseMessages(body).at(-1) } : answer
  }

  call(tool: Tool, handler: Handler, params: Record<string, unknown> = {}): Promise<Answer> {
    return this.send('tools/call', { name: tool, arguments: keepHandler(handler), ...params })
  }

  /** Starts a task and returns its id. */
  async start(handler: Handler, tool: Tool = 'required'): Promise<string> {
    const { body } = await this.call(tool, handler)
    expect(body.result?.resultType, JSON.stringify(body)).toBe('task')
    return body.result.taskId
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
  async get(taskId: string): Promise<any> {
    const { body } = await this.send('tasks/get', { taskId })
    return body.result ?? body.error
  }

  /** Waits until the task has a status, and returns its state. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  async reaches(taskId: string, status: string): Promise<any> {
    return vi.waitFor(
      async () => {
        const task = await this.get(taskId)
        expect(task.status, JSON.stringify(task)).toBe(status)
        return task
      },
      { timeout: 30_000, interval: 20 },
    )
  }

  answer(taskId: string, inputResponses: Record<string, unknown>): Promise<Answer> {
    return this.send('tasks/update', { taskId, inputResponses })
  }
}

/** Waits until a condition holds. */
export async function until(condition: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(condition()).toBe(true), { timeout: 30_000, interval: 10 })
}
