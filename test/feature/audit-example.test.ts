/** The audit example: a feature of an author, through its endpoint. */
import { createExecutionContext, evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { audit } from '../../examples/audit/audit.ts'
import worker from '../../examples/audit/worker.ts'
import { createEdgeway, McpServer } from '../../src/index.ts'
import { modernRequest } from '../support/test-app.ts'

const ENDPOINT = 'https://mcp.example.com/mcp'

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

const fetchWorker = async (request: Request) => worker.fetch(request, env, createExecutionContext())

// biome-ignore lint/suspicious/noExplicitAny: a test reads untyped JSON from the wire
const readJson = (response: Response) => response.json<any>()

async function send(method: string, params: Record<string, unknown>, caller: string) {
  const { body, headers } = modernRequest(method, params)
  const init = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...HEADERS, authorization: `Bearer ${caller}`, ...headers } as HeadersInit,
  }
  const response = await fetchWorker(new Request(ENDPOINT, init))
  return { status: response.status, headers: response.headers, body: await readJson(response) }
}

const refund = (order: string, caller: string) =>
  send('tools/call', { name: 'refund', arguments: { order } }, caller)

describe('the audit example', () => {
  it('declares its extension with its settings', async () => {
    const { body } = await send('server/discover', {}, 'ann')
    expect(body.result.capabilities.extensions).toEqual({
      'com.example/audit': { newestFirst: true },
    })
  })

  it('records what handlers do, and lists it to a caller with the scope, after an eviction too', async () => {
    await refund('a-1', 'ann')
    await refund('b-2', 'ben')
    await evictDurableObject(env.AUDIT_LOG.getByName('log'))
    const { body } = await send('audit/list', { count: 2 }, 'owner')
    expect(body.result).toMatchObject({
      resultType: 'complete',
      entries: [
        { who: 'ben', what: 'refunded b-2', at: expect.any(Number) },
        { who: 'ann', what: 'refunded a-1', at: expect.any(Number) },
      ],
    })
  })

  it('refuses a caller without the scope with 403 and the scope', async () => {
    const { status, headers } = await send('audit/list', {}, 'ann')
    expect(status).toBe(403)
    expect(headers.get('www-authenticate')).toContain('scope="audit"')
  })

  it.each([
    ['a number below the limit', { count: 0 }],
    ['a number above the limit', { count: 101 }],
    ['another type', { count: '5' }],
    ['null', { count: null }],
  ])('refuses %s as its param with -32602', async (_, params) => {
    const { body } = await send('audit/list', params, 'owner')
    expect(body.error).toMatchObject({ code: -32602 })
    expect(body.error.message).toMatch(/^Invalid params of audit\/list:\n/)
  })

  it('answers the method to a client of 2025-11-25, and not to one of 2025-06-18', async () => {
    const answerOf = async (revision: string) => {
      const init = {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'audit/list', params: {} }),
        headers: { ...HEADERS, authorization: 'Bearer owner', 'mcp-protocol-version': revision },
      }
      const response = await fetchWorker(new Request(ENDPOINT, init))
      return readJson(response)
    }
    expect((await answerOf('2025-11-25')).result.entries).toBeInstanceOf(Array)
    expect((await answerOf('2025-06-18')).error).toMatchObject({ code: -32601 })
  })
})

describe('audit.of', () => {
  it('throws the name of the feature in an app without it', async () => {
    const errors: unknown[] = []
    const server = new McpServer({ name: 'plain', version: '1.0.0' })
    server.registerTool('act', {}, async (ctx) => {
      await audit.of(ctx).record('acted')
      return ''
    })
    const app = createEdgeway(server, {
      telemetry: (event) => {
        if (event.type === 'handler-error') errors.push(event.error)
      },
    })
    const { body, headers } = modernRequest('tools/call', { name: 'act', arguments: {} })
    const init = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { ...HEADERS, ...headers } as HeadersInit,
    }
    await app.fetch(new Request(ENDPOINT, init), env, createExecutionContext())
    expect(errors).toEqual([new TypeError('audit.of(ctx) needs features: [audit]')])
  })

  it('refuses what is not the context of a handler', () => {
    expect(() => audit.of({} as never)).toThrow('audit.of needs the context of a handler')
  })
})
