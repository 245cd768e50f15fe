/** Sends requests of the modern revision with any params. */
import { readMessage, SseReader, type WireMessage } from '../support/sse-reader.ts'

const VERSION = '2026-07-28'

/** Every capability for which a server may ask. */
const ALL_CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

const WITH_TASKS = { ...ALL_CAPABILITIES, extensions: { 'io.modelcontextprotocol/tasks': {} } }

export interface Answer {
  readonly status: number
  readonly result: { readonly [member: string]: unknown } | undefined
  readonly error: { readonly code: number; readonly message: string } | undefined
}

let lastId = 0

/**
 * A request of a conforming client.
 *
 * @param name the mirrored name of a tool
 * @param id of the request; one that is given is the progress token too
 */
export function requestOf(
  url: string,
  method: string,
  params: object,
  name?: string,
  id?: number,
  capabilities: object = ALL_CAPABILITIES,
): Request {
  lastId++
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...(id === undefined ? undefined : { progressToken: id }),
  }
  return new Request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': method,
      ...(name === undefined ? undefined : { 'mcp-name': name }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: id ?? lastId,
      method,
      params: { ...params, _meta },
    }),
  })
}

/** The parameters of a request that concerns a tool or a task, whose name is mirrored. */
export type NamedParams = { readonly name: string; readonly [member: string]: unknown } | TaskParams

export type TaskParams = { readonly taskId: string; readonly [member: string]: unknown }

/** A request of a client with tasks. */
export function taskRequest(url: string, method: string, params: NamedParams): Request {
  const name = String(params.name ?? params.taskId)
  return requestOf(url, method, params, mirrored(name), undefined, WITH_TASKS)
}

/** The header of a name that is no visible ASCII text is its Base64 form. */
function mirrored(name: string): string {
  return /^[\x21-\x7e]+$/.test(name) ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`
}

export async function readAnswer(response: Response): Promise<Answer> {
  const { result, error } = await readMessage(response)
  return { status: response.status, result, error }
}

/** Calls a tool. */
export async function callTool(url: string, name: string, args: object = {}): Promise<Answer> {
  const params = { name, arguments: args }
  return readAnswer(await fetch(requestOf(url, 'tools/call', params, name)))
}

/** A `subscriptions/listen` request. */
export class Listener {
  readonly status: number
  readonly #response: Response
  readonly #controller: AbortController

  private constructor(response: Response, controller: AbortController) {
    this.status = response.status
    this.#response = response
    this.#controller = controller
  }

  /** Resolves with the head of the response, without reading its body. */
  static async open(url: string, notifications: unknown): Promise<Listener> {
    const controller = new AbortController()
    const request = requestOf(url, 'subscriptions/listen', { notifications })
    return new Listener(await fetch(request, { signal: controller.signal }), controller)
  }

  /** Reads the first messages; fewer when the stream ends before. */
  async messages(count: number): Promise<readonly WireMessage[]> {
    const reader = new SseReader(this.#response)
    const messages: WireMessage[] = []
    while (messages.length < count) {
      const message = await reader.message()
      if (message === undefined) break
      messages.push(message)
    }
    return messages
  }

  close(): void {
    this.#controller.abort()
  }
}
