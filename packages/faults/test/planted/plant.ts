/**
 * How faults are planted: each building block changes answers of a clean server. The table runs on a server of Node and on
 * an app in workerd, so nothing here depends on either.
 */

export interface PlantedRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Record<string, string | undefined>
  readonly body: string
  /** The body as JSON; an empty object for any other body. */
  readonly json: { readonly [member: string]: unknown }
}

/** Where the rest of a body is written. */
export interface Sink {
  readonly writable: boolean
  write(text: string): boolean
  end(text?: string): unknown
  on(event: 'close', listener: () => void): unknown
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Writes the rest of the body and does not end. */
  readonly stream?: (response: Sink) => void
}

/** Changes an answer, or replaces it. `next` is what the clean server answers. Undefined leaves the request without one. */
export type Defect = (
  request: PlantedRequest,
  next: () => Answer | undefined,
  origin: string,
) => Answer | undefined | Promise<Answer | undefined>

type Members = Record<string, unknown>

/** What of an answer differs. A header that is undefined is removed. */
export type AnswerChange = Partial<Omit<Answer, 'headers'>> & {
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export const CORS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'mcp-session-id, www-authenticate, mcp-protocol-version',
}

export const json = (value: unknown, status = 200, headers = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...CORS, ...headers },
  body: JSON.stringify(value),
})

export const html = (status: number, text: string, headers = {}): Answer => ({
  status,
  headers: { 'content-type': 'text/html', ...headers },
  body: `<!doctype html><title>${text}</title><h1>${text}</h1>`,
})

export const plain = (status: number, body: string): Answer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body,
})

/** An event stream that has ended. */
export const eventStream = (body: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body,
})

/** A body without an end. */
export const endless = (type: string, text: string): Answer => ({
  status: 200,
  headers: { 'content-type': type },
  stream: (response) => {
    const timer = setInterval(() => {
      // Without back pressure the buffer of the test itself would grow.
      while (response.writable && response.write(text.repeat(1000)));
    }, 1)
    response.on('close', () => clearInterval(timer))
  },
})

export const rpcError = (id: unknown, code: number, message: string, status = 200, headers = {}) =>
  json({ jsonrpc: '2.0', id, error: { code, message } }, status, headers)

/** A JSON-RPC error without the id of the request. */
export const refusal = (status: number, message: string, code = -32000, headers = {}) =>
  rpcError(null, code, message, status, headers)

const isOf = (path: string, method: string) => (request: PlantedRequest) =>
  request.path === path && request.method === method
export const isPost = isOf('/mcp', 'POST')
export const isGet = isOf('/mcp', 'GET')

export const paramsOf = ({ json: { params } }: PlantedRequest) => (params ?? {}) as Members

const merged = (answer: Answer, { headers, ...change }: AnswerChange): Answer => {
  const all = Object.entries({ ...answer.headers, ...headers })
  const kept = all.filter((pair): pair is [string, string] => pair[1] !== undefined)
  return { ...answer, ...change, headers: Object.fromEntries(kept) }
}

/** Answers the requests that match. Without an answer, they have none. */
export const when =
  (
    matches: (request: PlantedRequest) => boolean,
    answer: Answer | undefined | ((request: PlantedRequest, origin: string) => Answer),
  ): Defect =>
  (request, next, origin) => {
    if (!matches(request)) return next()
    return typeof answer === 'function' ? answer(request, origin) : answer
  }

/** Answers the requests that match, by how many came before. */
export function counted(
  matches: (request: PlantedRequest) => boolean,
  answer: (before: number) => Answer | undefined,
): Defect {
  let before = 0
  return (request, next) => (matches(request) ? answer(before++) : undefined) ?? next()
}

/** Replaces the answers at a path. */
export const at = (path: string, answer: Answer | undefined, method?: string): Defect =>
  when((request) => request.path === path && (method ?? request.method) === request.method, answer)

/** Changes the answers that match. */
export const answers =
  (
    matches: (answer: Answer, request: PlantedRequest) => boolean,
    change: AnswerChange | ((answer: Answer, origin: string) => AnswerChange),
  ): Defect =>
  (request, next, origin) => {
    const answer = next()
    if (answer === undefined || !matches(answer, request)) return answer
    return merged(answer, typeof change === 'function' ? change(answer, origin) : change)
  }

/** Changes the answers at a path. */
export const answersAt = (path: string, change: Parameters<typeof answers>[1]): Defect =>
  answers((_, request) => request.path === path, change)

/** Changes the answers to a JSON-RPC method. */
export const answersTo = (method: string, change: Parameters<typeof answers>[1]): Defect =>
  answers((_, request) => request.json.method === method, change)

/** Changes the text of the answers to a JSON-RPC method. */
export const textOf = (method: string, change: (text: string) => string): Defect =>
  answersTo(method, ({ body }) => ({ body: change(String(body)) }))

/** Changes the 401 of the endpoint. */
export const challenge = (change: Parameters<typeof answers>[1]): Defect =>
  answers(({ status }, { path }) => path === '/mcp' && status === 401, change)

/** Replaces the JSON of the answers at a path. */
export const changed =
  (path: string, change: (value: Members, origin: string) => unknown): Defect =>
  (request, next, origin) => {
    const answer = next()
    if (request.path !== path || answer?.body === undefined) return answer
    return { ...answer, body: JSON.stringify(change(JSON.parse(String(answer.body)), origin)) }
  }

/** Changes members of the JSON at a path. Those that are undefined are removed. */
export const members =
  (path: string) =>
  (change: Members | ((value: Members, origin: string) => Members)): Defect =>
    changed(path, (value, origin) => ({
      ...value,
      ...(typeof change === 'function' ? change(value, origin) : change),
    }))

/** Replaces the answers to a JSON-RPC method. */
export const onMethod =
  (method: string, answer: (id: unknown, next: Answer | undefined) => Answer | undefined): Defect =>
  (request, next) =>
    request.json.method === method ? answer(request.json.id, next()) : next()

/** Replaces the results of a JSON-RPC method. */
export const onResult = (method: string, change: (result: Members) => unknown): Defect =>
  onMethod(method, (_, next) => {
    const message = JSON.parse(String(next?.body))
    if (next === undefined || message.result === undefined) return next
    return { ...next, body: JSON.stringify({ ...message, result: change(message.result) }) }
  })

/** Changes members of the results of a JSON-RPC method. Those that are undefined are removed. */
export const resultOf = (method: string, change: Members): Defect =>
  onResult(method, (result) => ({ ...result, ...change }))

/** Answers a JSON-RPC method with an error. */
export const errorOf = (method: string, code: number, message: string, status = 200): Defect =>
  onMethod(method, (id) => rpcError(id, code, message, status))

/** Both defects at once, the first one in front of the second. */
export const both =
  (first: Defect, second: Defect): Defect =>
  async (request, next, origin) => {
    const answer = await second(request, next, origin)
    return first(request, () => answer, origin)
  }

/** The clean server without the modern era. */
export const rejectsModern = when(
  ({ headers }) => headers['mcp-protocol-version'] === '2026-07-28',
  refusal(400, 'No', -32601),
)

/** Another origin of the same server. */
export const elsewhere = (origin: string) =>
  origin.includes('127.0.0.1')
    ? origin.replace('127.0.0.1', 'localhost')
    : origin.replace('localhost', '127.0.0.1')

export const TOOL = {
  name: 'greet',
  description: 'Greets.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true },
}

export const CALL_RESULT = { content: [{ type: 'text', text: 'Hello' }] }
