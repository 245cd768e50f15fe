/** The test client against a definition and against an app with objects, in every revision. */
// features: sessions, changes

import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { REVISIONS } from '../../../src/protocol/revisions.ts'
import { createFullEdgeway } from '../../../test/support/full-app.ts'
import type { FullContext } from '../../../test/support/full-server.ts'
import { createSampleServer } from '../../../test/support/sample-server.ts'
import { keepHandler, sessionServer } from '../../../test/support/session-server.ts'
import {
  type AppOptions,
  accept,
  type ClientOptions,
  cancel,
  connect,
  decline,
  type RevisionId,
  type TestClient,
} from '../src/index.ts'

const revisions = REVISIONS.map(({ id }) => id)
const withSessions = revisions.slice(1)
const app = createFullEdgeway(sessionServer, { telemetry: () => undefined })

const clients: TestClient[] = []
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close()
})

async function open(
  revision: RevisionId,
  options: ClientOptions<Cloudflare.Env> & AppOptions = {},
): Promise<TestClient> {
  const client = await connect(app, { env, revision, ...options })
  clients.push(client)
  return client
}

/** Calls a tool that runs the handler. */
const run = (client: TestClient, handler: (ctx: FullContext) => Promise<string> | string) =>
  client.callTool('run', keepHandler(handler))

describe.each(revisions)('connect(definition) in revision %s', (revision) => {
  const connected = () => connect(createSampleServer(), { revision })

  it('reads the name, the instructions and the lists of the server', async () => {
    const client = await connected()
    expect(client.serverInfo).toMatchObject({ name: 'sample', version: '1.2.3' })
    expect(client.instructions).toBe('Use it well.')
    expect(client.serverCapabilities).toHaveProperty('tools')
    expect((await client.listTools()).map(({ name }) => name)).toContain('echo')
    expect((await client.listPrompts()).map(({ name }) => name)).toEqual(['greet'])
    expect((await client.listResources()).map(({ name }) => name)).toEqual(['a', 'bytes'])
    const [template] = await client.listResourceTemplates()
    expect(template?.uriTemplate).toBe('sample://item/{id}')
  })
})

describe.each(revisions)('connect(app) in revision %s', (revision) => {
  it('answers elicitations in the order of the queue and records them', async () => {
    const client = await open(revision, { elicit: [accept({ ok: true }), decline, cancel] })
    const { text } = await run(client, async (ctx) => {
      const answers: unknown[] = []
      for (const message of ['One?', 'Two?', 'Three?']) {
        answers.push(await ctx.elicit({ message, schema: z.object({ ok: z.boolean() }) }))
      }
      return JSON.stringify(answers)
    })
    expect(JSON.parse(text)).toMatchObject([
      { action: 'accept', content: { ok: true } },
      { action: 'decline' },
      { action: 'cancel' },
    ])
    expect(client.asks.map(({ params }) => params.message)).toEqual(['One?', 'Two?', 'Three?'])
  })

  it('answers sampling and roots', async () => {
    const client = await open(revision, {
      sample: ({ maxTokens }) => `four in ${maxTokens}`,
      roots: [{ uri: 'file:///src' }],
    })
    const { text } = await run(client, async (ctx) => {
      const message = { role: 'user', content: { type: 'text', text: '2 + 2?' } } as const
      const { content } = await ctx.sample({ messages: [message], maxTokens: 5 })
      const roots = await ctx.listRoots()
      return JSON.stringify([content, roots])
    })
    expect(JSON.parse(text)).toEqual([
      { type: 'text', text: 'four in 5' },
      [{ uri: 'file:///src' }],
    ])
  })

  it('rejects a call that asks without an answer, with a sentence that names the ask', async () => {
    const client = await open(revision)
    const call = run(client, async (ctx) => {
      await ctx.elicit({ message: 'Really?', schema: z.object({ ok: z.boolean() }) })
      return 'never'
    })
    await expect(call).rejects.toThrow(
      /^Tool "run" asked.*: "Really\?"\. The test has no answer to it: connect\(…, \{ elicit: \[accept\(\{ ok: … \}\)\] \}\)$/,
    )
  })

  it('receives list changes and updates of resources that it listens to', async () => {
    const client = await open(revision)
    const changes = await client.listen({
      toolsListChanged: true,
      resourceSubscriptions: ['note://a'],
    })
    await app.notify(env).resourceUpdated('note://b')
    await app.notify(env).resourceUpdated('note://a')
    expect(await changes.next()).toEqual({ kind: 'resource_updated', uri: 'note://a' })
    await app.notify(env).toolsChanged()
    expect(await changes.next()).toEqual({ kind: 'tools_list_changed' })
    expect(changes.unread).toEqual([])
    await expect(changes.next(20)).rejects.toThrow('No change arrived within 20 ms')
    changes.close()
  })
})

describe.each(withSessions)('connect(app) without session objects in revision %s', (revision) => {
  const secret = { MCP_OBJECTS: undefined, EDGEWAY_SECRET: 'a'.repeat(32) }
  const alone = { ...env, ...secret } as unknown as Cloudflare.Env

  it('serves calls, and says why it cannot be asked and receives no changes', async () => {
    const client = await connect(app, { env: alone, revision })
    expect((await client.callTool('echo', { text: 'tea' })).text).toBe('tea')
    await expect(client.listen({})).rejects.toThrow(/sessions, which are Durable Objects/)
    const expecting = connect(app, { env: alone, revision, elicit: [decline] })
    await expect(expecting).rejects.toThrow(/MCP_OBJECTS/)
  })
})
