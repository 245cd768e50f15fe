import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createChangeBus } from '../../durable-objects/hub/change-bus.ts'
import { Dispatcher } from '../../src/dispatch/dispatcher.ts'
import {
  type Change,
  type ChangeBus,
  ChangeBusFullError,
  type ListenOptions,
} from '../../src/ports/change-bus.ts'
import type { TelemetryEvent } from '../../src/ports/telemetry.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { RequestId } from '../../src/protocol/json-rpc.ts'
import { MODERN } from '../../src/protocol/revisions.ts'
import { sealDefinition } from '../../src/server/mcp-server.ts'
import { readAccept } from '../../src/transport/accept.ts'
import type { Exchange } from '../../src/transport/exchange.ts'
import { type Limits, resolveLimits } from '../../src/transport/limits.ts'
import { type ListenSource, serveListen } from '../../src/transport/modern/listen.ts'
import { createSampleServer } from '../support/sample-server.ts'

const definition = sealDefinition(createSampleServer())
const ALL: ListenSource['offered'] = ['tools', 'prompts', 'resources', 'updated']

/** A bus within one isolate: what it is told, every open line hears at once. */
class MemoryBus implements ChangeBus {
  readonly lines = new Set<{ hear: (change: Change) => void; lose: () => void }>()
  /** The last line's kinds and subject. */
  asked: unknown

  async publish(change: Change) {
    for (const { hear } of this.lines) hear(change)
  }

  async position() {
    return '0'
  }

  async listen({ kinds, subject, onChange, onLost, ...rest }: ListenOptions) {
    this.asked = { kinds, subject, ...rest }
    const line = {
      hear: (change: Change) => {
        const concerns = change.subject === undefined || change.subject === subject
        if (concerns && kinds.includes(change.kind)) onChange(change, '0')
      },
      lose: onLost,
    }
    this.lines.add(line)
    return { position: '0', close: () => void this.lines.delete(line) }
  }

  lose() {
    for (const { lose } of this.lines) lose()
  }
}

interface Setting {
  readonly bus?: ChangeBus
  readonly id?: RequestId
  readonly accept?: string
  readonly subject?: string
  readonly limits?: Partial<Limits>
  readonly signal?: AbortSignal
  readonly source?: Partial<ListenSource>
}

function open(params: JsonObject | undefined, setting: Setting = {}) {
  const { bus = new MemoryBus(), id = 1, accept = 'application/json, text/event-stream' } = setting
  const events: TelemetryEvent[] = []
  const report = (event: TelemetryEvent) => void events.push(event)
  const { subject, limits, signal } = setting
  const exchange = {
    endpoint: {
      dispatcher: new Dispatcher(definition, report),
      limits: resolveLimits(limits),
      report,
    },
    request: new Request('https://x.example/mcp', { method: 'POST', ...(signal && { signal }) }),
    accepted: readAccept(accept),
    auth: subject === undefined ? undefined : { subject, clientId: 'c', scopes: [] },
    extraHeaders: { 'access-control-allow-origin': '*' },
  } as unknown as Exchange
  const message = { kind: 'request', id, method: 'subscriptions/listen', params } as const
  const source = {
    bus,
    offered: ALL,
    mayRead: () => true,
    maxLifetimeMs: 60_000,
    ...setting.source,
  }
  return { events, response: serveListen(exchange, MODERN, message, source) }
}

/** Reads the messages of a stream one by one. */
async function reading({ response }: ReturnType<typeof open>) {
  const { body } = await response
  if (body === null) throw new Error('No stream')
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<unknown> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end !== -1) {
        const event = text.slice(0, end)
        text = text.slice(end + 2)
        if (!event.startsWith(':')) return JSON.parse(event.slice('event: message\ndata: '.length))
        continue
      }
      const { done, value } = await reader.read()
      if (done) return 'end'
      text += value
    }
  }
  return { next, leave: () => reader.cancel() }
}

