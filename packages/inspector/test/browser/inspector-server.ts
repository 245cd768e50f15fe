/** Serves the page of the inspector with recorded JSON, so that tests decide what it shows. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeAll } from 'vitest'
import {
  createInspectorPage,
  type InspectorPage,
} from '../../../../scripts/support/inspector-page.ts'
import type { ServerConfig } from '../../page/server-config.ts'
import type { TrafficEntry } from '../../page/traffic/entry.ts'
import { viewFrame } from '../../src/inspector/view-frame.ts'
import { CONFIG } from '../page/support/config.ts'

export interface RecordedServer {
  readonly origin: string
  /** Sends further entries to the page, and stores them. */
  append(...entries: readonly TrafficEntry[]): void
  /** Says that a view was built anew, as `edgeway dev` does. */
  changeView(uri: string, html: string): void
  /** Ends the streams and refuses requests until {@link start}. */
  stop(): Promise<void>
  start(): Promise<void>
}

export interface RecordedOptions {
  readonly config?: Partial<ServerConfig>
  readonly entries?: readonly TrafficEntry[]
  /** The result of a JSON-RPC request to the endpoint. */
  readonly resultOf?: (request: JsonRpcRequest) => object
  /** Answers by path, such as `/inspect/timeline.json`. A number is a status without a body. */
  readonly answers?: Readonly<Record<string, unknown>>
}

export interface JsonRpcRequest {
  readonly id: number
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

const SERVER: ServerConfig = { ...CONFIG, events: false }

/** Starts servers that are stopped after each test. */
export function useRecordedServers(): { open(options?: RecordedOptions): Promise<RecordedServer> } {
  let page: InspectorPage
  const opened: RecordedServer[] = []
  beforeAll(async () => {
    page = await createInspectorPage()
  })
  afterEach(async () => {
    for (const server of opened.splice(0)) await server.stop()
  })
  return {
    async open(options = {}) {
      const server = await openRecorded(page, options)
      opened.push(server)
      return server
    },
  }
}

const CHANGES = '/inspect/view-changes'
const STREAMS = [CHANGES, '/inspect/traffic']

async function openRecorded(
  page: InspectorPage,
  { config, entries = [], answers = {}, resultOf }: RecordedOptions,
): Promise<RecordedServer> {
  const stored = [...entries]
  const streams = new Set<ServerResponse>()
  const changes = new Set<ServerResponse>()
  const write = (stream: ServerResponse, entry: TrafficEntry) =>
    stream.write(`id: ${entry.number}\ndata: ${JSON.stringify(entry)}\n\n`)

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const answer = answers[url.pathname]
    if (typeof answer === 'number') return response.writeHead(answer).end()
    if (answer !== undefined) return json(response, answer)
    if (url.pathname === '/inspect/config.json') return json(response, { ...SERVER, ...config })
    if (url.pathname === '/inspect/timeline.json') return json(response, { connections: [] })
    if (url.pathname === '/inspect') {
      response.setHeader('content-security-policy', page.policy)
      return response.setHeader('content-type', 'text/html; charset=utf-8').end(page.html)
    }
    if (url.pathname === '/inspect/view') return send(response, viewFrame(new Request(url)))
    if (url.pathname === '/mcp' && resultOf !== undefined) {
      return text(request).then((body) => {
        const call = JSON.parse(body) as JsonRpcRequest
        json(response, { jsonrpc: '2.0', id: call.id, result: resultOf(call) })
      })
    }
    if (!STREAMS.includes(url.pathname)) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    if (url.pathname === CHANGES) return changes.add(response)
    const after = Number(request.headers['last-event-id'] ?? url.searchParams.get('after'))
    for (const entry of stored) if (entry.number > after) write(response, entry)
    streams.add(response)
    return response.on('close', () => streams.delete(response))
  })
  let port = 0
  const start = async () => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  }
  await start()
  return {
    origin: `http://127.0.0.1:${port}`,
    append(...added) {
      stored.push(...added)
      for (const stream of streams) for (const entry of added) write(stream, entry)
    },
    changeView(uri, html) {
      for (const stream of changes) stream.write(`data: ${JSON.stringify({ uri, html })}\n\n`)
    },
    start,
    async stop() {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
}

function json(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
}
