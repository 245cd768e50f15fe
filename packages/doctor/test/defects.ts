/** Ways to break the reference server, as building blocks of the table in `broken-servers.test.ts`. */
import type { Answer } from './http-server.ts'
import { type Defect, TOOL } from './reference-server.ts'

/** Replaces the answers at a path. */
export const at =
  (path: string, answer: Answer | undefined, method?: string): Defect =>
  (request, next) =>
    request.path === path && (method === undefined || request.method === method) ? answer : next()

/** Changes the JSON of the answers at a path. */
export const changed =
  (path: string, change: (value: Record<string, unknown>, origin: string) => unknown): Defect =>
  (request, next, origin) => {
    const answer = next()
    if (request.path !== path || answer?.body === undefined) return answer
    return { ...answer, body: JSON.stringify(change(JSON.parse(String(answer.body)), origin)) }
  }

/** Replaces the answers to a JSON-RPC method. */
export const onMethod =
  (method: string, answer: (id: unknown, next: Answer | undefined) => Answer | undefined): Defect =>
  (request, next) =>
    request.json.method === method ? answer(request.json.id, next()) : next()

/** Changes the results of a JSON-RPC method. */
export const onResult = (
  method: string,
  change: (result: Record<string, unknown>) => unknown,
): Defect =>
  onMethod(method, (_, next) => {
    const message = JSON.parse(String(next?.body))
    if (next === undefined || message.result === undefined) return next
    return { ...next, body: JSON.stringify({ ...message, result: change(message.result) }) }
  })

/** Changes the headers and the status of the answers at a path. */
export const withAnswer =
  (path: string, change: (answer: Answer) => Answer | undefined): Defect =>
  (request, next) => {
    const answer = next()
    return request.path === path && answer !== undefined ? change(answer) : answer
  }

export function withoutHeaders(answer: Answer, ...names: readonly string[]): Answer {
  const headers = Object.entries(answer.headers ?? {}).filter(([name]) => !names.includes(name))
  return { ...answer, headers: Object.fromEntries(headers) }
}

/** The schema of the tool nests this many levels. It is written as text, because JSON of so many cannot be made of values. */
export function nestsTool(levels: number): Defect {
  const tool = JSON.stringify(TOOL)
  const nested = `${'{"items":'.repeat(levels)}{}${'}'.repeat(levels)}`
  const deep = tool.replace('"properties":{}', `"properties":{"a":${nested}}`)
  return onMethod(
    'tools/list',
    (_, next) => next && { ...next, body: String(next.body).replace(tool, deep) },
  )
}
