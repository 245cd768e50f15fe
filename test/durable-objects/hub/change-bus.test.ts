/** The change bus over the hub: delivery, subjects, listener limits, shards, and faults of the hub. */
import { describe, expect, it } from 'vitest'
import { HubChangeBus } from '../../../durable-objects/hub/change-bus.ts'
import { changes } from '../../../src/features/changes/index.ts'
import type { Change } from '../../../src/ports/change-kinds.ts'
import { createFullEdgeway } from '../../support/full-app.ts'
import { sessionServer } from '../../support/session-server.ts'
import { freshBus, freshHub, type Hub, ListenersFull, listen, RETENTION_MS, shard } from './hub.ts'

/** A listener on a fake hub, whose end of the stream socket the test controls. */
async function openFakeHub(heartbeatMs: number) {
  const { 0: theirs, 1: ours } = new WebSocketPair()
  ours.accept()
  const headers = { 'hub-began': '7' }
  const stub = {
    fetch: async () => new Response(null, { status: 101, webSocket: theirs, headers }),
  }
  const namespace = { named: () => stub } as unknown as Hub
  return { ours, listener: await listen(new HubChangeBus(namespace, 'notes', {}, heartbeatMs)) }
}

describe('a listener of the change bus', () => {
  it('receives a thousand concurrent publications in the order of their calls', async () => {
    const { bus } = freshBus()
    const { received } = await listen(bus)
    const uris = Array.from({ length: 1000 }, (_, index) => `note://${index}`)
    await Promise.all(uris.map((uri) => bus.publish({ kind: 'resource_updated', uri })))
    await expect.poll(() => received.length).toBe(1000)
    expect(received.map((change) => 'uri' in change && change.uri)).toEqual(uris)
  })

  it('receives neither a change nor a loss after it is closed', async () => {
    const { bus } = freshBus()
    const closed = await listen(bus)
    const open = await listen(bus)
    closed.feed.close()
    closed.feed.close()
    await bus.publish({ kind: 'tools_list_changed' })
    await expect.poll(() => open.received.length).toBe(1)
    expect(closed.received).toEqual([])
    expect(closed.lostCount()).toBe(0)
  })

  it('receives no change that was in transit when it was closed', async () => {
    const { ours, listener } = await openFakeHub(30_000)
    const closed = new Promise((resolve) => ours.addEventListener('close', resolve))
    ours.send('{"version":8,"kind":"tools_list_changed"}')
    listener.feed.close()
    await closed
    expect(listener.received).toEqual([])
    expect(listener.lostCount()).toBe(0)
  })

  it('is one of a thousand that all receive the same change', async () => {
    const { bus } = freshBus({ listenersPerSubject: 1000, listenersPerIsolate: 1100 })
    const listeners = await Promise.all(Array.from({ length: 1000 }, () => listen(bus)))
    await bus.publish({ kind: 'tools_list_changed' })
    await expect
      .poll(() => listeners.filter(({ received }) => received.length === 1).length, {
        timeout: 30_000,
      })
      .toBe(1000)
    for (const { feed } of listeners) feed.close()
  })
})

describe('subjects of the change bus', () => {
  it('receive their own changes and those without a subject, never those of another subject', async () => {
    const { bus } = freshBus({ shards: 3 })
    const long = 's'.repeat(300)
    const subjects = [
      'ada',
      'bob',
      '',
      '-',
      '=ada',
      'tools_list_changed',
      'ä'.repeat(200),
      long,
      `${long}!`,
    ]
    const listeners = await Promise.all(
      subjects.map(async (subject) => ({ subject, ...(await listen(bus, { subject })) })),
    )
    const anonymous = await listen(bus)
    const own = (subject: string): Change => ({
      kind: 'resource_updated',
      uri: `note://${encodeURI(subject)}`,
    })
    for (const subject of subjects) await bus.publish({ ...own(subject), subject })
    await bus.publish({ kind: 'tools_list_changed' })
    for (const { subject, received } of listeners) {
      await expect.poll(() => received).toEqual([own(subject), { kind: 'tools_list_changed' }])
    }
    await expect.poll(() => anonymous.received).toEqual([{ kind: 'tools_list_changed' }])
  })

  it('are distinct even when they are lone surrogates', async () => {
    const { bus } = freshBus()
    const high = await listen(bus, { subject: '\ud800' })
    const low = await listen(bus, { subject: '\udc00' })
    const replacement = await listen(bus, { subject: '\ufffd' })
    await bus.publish({ kind: 'tools_list_changed', subject: '\ud800' })
    await bus.publish({ kind: 'prompts_list_changed' })
    await expect
      .poll(() => high.received)
      .toEqual([{ kind: 'tools_list_changed' }, { kind: 'prompts_list_changed' }])
    for (const { received } of [low, replacement]) {
      await expect.poll(() => received).toEqual([{ kind: 'prompts_list_changed' }])
    }
  })
})

