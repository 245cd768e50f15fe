import { describe, expect, it } from 'vitest'
import { invalid, valid } from '../../src/platform/result.ts'
import type { ChangeBus } from '../../src/ports/change-bus.ts'
import { acknowledged, MemoryBus, open, reading, result, tagged } from '../support/listen.ts'
import { verifies } from '../support/verifies.ts'

const URIS = Array.from({ length: 500 }, (_, index) => `note://${index}`)

describe('the stream of subscriptions/listen', () => {
  const filter = { notifications: { toolsListChanged: true } }
  const manyUris = { notifications: { resourceSubscriptions: URIS } }

  it('is an event stream for a client that accepts one', async () => {
    const response = await open(filter, { accept: 'text/event-stream' }).response
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    await response.body?.cancel()
  })

  it.each(['application/json', 'application/*', 'text/html', '*/*;q=0'])(
    'is refused to a client with Accept: "%s"',
    async (accept) => {
      const bus = new MemoryBus()
      await expect(open(filter, { accept, bus, id: '' }).response).rejects.toMatchObject({
        name: 'not-acceptable',
        id: '',
      })
      expect(bus.listeners.size).toBe(0)
    },
  )

  it.each(['*/*', '', 'application/json, */*;q=0.1'])(
    'opens for a client whose Accept does not exclude it: "%s"',
    async (accept) => {
      const response = await open(filter, { accept }).response
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      await response.body?.cancel()
    },
  )

  it('sends changes that were published while the subscription was opening', async () => {
    verifies('subscriptions/acknowledgement-comes-first')
    verifies('subscriptions/nothing-precedes-the-acknowledgement')
    const bus = new MemoryBus()
    const eager: ChangeBus = {
      publish: (change) => bus.publish(change),
      countListeners: async () => 0,
      position: () => bus.position(),
      listen: async (asked) => {
        const feed = await bus.listen(asked)
        await bus.publish({ kind: 'tools_list_changed' })
        return feed
      },
    }
    const { next, leave } = await reading(open(filter, { bus: eager }))
    await bus.publish({ kind: 'tools_list_changed' })
    expect(await next()).toEqual(acknowledged({ toolsListChanged: true }))
    expect(await next()).toEqual(tagged('tools/list_changed'))
    expect(await next()).toEqual(tagged('tools/list_changed'))
    await leave()
  })

  it('sends keep-alive comments', async () => {
    const bus = new MemoryBus()
    const { response } = open(filter, { bus, limits: { keepAliveMs: 5 } })
    const reader = (await response).body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (text.split(': keepalive\n\n').length < 4) text += (await reader?.read())?.value ?? ''
    expect(text.startsWith(': open\n\nevent: message\ndata: {')).toBe(true)
    await reader?.cancel()
    await expect.poll(() => bus.listeners.size).toBe(0)
  })

  it('closes its feed immediately when the client disconnects', async () => {
    verifies('cancellation/disconnect-is-cancellation')
    const bus = new MemoryBus()
    const client = new AbortController()
    const opened = open(filter, { bus, signal: client.signal })
    const { next } = await reading(opened)
    await next()
    expect(bus.listeners.size).toBe(1)
    client.abort()
    await expect.poll(() => bus.listeners.size).toBe(0)
    const cancelled = {
      type: 'cancelled',
      method: 'subscriptions/listen',
      reason: 'client-disconnected',
    }
    expect(opened.events).toEqual([cancelled])
  })

  it('closes its feed when the client disconnected before the stream opened', async () => {
    verifies('cancellation/nothing-follows-a-cancellation')
    const bus = new MemoryBus()
    await open(filter, { bus, signal: AbortSignal.abort() }).response
    await expect.poll(() => bus.listeners.size).toBe(0)
  })

  it('ends with its result after the received changes when the feed is lost', async () => {
    const bus = new MemoryBus()
    const { next } = await reading(open(filter, { bus, id: 0 }))
    await bus.publish({ kind: 'tools_list_changed' })
    bus.lose()
    expect(await next()).toEqual(acknowledged({ toolsListChanged: true }, 0))
    expect(await next()).toEqual(tagged('tools/list_changed', 0))
    expect(await next()).toEqual(result(0))
    expect(await next()).toBe('end')
    expect(bus.listeners.size).toBe(0)
  })

  it('ends with its result and reports the error when its feed ends with one', async () => {
    const bus = new MemoryBus()
    const opened = open(filter, { bus })
    const { next } = await reading(opened)
    await next()
    bus.lose(new Error('broken'))
    expect(await next()).toEqual(result(1))
    expect(opened.events).toMatchObject([{ type: 'internal-error', error: { message: 'broken' } }])
  })

  it('ends with its result when the feed is lost while it opens', async () => {
    const bus: ChangeBus = {
      publish: async () => undefined,
      countListeners: async () => 0,
      position: async () => '0',
      listen: async ({ onLost }) => {
        onLost()
        return valid({ position: '0', close: () => undefined })
      },
    }
    const { next } = await reading(open(filter, { bus }))
    expect(await next()).toEqual(acknowledged({ toolsListChanged: true }))
    expect(await next()).toEqual(result(1))
    expect(await next()).toBe('end')
  })

  it('sends every different change of a burst to a client that reads late', async () => {
    const bus = new MemoryBus()
    const { next, leave } = await reading(open(manyUris, { bus }))
    await next()
    for (const uri of URIS) await bus.publish({ kind: 'resource_updated', uri })
    const received: unknown[] = []
    while (received.length < URIS.length) received.push(await next())
    expect(received).toEqual(URIS.map((uri) => tagged('resources/updated', 1, { uri })))
    await leave()
  })

  it('sends every change of a burst to a client that reads late, while half of the send buffer is free', async () => {
    const bus = new MemoryBus()
    const { next, leave } = await reading(open(filter, { bus }))
    for (let count = 0; count < 3000; count++) await bus.publish({ kind: 'tools_list_changed' })
    expect(await next()).toEqual(acknowledged({ toolsListChanged: true }))
    const received: unknown[] = []
    while (received.length < 3000) received.push(await next())
    expect(received).toEqual(Array(3000).fill(tagged('tools/list_changed')))
    await leave()
  })

  it('sends equal changes of a burst once when half of the send buffer waits, and the next one again', async () => {
    const bus = new MemoryBus()
    const both = { notifications: { toolsListChanged: true, promptsListChanged: true } }
    const { next, leave } = await reading(open(both, { bus, limits: { sendBufferBytes: 20_000 } }))
    for (let count = 0; count < 5000; count++) await bus.publish({ kind: 'tools_list_changed' })
    // The first one waits behind all others, and no equal one does.
    for (let count = 0; count < 5000; count++) await bus.publish({ kind: 'prompts_list_changed' })
    expect(await next()).toEqual(acknowledged(both.notifications))
    const received: unknown[] = []
    do received.push(await next())
    while (JSON.stringify(received.at(-1)) !== JSON.stringify(tagged('prompts/list_changed')))
    const tools = received.slice(0, -1)
    expect(tools).toEqual(Array(tools.length).fill(tagged('tools/list_changed')))
    const waiting = tools.length * JSON.stringify(tools[0]).length
    expect(waiting).toBeGreaterThan(10_000)
    // What is being written does not count: at most 4 KB.
    expect(waiting).toBeLessThan(10_000 + 4 * 1024)
    await bus.publish({ kind: 'prompts_list_changed' })
    expect(await next()).toEqual(tagged('prompts/list_changed'))
    await leave()
  })

  it('sends changes that arrive in one message of the hub in one write', async () => {
    const bus = new MemoryBus()
    const both = { notifications: { toolsListChanged: true, promptsListChanged: true } }
    const { body } = await open(both, { bus }).response
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    const chunk = async () => (await reader?.read())?.value ?? ''
    while (!(await chunk()).includes('acknowledged'));
    const written = chunk()
    // Nothing is being written any more.
    await new Promise((resolve) => setTimeout(resolve, 20))
    bus.publishTogether([
      { kind: 'tools_list_changed' },
      { kind: 'prompts_list_changed' },
      { kind: 'tools_list_changed' },
    ])
    expect((await written).match(/"method":"notifications\/\w+/g)).toEqual([
      '"method":"notifications/tools',
      '"method":"notifications/prompts',
      '"method":"notifications/tools',
    ])
    await reader?.cancel()
  })

  it('sends one message of the hub that exceeds the send buffer to a client that reads', async () => {
    const bus = new MemoryBus()
    const { next, leave } = await reading(
      open(manyUris, { bus, limits: { sendBufferBytes: 2000 } }),
    )
    await next()
    bus.publishTogether(URIS.map((uri) => ({ kind: 'resource_updated', uri })))
    for (const uri of URIS) expect(await next()).toEqual(tagged('resources/updated', 1, { uri }))
    await leave()
  })

  it('aborts instead of dropping a message when the client reads too slowly', async () => {
    const bus = new MemoryBus()
    const opened = open(manyUris, { bus, limits: { sendBufferBytes: 2000 } })
    const { body } = await opened.response
    for (const uri of URIS.slice(0, 50)) await bus.publish({ kind: 'resource_updated', uri })
    await expect.poll(() => bus.listeners.size).toBe(0)
    const stalled = { type: 'cancelled', method: 'subscriptions/listen', reason: 'stalled' }
    expect(opened.events).toEqual([stalled])
    await expect(new Response(body).text()).rejects.toBeDefined()
  })

  it('sends an acknowledgement that is larger than the send buffer', async () => {
    verifies('subscriptions/nothing-precedes-the-acknowledgement')
    const bus = new MemoryBus()
    const resourceSubscriptions = ['note://'.padEnd(8000, 'a')]
    const long = { notifications: { resourceSubscriptions, toolsListChanged: true } }
    const { next, leave } = await reading(open(long, { bus, limits: { sendBufferBytes: 2000 } }))
    await bus.publish({ kind: 'tools_list_changed' })
    expect(await next()).toEqual(acknowledged(long.notifications))
    expect(await next()).toEqual(tagged('tools/list_changed'))
    await leave()
  })

  it('aborts when the client stops reading', async () => {
    const bus = new MemoryBus()
    const opened = open(filter, { bus, limits: { keepAliveMs: 20, writeStallMs: 50 } })
    await opened.response
    await expect.poll(() => opened.events).toMatchObject([{ reason: 'stalled' }])
    expect(bus.listeners.size).toBe(0)
  })

  it('sends no update of a resource that the caller may no longer read', async () => {
    const bus = new MemoryBus()
    let allowed = true
    const mayRead = () => allowed
    const uris = { notifications: { resourceSubscriptions: ['note://a'], toolsListChanged: true } }
    const { next, leave } = await reading(open(uris, { bus, source: { mayRead } }))
    await next()
    allowed = false
    await bus.publish({ kind: 'resource_updated', uri: 'note://a' })
    await bus.publish({ kind: 'tools_list_changed' })
    allowed = true
    await bus.publish({ kind: 'resource_updated', uri: 'note://a' })
    expect(await next()).toEqual(tagged('tools/list_changed'))
    expect(await next()).toEqual(tagged('resources/updated', 1, { uri: 'note://a' }))
    await leave()
  })

  it('treats a resource as unreadable when the visibility function throws, and reports the error', async () => {
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

  it('is refused with Retry-After when the hub has reached its limit of listeners', async () => {
    const bus: ChangeBus = {
      publish: async () => undefined,
      countListeners: async () => 0,
      position: async () => '0',
      listen: async () => invalid('The hub is full'),
    }
    await expect(open(filter, { bus, id: 0 }).response).rejects.toMatchObject({
      name: 'too-many-listeners',
      message: 'The hub is full',
      id: 0,
      headers: { 'retry-after': '30' },
    })
  })

  it('answers an internal error without detail when the hub fails', async () => {
    const bus: ChangeBus = {
      publish: async () => undefined,
      countListeners: async () => 0,
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