const tagged = (method: string, id: RequestId = 1, rest = {}) => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, ...rest },
})
const acknowledged = (notifications: object, id?: RequestId) =>
  tagged('subscriptions/acknowledged', id, { notifications })
const result = (id: RequestId) => ({
  jsonrpc: '2.0',
  id,
  result: {
    resultType: 'complete',
    _meta: {
      'io.modelcontextprotocol/serverInfo': { name: 'sample', version: '1.2.3' },
      'io.modelcontextprotocol/subscriptionId': id,
    },
  },
})

const EVERYTHING = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['note://a', 'note://b'],
}

describe.each([
  ['a bus in memory', () => new MemoryBus()],
  [
    'the hub',
    () => {
      const prefix = crypto.randomUUID()
      const getByName = (name: string) => env.MCP_HUB.getByName(`${prefix}/${name}`)
      return createChangeBus({ getByName })
    },
  ],
])('a subscription over %s', (_, createBus) => {
  it('is acknowledged first, then hears everything it asked for, once and in order', async () => {
    const bus = createBus()
    const { next, leave } = await reading(open({ notifications: EVERYTHING }, { bus }))
    for (const kind of ['tools', 'prompts', 'resources'] as const) await bus.publish({ kind })
    await bus.publish({ kind: 'updated', uri: 'note://b' })
    await bus.publish({ kind: 'updated', uri: 'note://c' })
    await bus.publish({ kind: 'tools' })
    expect(await next()).toEqual(acknowledged(EVERYTHING))
    expect(await next()).toEqual(tagged('tools/list_changed'))
    expect(await next()).toEqual(tagged('prompts/list_changed'))
    expect(await next()).toEqual(tagged('resources/list_changed'))
    expect(await next()).toEqual(tagged('resources/updated', 1, { uri: 'note://b' }))
    expect(await next()).toEqual(tagged('tools/list_changed'))
    await leave()
  })

  it('hears only what it asked for, and only its own subject’s news', async () => {
    const bus = createBus()
    const notifications = { toolsListChanged: false, promptsListChanged: true }
    const opened = open({ notifications }, { bus, subject: 'ada' })
    const { next, leave } = await reading(opened)
    expect(await next()).toEqual(acknowledged({ promptsListChanged: true }))
    await bus.publish({ kind: 'tools' })
    await bus.publish({ kind: 'resources' })
    await bus.publish({ kind: 'updated', uri: 'note://a' })
    await bus.publish({ kind: 'prompts', subject: 'bob' })
    await bus.publish({ kind: 'prompts', subject: 'ada' })
    await bus.publish({ kind: 'prompts' })
    expect(await next()).toEqual(tagged('prompts/list_changed'))
    expect(await next()).toEqual(tagged('prompts/list_changed'))
    await leave()
  })

  it.each([0, '', -1, 'listen:1', '</s>\n"'])('carries the id %j as it came', async (id) => {
    const bus = createBus()
    const { next, leave } = await reading(
      open({ notifications: { toolsListChanged: true } }, { bus, id }),
    )
    expect(await next()).toEqual(acknowledged({ toolsListChanged: true }, id))
    await bus.publish({ kind: 'tools' })
    expect(await next()).toEqual(tagged('tools/list_changed', id))
    await leave()
  })

  it('ends with its result when it has lasted long enough', async () => {
    const opened = open(
      { notifications: EVERYTHING },
      { bus: createBus(), id: 'x', source: { maxLifetimeMs: 30 } },
    )
    const { next } = await reading(opened)
    expect(await next()).toEqual(acknowledged(EVERYTHING, 'x'))
    expect(await next()).toEqual(result('x'))
    expect(await next()).toBe('end')
    expect(opened.events).toEqual([])
  })
})