describe('listener limits', () => {
  const expectFull = async (listening: Promise<unknown>) => {
    await expect(listening).rejects.toBeInstanceOf(ListenersFull)
  }

  it('apply to a subject over all shards', async () => {
    const { bus } = freshBus({ shards: 8, listenersPerSubject: 2 })
    await listen(bus, { subject: 'ada' })
    await listen(bus, { subject: 'ada' })
    await expectFull(listen(bus, { subject: 'ada' }))
  })

  it('do not count listeners whose connection failed', async () => {
    const named = () => ({ fetch: async () => new Response(null, { status: 500 }) })
    const namespace = { named } as unknown as Hub
    const bus = new HubChangeBus(namespace, 'notes', { listenersPerIsolate: 2000 })
    for (let tries = 0; tries <= 2000; tries++) {
      await expect(listen(bus)).rejects.not.toBeInstanceOf(ListenersFull)
    }
  })

  it('refuse one more listener of the isolate, over all hubs, and do not count refused ones', async () => {
    const limited = freshBus({ listenersPerIsolate: 1 })
    const { feed } = await listen(freshBus().bus)
    await expectFull(listen(limited.bus))
    await expectFull(listen(limited.bus, { kinds: [] }))
    feed.close()
  })
})

describe('shards of the hub', () => {
  /** A hub whose `publish` is replaced on some shards. */
  const faulty = (faults: Readonly<Record<string, () => Promise<number>>>) => {
    const hub = freshHub()
    const namespace: Hub = {
      named: (name) => {
        const stub = hub.named(name)
        const fault = faults[name]
        return fault === undefined
          ? stub
          : (new Proxy(stub, {
              get: (target, key) => (key === 'publish' ? fault : Reflect.get(target, key)),
            }) as typeof stub)
      },
    }
    return { hub, namespace }
  }
  const listenOn = async (hub: Hub, name: string) => {
    const bus = new HubChangeBus({ named: () => hub.named(name) }, 'notes')
    return listen(bus)
  }

  it('all receive a change without a subject', async () => {
    const { hub, bus } = freshBus({ shards: 4 })
    const names = ['0', '1', '2', '3']
    const listeners = await Promise.all(names.map((name) => listenOn(hub, name)))
    await bus.publish({ kind: 'tools_list_changed' })
    for (const { received } of listeners)
      await expect.poll(() => received).toEqual([{ kind: 'tools_list_changed' }])
  })

  it('share anonymous listeners', async () => {
    const { hub, bus } = freshBus({ shards: 2 })
    await Promise.all(Array.from({ length: 60 }, () => listen(bus)))
    const counts = await Promise.all(
      [0, 1].map(
        async (index) =>
          await shard(hub, index).publish(
            { kind: 'tools_list_changed', server: 'notes' },
            RETENTION_MS,
          ),
      ),
    )
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(60)
    expect(Math.min(...counts)).toBeGreaterThan(0)
  })

  it('that fail or do not answer do not keep a change from the listeners of the others', async () => {
    const { hub, namespace } = faulty({
      '0': () => Promise.reject(new Error('reset')),
      '2': () => new Promise(() => undefined),
    })
    const listener = await listenOn(hub, '1')
    const bus = new HubChangeBus(namespace, 'notes', { shards: 3, shardTimeoutMs: 50 })
    const failure = await bus
      .publish({ kind: 'tools_list_changed' })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(AggregateError)
    expect(failure).toMatchObject({
      message: '2 of 3 hub shards did not store the change',
      errors: [{ message: 'reset' }, { name: 'TimeoutError' }],
    })
    await expect.poll(() => listener.received).toEqual([{ kind: 'tools_list_changed' }])
  })

  it('are called once more when the platform marks the error as retryable, and not otherwise', async () => {
    let tries = 0
    const failing = (flags: object, successAt: number) => async () => {
      tries++
      if (tries < successAt) throw Object.assign(new Error('moved'), flags)
      return 0
    }
    const publish = async (fault: () => Promise<number>) => {
      tries = 0
      const outcome = await new HubChangeBus(faulty({ '0': fault }).namespace, 'notes')
        .publish({ kind: 'tools_list_changed' })
        .then(
          () => 'published',
          () => 'failed',
        )
      return [outcome, tries]
    }
    expect(await publish(failing({ retryable: true }, 2))).toEqual(['published', 2])
    expect(await publish(failing({ retryable: true }, 3))).toEqual(['failed', 2])
    expect(await publish(failing({ retryable: true, overloaded: true }, 2))).toEqual(['failed', 1])
    expect(await publish(failing({}, 2))).toEqual(['failed', 1])
  })
})

