/** What a server uses: the features of its app, and the members of its handlers' context. */
// features: asks, changes, events, files, sessions, state, tasks, timeline, admin, apps, rate-limits
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineEvent, events } from '../../packages/events/src/index.ts'
import { admin } from '../../packages/inspector/src/admin/index.ts'
import { timeline } from '../../packages/inspector/src/timeline/index.ts'
import { connect, decline } from '../../packages/testing/src/index.ts'
import { BROUGHT_BY } from '../../src/app/brought-by.ts'
import { apiKey } from '../../src/auth/index.ts'
import { FEATURE, type FeatureParts } from '../../src/feature/feature.ts'
import { changes } from '../../src/features/changes/index.ts'
import { connections } from '../../src/features/connections/index.ts'
import { files } from '../../src/features/files/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { state } from '../../src/features/state/index.ts'
import { tasks } from '../../src/features/tasks/index.ts'
import { asks, createEdgeway, createServer, type FactoryContext } from '../../src/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { FullServer } from '../support/full-server.ts'
import { connectApp } from '../support/test-app.ts'

const INFO = { name: 'using', version: '1.0.0' } as const
const types = [
  defineEvent('thing.happened', {
    description: 'A thing happened',
    payload: z.object({}),
  }),
]

/** A server whose handler counts in the state of its caller's handle. */
function counting() {
  const server = createServer.for<object>()({ ...INFO, uses: [state()] })
  return server.registerTool('store', {}, async (ctx) => `handle ${await ctx.state.create(1)}`)
}

describe('a server that uses a feature', () => {
  it('is served with it, without another option', async () => {
    const app = connectApp(createEdgeway(counting()), { ...env })
    const { body } = await app.modern('tools/call', { name: 'store' })
    expect(body.result.content[0].text).toMatch(/^handle \S{20,}$/)
  })

  it('is tested with it, without an option of the test kit', async () => {
    const server = createServer.for<object>()({ ...INFO, uses: [asks()] })
    server.registerTool('ask', {}, async (ctx) => {
      const { action } = await ctx.elicit({ url: 'https://example.com', message: 'Open' })
      return action
    })
    const client = await connect(server, { elicit: [decline] })
    expect((await client.callTool('ask')).text).toBe('decline')
  })

  it('has its members of `edgeway` and those of the features of the app', () => {
    const server = createServer.for<object>()({ ...INFO, uses: [changes()] })
    const edgeway = createEdgeway(server, { features: [tasks()] })
    expect(Object.keys(edgeway)).toEqual(expect.arrayContaining(['notify', 'tasks']))
  })

  it('is refused with a second value of the feature in the options of the app', () => {
    const create = () => createEdgeway(counting(), { features: [state()] })
    expect(create).toThrow(new TypeError('features: state() is passed twice'))
  })

  it('does not use what a condition has left out', () => {
    const server = createServer.for<object>()({ ...INFO, uses: [Math.random() > 1 && state()] })
    expect(() => createEdgeway(server)).not.toThrow()
  })

  it('is included in a server that uses as much, and in no other', () => {
    const one = () => createServer.for<object>()({ ...INFO, uses: [state(), asks()] })
    expect(() => one().include(counting())).not.toThrow()
    const plain = createServer.for<object>()(INFO)
    expect(() => plain.include(counting() as never)).toThrow(
      new TypeError('The included server uses state(): add it to uses of the including one'),
    )
  })
})

describe('a factory whose server uses a feature that the app lacks', () => {
  it('is answered with 500, and telemetry learns the value to add', async () => {
    const seen: TelemetryEvent[] = []
    const edgeway = createEdgeway((_: FactoryContext<object>) => counting(), {
      info: INFO,
      features: [sessions()],
      telemetry: (event) => void seen.push(event),
    })
    const app = connectApp(edgeway as never, { ...env })
    const { status, body } = await app.modern('tools/call', { name: 'store' })
    expect([status, body.error.message]).toEqual([
      500,
      expect.stringContaining('[definition-failed]'),
    ])
    expect(seen).toMatchObject([
      {
        type: 'handler-error',
        error: new TypeError('The server of the factory needs features: [state()]'),
      },
      { type: 'refusal' },
    ])
  })
})

describe('a member of the context without its feature', () => {
  const text = 'ctx.elicit needs asks(): add it to uses of createServer, or to features'

  it.each([
    ['the client reads the value to add at localhost', 'http://localhost:8787', text],
    [
      'the client reads a reference alone at another host',
      'https://mcp.example.com',
      expect.stringMatching(/^Tool ask failed \(reference \w+\)\.$/),
    ],
  ])('fails the call: %s', async (_, origin, expected) => {
    const seen: TelemetryEvent[] = []
    const server = new FullServer(INFO)
    server.registerTool('ask', {}, async (ctx) => {
      await ctx.elicit({ url: 'https://example.com', message: 'Open' })
      return 'asked'
    })
    const app = createEdgeway(server, { telemetry: (event) => void seen.push(event) })
    const client = await connect(app, { url: `${origin}/mcp` })
    const { content, isError } = await client.callTool('ask')
    expect([content[0], isError]).toEqual([{ type: 'text', text: expected }, true])
    expect(seen).toMatchObject([{ type: 'handler-error', error: new TypeError(text) }])
  })
})

describe('the table of what features bring', () => {
  it('is what they bring', () => {
    const context: Record<string, string> = {}
    const api: Record<string, string> = {}
    const methods: Record<string, string> = {}
    const example = apiKey({ verify: () => undefined, origins: ['https://api.example.com'] })
    const own = [connections({ example }), timeline(), admin()]
    const values = [asks(), state(), files(), changes(), tasks(), ...own]
    for (const feature of [...values, events({ types })]) {
      const auth = { type: 'embedded' }
      const app = new Proxy({}, { get: (_, key) => (key === 'auth' ? auth : () => undefined) })
      const parts: FeatureParts = feature[FEATURE].create(app as never)
      const { name } = feature
      for (const key of Object.keys(parts.dispatch?.context ?? {})) context[key] = name
      for (const key of Object.keys(parts.api ?? {})) api[key] = name
      for (const key of Object.keys(parts.transport?.streams ?? {})) methods[key] = name
    }
    expect({ ...BROUGHT_BY.api }).toEqual(api)
    // In every context, and undefined in a call that is no task.
    const { task, ...others } = context
    expect(task).toBe('tasks')
    expect({ ...BROUGHT_BY.context }).toEqual(others)
    expect(methods).toMatchObject(BROUGHT_BY.methods)
  })
})
