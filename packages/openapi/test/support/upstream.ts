/** An API that is played: it records the requests, and answers what the test says. */
import { vi } from 'vitest'
import type { McpServer } from '../../../../src/index.ts'
import { openApp, type TestApp } from '../../../../test/support/test-app.ts'

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly body: string
}

export type Answer = Response | ((request: Request) => Response | Promise<Response>)

/** Replaces `fetch`. Returns the requests that it receives. */
export function playUpstream(answer: Answer = Response.json({ ok: true })): SentRequest[] {
  const sent: SentRequest[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input as string, init as RequestInit)
    const { method, url, headers } = request
    const response = typeof answer === 'function' ? await answer(request.clone()) : answer.clone()
    sent.push({ method, url, headers, body: await textOf(request) })
    return response
  })
  return sent
}

/** Not `text()`, for which the platform warns about forms. */
async function textOf(request: Request): Promise<string> {
  return new TextDecoder().decode(await request.arrayBuffer())
}

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
export type Result = any

/** Calls a tool through the endpoint and returns its result. */
export async function callTool(
  app: TestApp,
  name: string,
  args: Record<string, unknown> = {},
): Promise<Result> {
  const { body } = await app.modern('tools/call', { name, arguments: args })
  return body.result ?? body
}

export async function listTools(app: TestApp): Promise<Result[]> {
  const tools: Result[] = []
  let cursor: string | undefined
  do {
    const { body } = await app.modern('tools/list', cursor === undefined ? {} : { cursor })
    tools.push(...body.result.tools)
    cursor = body.result.nextCursor
  } while (cursor !== undefined)
  return tools
}

export const openServer = <Env>(server: McpServer<Env>, env: object = {}): TestApp =>
  openApp(server, {}, env as Env)

/** A description with one operation. */
export function describeOperation(
  operation: object,
  { method = 'get', path = '/things', ...document }: Record<string, unknown> = {},
): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    servers: [{ url: 'https://api.example/v1' }],
    paths: { [String(path)]: { [String(method)]: { operationId: 'call', ...operation } } },
    ...document,
  }
}
