/** A server with an inspector, over a keyring of its own. */

import { onTestFinished } from 'vitest'
import * as z from 'zod'
import { embedded, passphrase } from '../../../../../src/auth/index.ts'
import { createFullEdgeway, type FullOptions } from '../../../../../test/support/full-app.ts'
import { FullServer } from '../../../../../test/support/full-server.ts'
import { openObjectsOf } from '../../../../../test/support/opened-objects.ts'
import { type InspectorOptions, inspector } from '../../../src/inspector/index.ts'
import type { TrafficEntry } from '../../../src/inspector/traffic-entry.ts'
import { createBindings } from '../../timeline/support/recorded-server.ts'

export const PASSPHRASE = 'correct horse battery staple'
export const PRODUCTION = 'https://mcp.example.com'

/** No app of the Worker of the tests has it. */
export const AUDIENCE = 'inspected'

const MODERN = '2026-07-28'

export interface InspectedOptions {
  readonly origin?: string
  readonly inspector?: InspectorOptions
  readonly app?: FullOptions
  readonly isProtected?: boolean
  /** Of a server that was started before: its storage. */
  readonly bindings?: Readonly<Record<string, unknown>>
}

export interface InspectedServer {
  readonly origin: string
  readonly bindings: Readonly<Record<string, unknown>>
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
  /** Calls a method of the modern revision, and waits until its entries are stored. */
  readonly call: (method: string, params?: object, headers?: object) => Promise<Response>
  /** Resolves when everything in the background is over. */
  readonly settle: () => Promise<void>
  /** The stored entries. */
  readonly entries: (headers?: HeadersInit) => Promise<TrafficEntry[]>
}

export function openInspected(options: InspectedOptions = {}): InspectedServer {
  const { origin = 'http://localhost:8787', isProtected = false, app = {} } = options
  const bindings = options.bindings ?? createBindings()
  const edgeway = openObjectsOf(
    createFullEdgeway(createServer(), {
      telemetry: () => undefined,
      audience: AUDIENCE,
      inspector: inspector(options.inspector),
      ...(isProtected && {
        auth: embedded({
          origin,
          scopes: { read: 'Read notes' },
          login: passphrase({ people: { owner: PASSPHRASE, guest: `${PASSPHRASE} too` } }),
        }),
      }),
      ...app,
    }),
  )
  const background = new Set<Promise<unknown>>()
  const ctx = {
    waitUntil(work: Promise<unknown>) {
      const done = work.finally(() => background.delete(done))
      background.add(done)
    },
  }
  // A stream of entries is over when its reader is.
  const detached = { waitUntil: (work: Promise<unknown>) => void work }
  const fetch = async (path: string, init?: RequestInit) => {
    const request = new Request(`${origin}${path}`, { redirect: 'manual', ...init })
    return edgeway.fetch(request, bindings, path.startsWith('/inspect') ? detached : ctx)
  }
  const settle = async () => {
    while (background.size > 0) await Promise.allSettled(background)
  }
  return {
    origin,
    bindings,
    fetch,
    settle,
    async call(method, params = {}, headers = {}) {
      const _meta = {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const name = (params as { name?: string }).name
      const response = await fetch('/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': MODERN,
          'mcp-method': method,
          ...(name !== undefined && { 'mcp-name': name }),
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      })
      const text = await response.text()
      await settle()
      return new Response(text === '' ? null : text, response)
    },
    async entries(headers = {}) {
      await settle()
      const reader = await openTraffic(fetch, '?after=0', headers)
      const entries = await reader.stored()
      await reader.close()
      return entries
    },
  }
}

export interface TrafficReader {
  readonly response: Response
  /** The next entry. */
  next(): Promise<TrafficEntry>
  /** The entries that are sent at once. */
  stored(): Promise<TrafficEntry[]>
  close(): Promise<void>
}

/** Opens the stream of entries. */
export async function openTraffic(
  fetch: InspectedServer['fetch'],
  query = '',
  headers: HeadersInit = {},
): Promise<TrafficReader> {
  const disconnect = new AbortController()
  const response = await fetch(`/inspect/traffic${query}`, { headers, signal: disconnect.signal })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  const body = response.body
  if (body === null) throw new Error('no body')
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const entries: TrafficEntry[] = []
  const readMore = async (): Promise<boolean> => {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = event.split('\n').find((line) => line.startsWith('data: '))
      if (data !== undefined) entries.push(JSON.parse(data.slice('data: '.length)))
    }
    return !done
  }
  const close = async () => {
    disconnect.abort()
    await reader.cancel().catch(() => undefined)
  }
  onTestFinished(close)
  return {
    response,
    close,
    async next() {
      while (entries.length === 0) {
        if (!(await readMore())) throw new Error('the stream has ended')
      }
      const [entry] = entries.splice(0, 1)
      if (entry === undefined) throw new Error('no entry')
      return entry
    },
    async stored() {
      // The opening comment, and then all entries that were stored: one write.
      await readMore()
      if (entries.length === 0) await Promise.race([readMore(), scheduler.wait(200)])
      return entries.splice(0)
    },
  }
}

function createServer(): FullServer {
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => ({
    content: [{ type: 'text', text: String(text) }],
  }))
  server.registerTool('slow', { inputSchema: {} }, async (_args, ctx) => {
    await ctx.progress(1, 2)
    await scheduler.wait(20)
    return { content: [{ type: 'text', text: 'done' }] }
  })
  return server
}