describe('a filter', () => {
  const asking = async (notifications: JsonObject, source: Partial<ListenSource> = {}) => {
    const bus = new MemoryBus()
    const { next, leave } = await reading(open({ notifications }, { bus, source }))
    const honoured = await next()
    await leave()
    return { honoured, asked: bus.asked }
  }

  it('is honoured as far as the server declares what is asked for', async () => {
    expect(await asking(EVERYTHING, { offered: ['tools'] })).toEqual({
      honoured: acknowledged({ toolsListChanged: true }),
      asked: { kinds: ['tools'], subject: undefined },
    })
    expect((await asking(EVERYTHING, { offered: [] })).honoured).toEqual(acknowledged({}))
  })

  it('is honoured without the resources that the caller may not read', async () => {
    const mayRead = (uri: string) => uri === 'note://b'
    expect(await asking({ resourceSubscriptions: ['note://a', 'note://b'] }, { mayRead })).toEqual({
      honoured: acknowledged({ resourceSubscriptions: ['note://b'] }),
      asked: { kinds: ['updated'], subject: undefined },
    })
    const none = await asking({ resourceSubscriptions: ['note://a'] }, { mayRead })
    expect(none.honoured).toEqual(acknowledged({ resourceSubscriptions: [] }))
    expect(none.asked).toEqual({ kinds: [], subject: undefined })
  })

  it('may be empty, hold the same twice and what nobody knows', async () => {
    expect((await asking({})).honoured).toEqual(acknowledged({}))
    const uris = ['note://a', 'note://a', 'NOTE://a']
    const notifications = { resourceSubscriptions: uris, taskIds: ['t'], __proto__: { x: 1 } }
    expect((await asking(notifications)).honoured).toEqual(
      acknowledged({ resourceSubscriptions: ['note://a'] }),
    )
  })

  it('takes a thousand URIs, and tells of one in the spelling it was asked in', async () => {
    const bus = new MemoryBus()
    const uris = Array.from({ length: 1000 }, (_, i) => `HTTPS://x.example/${i}`)
    uris[7] = `HTTPS://x.example/7?${'y'.repeat(8172)}`
    const { next, leave } = await reading(
      open({ notifications: { resourceSubscriptions: uris } }, { bus }),
    )
    expect(await next()).toEqual(acknowledged({ resourceSubscriptions: uris }))
    await bus.publish({ kind: 'updated', uri: new URL(uris[7] ?? '').href })
    expect(await next()).toEqual(tagged('resources/updated', 1, { uri: uris[7] }))
    await leave()
  })

  it.each<[string, JsonObject | undefined]>([
    ['no params', undefined],
    ['no filter', {}],
    ['a filter that is null', { notifications: null }],
    ['a filter that is a list', { notifications: [] }],
    ['a filter that is text', { notifications: 'toolsListChanged' }],
    ['text for a boolean', { notifications: { toolsListChanged: 'true' } }],
    ['a number for a boolean', { notifications: { promptsListChanged: 1 } }],
    ['null for a boolean', { notifications: { resourcesListChanged: null } }],
    ['one URI for a list', { notifications: { resourceSubscriptions: 'note://a' } }],
    ['null for a list', { notifications: { resourceSubscriptions: null } }],
    ['a number for a URI', { notifications: { resourceSubscriptions: ['note://a', 1] } }],
    ['a path for a URI', { notifications: { resourceSubscriptions: ['/a'] } }],
    ['an empty URI', { notifications: { resourceSubscriptions: [''] } }],
    ['8,193', { notifications: { resourceSubscriptions: ['note://'.padEnd(8193, 'a')] } }],
    ['1,001', { notifications: { resourceSubscriptions: Array(1001).fill('note://a') } }],
    ['10,000', { notifications: { resourceSubscriptions: Array(10_000).fill('note://a') } }],
  ])('is refused with %s', async (_, params) => {
    await expect(open(params, { id: 0 }).response).rejects.toMatchObject({
      name: 'params-malformed',
      id: 0,
    })
  })
})

