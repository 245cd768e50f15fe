/** Requests of the modern revision as a hostile client writes them: any params, any envelope of answers. */

const VERSION = '2026-07-28'

/** Everything that a server may ask for. */
const ALL_CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }

export interface Answer {
  readonly status: number
  readonly result: { readonly [member: string]: unknown } | undefined
  readonly error: { readonly code: number; readonly message: string } | undefined
}

let lastId = 0

function requestOf(url: string, method: string, params: object, name?: string): Request {
  lastId++
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': ALL_CAPABILITIES,
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
    body: JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params: { ...params, _meta } }),
  })
}

/** The messages of a stream that has been read to its end. */
function messagesOf(stream: string): string[] {
  return stream.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text()
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream')
  const { result, error } = JSON.parse(streams ? (messagesOf(text).at(-1) ?? '{}') : text)
  return { status: response.status, result, error }
}

/** Calls a tool; `round` is what a later round brings besides: `requestState`, `inputResponses`. */
export async function callTool(
  url: string,
  name: string,
  args: object = {},
  round: object = {},
): Promise<Answer> {
  const params = { name, arguments: args, ...round }
  return read(await fetch(requestOf(url, 'tools/call', params, name)))
}

/** The state that a call gives when it asks. */
export async function stateOf(url: string, name: string, args: object = {}): Promise<string> {
  const { result } = await callTool(url, name, args)
  if (typeof result?.requestState !== 'string') throw new Error(`${name} asks for nothing`)
  return result.requestState
}

/** An answer in one word: what it asks for, the code of its error, or its text. */
export function inShort({ result, error }: Answer): string | number | undefined {
  if (error !== undefined) return error.code
  const { inputRequests, content } = result as {
    readonly inputRequests?: object
    readonly content?: readonly { readonly text: string }[]
  }
  return inputRequests === undefined
    ? content?.map(({ text }) => text).join()
    : `asks ${Object.keys(inputRequests).join()}`
}

export class Listener {
  readonly status: number
  readonly #response: Response
  readonly #reader: ReadableStreamDefaultReader<string> | undefined
  readonly #controller: AbortController
  #text = ''

  private constructor(response: Response, controller: AbortController) {
    this.status = response.status
    this.#response = response
    this.#controller = controller
    this.#reader =
      response.status === 200
        ? response.body?.pipeThrough(new TextDecoderStream()).getReader()
        : undefined
  }

  /** Resolves with the head of the answer; nothing of its body is read yet. */
  static async open(url: string, notifications: unknown): Promise<Listener> {
    const controller = new AbortController()
    const request = requestOf(url, 'subscriptions/listen', { notifications })
    return new Listener(await fetch(request, { signal: controller.signal }), controller)
  }

  /** The first so many messages, or fewer where the stream ends before. */
  async messages(count: number): Promise<readonly { readonly [member: string]: unknown }[]> {
    for (;;) {
      const messages = messagesOf(this.#text.slice(0, this.#text.lastIndexOf('\n') + 1))
      if (messages.length >= count) return messages.slice(0, count).map((text) => JSON.parse(text))
      const part = await this.#reader?.read()
      if (part?.value === undefined) return messages.map((text) => JSON.parse(text))
      this.#text += part.value
    }
  }

  /** Of an answer that is no stream. */
  async error(): Promise<Answer['error']> {
    return (await read(this.#response)).error
  }

  close(): void {
    this.#controller.abort()
  }
}