describe('a listener on a faulty hub', () => {
  it('receives a loss after the hub left a heartbeat unanswered', async () => {
    const { ours, listener } = await openFakeHub(20)
    const pings: unknown[] = []
    ours.addEventListener('message', ({ data }) => void pings.push(data))
    await expect.poll(listener.lostCount).toBe(1)
    expect(pings).toEqual(['ping'])
  })

  it('stays connected while the hub answers its heartbeats', async () => {
    const { ours, listener } = await openFakeHub(10)
    let pings = 0
    ours.addEventListener('message', () => {
      pings++
      ours.send('pong')
    })
    await expect.poll(() => pings).toBeGreaterThan(5)
    expect(listener.lostCount()).toBe(0)
    expect(listener.received).toEqual([])
    listener.feed.close()
  })

  it('ignores malformed messages, unknown kinds and binary messages', async () => {
    const { ours, listener } = await openFakeHub(30_000)
    for (const malformed of [
      ...['', '{', 'null', '1', '[]', '"tools"', '{"version":8,"kind":"toString"}'],
      ...[
        '{"kind":"tools_list_changed"}',
        '{"version":"8","kind":"tools_list_changed"}',
        '{"version":0.5,"kind":"tools_list_changed"}',
      ],
      ...[
        '{"version":8,"kind":"resource_updated"}',
        '{"version":8,"kind":"resource_updated","uri":1}',
      ],
      ...[
        '{"version":8,"kind":"elicitation_complete","uri":"note://a"}',
        '{"version":8,"kind":"constructor","server":"notes"}',
        '{"version":8,"kind":"tools_list_changed"}',
      ],
    ]) {
      ours.send(malformed)
    }
    ours.send(new Uint8Array([1, 2, 3]))
    ours.send(
      '{"version":8,"kind":"tools_list_changed","server":"notes","uri":"note://a","later":{}}',
    )
    await expect.poll(() => listener.received).toEqual([{ kind: 'tools_list_changed' }])
    expect(listener.lostCount()).toBe(0)
    listener.feed.close()
  })

  it('fails when the hub answers a status of its own or no stream socket', async () => {
    const answering = (status: number) =>
      new HubChangeBus(
        {
          named: () => ({ fetch: async () => new Response('x', { status }) }),
        } as unknown as Hub,
        'notes',
      )
    await expect(listen(answering(500))).rejects.toThrow('refused the listener with status 500')
    await expect(listen(answering(200))).rejects.not.toBeInstanceOf(ListenersFull)
  })

  it.each([undefined, '', 'x', '-1', '1.5', '9007199254740993'])(
    'fails and closes its socket when the hub says that it begins after %j',
    async (began) => {
      const { 0: theirs, 1: ours } = new WebSocketPair()
      ours.accept()
      const closed = new Promise((resolve) => ours.addEventListener('close', resolve))
      const headers = { ...(began !== undefined && { 'hub-began': began }) }
      const fetch = async () => new Response(null, { status: 101, webSocket: theirs, headers })
      const namespace = { named: () => ({ fetch }) } as unknown as Hub
      await expect(listen(new HubChangeBus(namespace, 'notes'))).rejects.toThrow(
        'did not return the version',
      )
      await closed
    },
  )

  it('leaves no socket open when the hub answers after the timeout', async () => {
    const hub = freshHub()
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const late = {
      fetch: async (request: Request) => {
        await opened
        return shard(hub).fetch(request)
      },
    }
    const namespace = { named: () => late } as unknown as Hub
    const bus = new HubChangeBus(namespace, 'notes', { shardTimeoutMs: 10 })
    await expect(listen(bus)).rejects.toMatchObject({ name: 'TimeoutError' })
    open()
    await expect
      .poll(() => shard(hub).publish({ kind: 'tools_list_changed', server: 'notes' }, RETENTION_MS))
      .toBe(0)
  })
})

describe('HubChangeBus', () => {
  it.each([
    { shards: 0 },
    { shards: 1.5 },
    { listenersPerIsolate: -1 },
    { listenersPerSubject: Number.NaN },
    { listenersPerShard: Number.POSITIVE_INFINITY },
    { changeRetentionMs: 0 },
    { changeRetentionMs: 2_147_483_648 },
    { shardTimeoutMs: 2_147_483_648 },
  ])('rejects the options %j', (options) => {
    expect(() => changes(options)).toThrow(TypeError)
  })
})

describe('createEdgeway', () => {
  it('rejects an option of changes() before any request', () => {
    const create = () => createFullEdgeway(sessionServer, { hub: { shards: 0 } })
    expect(create).toThrow(/^changes: shards must be a number above 0/)
  })
})