describe('the stream of a subscription', () => {
  const filter = { notifications: { toolsListChanged: true } }

  it('is one of events, for a client that reads those', async () => {
    const response = await open(filter, { accept: 'text/event-stream' }).response
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    await response.body?.cancel()
  })

  it.each(['application/json', '*/*', 'application/*', ''])(
    'is refused to a client that accepts "%s"',
    async (accept) => {
      const bus = new MemoryBus()
      await expect(open(filter, { accept, bus, id: '' }).response).rejects.toMatchObject({
        name: 'accepts-no-answer',
        id: '',
      })
      expect(bus.lines.size).toBe(0)
    },
  )

  it('holds what was published while the line was being opened', async () => {
    const bus = new MemoryBus()
    const eager: ChangeBus = {
      publish: (change) => bus.publish(change),
      position: () => bus.position(),
      listen: async (asked) => {
        const feed = await bus.listen(asked)
        await bus.publish({ kind: 'tools' })
        return feed
      },
    }
    const { next, leave } = await reading(open(filter, { bus: eager }))
    await bus.publish({ kind: 'tools' })
    expect(await next()).toEqual(acknowledged({ toolsListChanged: true }))
    expect(await next()).toEqual(tagged('tools/list_changed'))
    expect(await next()).toEqual(tagged('tools/list_changed'))
    await leave()
  })

  it('is kept alive by comments', async () => {
    const bus = new MemoryBus()
    const { response } = open(filter, { bus, limits: { keepAliveMs: 5 } })
    const reader = (await response).body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (text.split(': keepalive\n\n').length < 4) text += (await reader?.read())?.value ?? ''
    expect(text.startsWith(': open\n\nevent: message\ndata: {')).toBe(true)
    await reader?.cancel()
    await expect.poll(() => bus.lines.size).toBe(0)
  })

  it('closes its line at once when the client goes away', async () => {
    const bus = new MemoryBus()
    const client = new AbortController()
    const opened = open(filter, { bus, signal: client.signal })
    const { next } = await reading(opened)
    await next()
    expect(bus.lines.size).toBe(1)
    client.abort()
    await expect.poll(() => bus.lines.size).toBe(0)
    const gone = { type: 'cancelled', method: 'subscriptions/listen', reason: 'client-gone' }
    expect(opened.events).toEqual([gone])
  })

  it('closes its line when the client was gone before it was open', async () => {
    const bus = new MemoryBus()
    await open(filter, { bus, signal: AbortSignal.abort() }).response
    await expect.poll(() => bus.lines.size).toBe(0)
  })

  it('ends with its result when the line is lost, after everything that was heard', async () => {
    const bus = new MemoryBus()
    const { next } = await reading(open(filter, { bus, id: 0 }))
    await bus.publish({ kind: 'tools' })
    bus.lose()
    expect(await next()).toEqual(acknowledged({ toolsListChanged: true }, 0))
    expect(await next()).toEqual(tagged('tools/list_changed', 0))
    expect(await next()).toEqual(result(0))
    expect(await next()).toBe('end')
    expect(bus.lines.size).toBe(0)
  })

  it('ends with its result when the line is lost before it is open', async () => {
    const bus: ChangeBus = {
      publish: async () => undefined,
      position: async () => '0',
      listen: async ({ onLost }) => {
        onLost()
        return { position: '0', close: () => undefined }
      },
    }
    const { next } = await reading(open(filter, { bus }))
    expect(await next()).toEqual(acknowledged({ toolsListChanged: true }))
    expect(await next()).toEqual(result(1))
    expect(await next()).toBe('end')
  })

  it('drops nothing of a burst that its reader takes late', async () => {
    const bus = new MemoryBus()
    const { next, leave } = await reading(open(filter, { bus }))
    for (let count = 0; count < 5000; count++) await bus.publish({ kind: 'tools' })
    expect(await next()).toEqual(acknowledged({ toolsListChanged: true }))
    for (let count = 0; count < 5000; count++) {
      expect(await next()).toEqual(tagged('tools/list_changed'))
    }
    await leave()
  })

  it('breaks rather than skip a message when its reader falls too far behind', async () => {
    const bus = new MemoryBus()
    const opened = open(filter, { bus, limits: { sendBufferBytes: 2000 } })
    const { body } = await opened.response
    for (let count = 0; count < 50; count++) await bus.publish({ kind: 'tools' })
    await expect.poll(() => bus.lines.size).toBe(0)
    const stalled = { type: 'cancelled', method: 'subscriptions/listen', reason: 'stalled' }
    expect(opened.events).toEqual([stalled])
    await expect(new Response(body).text()).rejects.toBeDefined()
  })

  it('is not broken by an acknowledgement that is longer than the buffer', async () => {
    const bus = new MemoryBus()
    const resourceSubscriptions = ['note://'.padEnd(8000, 'a')]
    const long = { notifications: { resourceSubscriptions, toolsListChanged: true } }
    const { next, leave } = await reading(open(long, { bus, limits: { sendBufferBytes: 2000 } }))
    await bus.publish({ kind: 'tools' })
    expect(await next()).toEqual(acknowledged(long.notifications))
    expect(await next()).toEqual(tagged('tools/list_changed'))
    await leave()
  })

  it('breaks when its reader takes nothing any more', async () => {
    const bus = new MemoryBus()
    const opened = open(filter, { bus, limits: { keepAliveMs: 20, writeStallMs: 50 } })
    await opened.response
    await expect.poll(() => opened.events).toMatchObject([{ reason: 'stalled' }])
    expect(bus.lines.size).toBe(0)
  })

  it('tells of no resource that the caller may no longer read', async () => {
    const bus = new MemoryBus()
    let allowed = true
    const mayRead = () => allowed
    const uris = { notifications: { resourceSubscriptions: ['note://a'], toolsListChanged: true } }
    const { next, leave } = await reading(open(uris, { bus, source: { mayRead } }))
    await next()
    allowed = false
    await bus.publish({ kind: 'updated', uri: 'note://a' })
    await bus.publish({ kind: 'tools' })
    allowed = true
    await bus.publish({ kind: 'updated', uri: 'note://a' })
    expect(await next()).toEqual(tagged('tools/list_changed'))
    expect(await next()).toEqual(tagged('resources/updated', 1, { uri: 'note://a' }))
    await leave()
  })

  it('takes a predicate that throws for a no, and reports it', async () => {
    const mayRead = () => {
      throw new Error('broken')
    }
    const uris = { notifications: { resourceSubscriptions: ['note://a'] } }
    const opened = open(uris, { source: { mayRead } })
    const { next, leave } = await reading(opened)
    expect(await next()).toEqual(acknowledged({ resourceSubscriptions: [] }))
    expect(opened.events).toMatchObject([{ type: 'internal-error', error: { message: 'broken' } }])
    await leave()
  })

  it('is refused where the bus has no room, with a time to come back', async () => {
    const bus: ChangeBus = {
      publish: async () => undefined,
      position: async () => '0',
      listen: async () => {
        throw new ChangeBusFullError('The hub is full')
      },
    }
    await expect(open(filter, { bus, id: 0 }).response).rejects.toMatchObject({
      name: 'too-many-listeners',
      message: 'The hub is full',
      id: 0,
      headers: { 'retry-after': '30' },
    })
  })

  it('is an internal error where the bus is broken, with nothing of why', async () => {
    const bus: ChangeBus = {
      publish: async () => undefined,
      position: async () => '0',
      listen: async () => {
        throw new Error('secret')
      },
    }
    const { response, events } = open(filter, { bus, id: 0 })
    expect(await (await response).json()).toEqual({
      jsonrpc: '2.0',
      id: 0,
      error: { code: -32603, message: 'Internal error' },
    })
    expect(events).toMatchObject([{ type: 'internal-error', error: { message: 'secret' } }])
  })
})
