/** What a request is for is found once: the author's `visible` runs once for a call. */
// features: sessions, changes, rate-limits
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { completable, jsonSchema, McpServer, ResourceTemplate } from '../../src/index.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { HttpSession } from '../support/http-session.ts'
import { openObjectsOf } from '../support/opened-objects.ts'
import { connectApp, ENDPOINT } from '../support/test-app.ts'

let runs = 0
const visible = () => {
  runs += 1
  return true
}

const server = new McpServer({ name: 'target', version: '1.0.0' })
const inputSchema = jsonSchema({
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
})
server.registerTool('act', { visible, inputSchema, limitClass: 'acts' }, () => 'done')
const argsSchema = z.object({ topic: completable(z.string().optional(), () => ['tea']) })
server.registerPrompt('ask', { visible, argsSchema }, () => 'hi')
server.registerResource('note', 'note://one', { visible }, () => 'one')
const days = new ResourceTemplate('note://of/{day}', {
  list: undefined,
  complete: { day: () => ['monday'] },
})
server.registerResource('numbered', days, { visible }, () => 'today')

const app = openObjectsOf(
  createFullEdgeway(server, {
    rateLimits: { classes: { acts: { limit: 1000 } } },
    telemetry: { spans: true, record: () => undefined },
  }),
)
const connected = connectApp(app, env)

const REQUESTS = [
  ['tools/call', { name: 'act', arguments: { region: 'eu' } }],
  ['prompts/get', { name: 'ask' }],
  ['resources/read', { uri: 'note://one' }],
  ['resources/read', { uri: 'note://of/monday' }],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt', name: 'ask' }, argument: { name: 'topic', value: 't' } },
  ],
  [
    'completion/complete',
    {
      ref: { type: 'ref/resource', uri: 'note://of/{day}' },
      argument: { name: 'day', value: 'm' },
    },
  ],
] as const

beforeEach(() => {
  runs = 0
})

describe.each(REQUESTS)('`visible` of what %s names, with %j', (method, params) => {
  it('runs once in a request of 2026-07-28', async () => {
    const headers = { 'mcp-param-region': 'eu' }
    const { body } = await connected.modern(method, params, { headers })
    expect([body.error, runs]).toEqual([undefined, 1])
  })

  it('runs once in a request of 2025-11-25 without a session', async () => {
    const { body } = await connected.session(method, params)
    expect([body.error, runs]).toEqual([undefined, 1])
  })

  it('runs once in a session', async () => {
    const session = await HttpSession.open({ url: ENDPOINT, fetch: connected.fetch })
    // The digest of the lists, for the client of a session that survives a deployment.
    runs = 0
    const { error } = await (await session.send(method, params)).json<{ error?: object }>()
    expect([error, runs]).toEqual([undefined, 1])
  })
})

describe('`visible` of a resource', () => {
  it('runs once for a subscription in a session', async () => {
    const session = await HttpSession.open({ url: ENDPOINT, fetch: connected.fetch })
    // The digest of the lists, for the client of a session that survives a deployment.
    runs = 0
    const response = await session.send('resources/subscribe', { uri: 'note://one' })
    expect([(await response.json<{ error?: object }>()).error, runs]).toEqual([undefined, 1])
  })
})
