/** A client with tasks, of 2026-07-28. */
import { parseResult } from '../measure/json-rpc-result.ts'
import { taskCaller } from './request.ts'

export class TaskClient {
  readonly #url: string
  readonly #principal: string
  #lastId = 0

  constructor(url: string, principal: string) {
    this.#url = url
    this.#principal = principal
  }

  async create(tool: string, args: object): Promise<string> {
    const params = { name: tool, arguments: args }
    const { resultType, taskId } = await this.#send('tools/call', params, tool)
    if (resultType !== 'task' || typeof taskId !== 'string') throw new Error(`${tool} is no task`)
    return taskId
  }

  async statusOf(taskId: string): Promise<unknown> {
    return (await this.#send('tasks/get', { taskId }, taskId)).status
  }

  /** Delivers an event by a route of the server. */
  async deliver(taskId: string): Promise<void> {
    const response = await fetch(new URL('/deliver', this.#url), { method: 'POST', body: taskId })
    if (response.status !== 200) throw new Error(`The delivery is answered ${response.status}`)
  }

  async #send(method: string, params: object, name: string) {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      },
    }
    this.#lastId += 1
    const id = this.#lastId
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: {
        ...taskCaller(this.#principal),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        'mcp-name': name,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
    })
    const text = await response.text()
    const result = parseResult(text, id)
    if (result === undefined) throw new Error(`${method} is answered ${text.slice(0, 400)}`)
    return result
  }
}
