/** Tests sessions of an agent with the compatibility dates that a moved server may have. */
// features: sessions
import { join } from 'node:path'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'

const SOURCE = `
import { McpAgent } from './packages/agents/src/index.ts'
import { McpServer } from './packages/sdk/src/index.ts'

export class Counter extends McpAgent {
  server = new McpServer({ name: 'counter', version: '1.0.0' })
  initialState = 1
  init() {
    this.server.registerTool('count', {}, () => {
      this.setState(this.state + 1)
      return { content: [{ type: 'text', text: String(this.state) }] }
    })
  }
}
const counter = Counter.serve('/mcp', { binding: 'COUNTER' })
export class McpObjects extends counter.Objects {}
export default counter
`

let script = ''
beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: SOURCE, resolveDir: join(import.meta.dirname, '../../..'), loader: 'ts' },
    ...{ bundle: true, write: false, format: 'esm', conditions: ['workerd'] },
    external: ['cloudflare:*', 'node:*'],
  })
  script = outputFiles[0]?.text ?? ''
})

/** A Worker with a service binding, which has each method, in front of the objects. */
function workerOf(compatibilityDate: string): Miniflare {
  const sqlite = (className: string) => ({ className, useSQLite: true })
  const compatibilityFlags = ['enable_request_signal', 'nodejs_als']
  const other = 'export default { fetch: () => new Response(null, { status: 500 }) }'
  const worker = new Miniflare(
    convertV4MiniflareOptions({
      workers: [
        {
          ...{ name: 'agent', modules: true, script, compatibilityDate, compatibilityFlags },
          serviceBindings: { AAA: 'other' },
          bindings: { NAMES: { a: 1 }, NOTHING: null },
          durableObjects: { MCP_OBJECTS: sqlite('McpObjects'), COUNTER: sqlite('Counter') },
        },
        { ...{ name: 'other', modules: true, script: other, compatibilityDate } },
      ],
    }),
  )
  onTestFinished(() => worker.dispose())
  return worker
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1.0.0' },
}

describe('a session of an agent', () => {
  it.each(['2024-04-03', '2024-09-25', '2024-09-26', '2026-11-01'])(
    'keeps its state with the compatibility date %s',
    async (date) => {
      const worker = workerOf(date)
      let session: string | null = null
      const send = async (method: string, params: object) => {
        const response = await worker.dispatchFetch('http://localhost/mcp', {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            ...(session !== null && { 'mcp-session-id': session }),
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        })
        session ??= response.headers.get('mcp-session-id')
        const body = await response.text()
        expect(response.status, body).toBe(200)
        return body
      }
      await send('initialize', INITIALIZE)
      expect(await send('tools/call', { name: 'count' })).toContain('"text":"2"')
      expect(await send('tools/call', { name: 'count' })).toContain('"text":"3"')
    },
  )
})
