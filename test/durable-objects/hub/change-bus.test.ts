import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { createChangeBus, type HubNamespace } from '../../../durable-objects/hub/change-bus.ts'
import { type Change, ChangeBusFullError } from '../../../src/ports/change-bus.ts'
import { freshBus, freshHub, KEPT_MS, listen, shard } from './hub.ts'

const CHANGES: readonly Change[] = [
  { kind: 'tools_list_changed' },
  { kind: 'prompts_list_changed' },
  { kind: 'resources_list_changed' },
  { kind: 'resource_updated', uri: 'note://a' },
  { kind: 'elicitation_complete', elicitationId: 'visit-1' },
]

/** The far end of a line, in the test's hands. */
async function lineInHand(heartbeatMs: number) {
  const { 0: theirs, 1: ours } = new WebSocketPair()
  ours.accept()
  const headers = { 'hub-began': '7' }
  const stub = {
    fetch: async () => new Response(null, { status: 101, webSocket: theirs, headers }),
  }
  const namespace = { getByName: () => stub } as unknown as HubNamespace
  return { ours, listener: await listen(createChangeBus(namespace, {}, heartbeatMs)) }
}

describe('listening', () => {
  it('hears each change once, in order, of the kinds asked for', async () => {
    const { bus } = freshBus()
    const everything = await listen(bus)
    const some = await listen(bus, { kinds: ['prompts_list_changed', 'resource_updated'] })
    for (const change of [...CHANGES, ...CHANGES]) await bus.publish(change)
    await expect.poll(() => everything.heard).toEqual([...CHANGES, ...CHANGES])
    expect(some.heard).toEqual([CHANGES[1], CHANGES[3], CHANGES[1], CHANGES[3]])
  })

  it('keeps the order of a thousand publications that nobody waits for one by one', async () => {
    const { bus } = freshBus()
    const { heard } = await listen(bus)
    const uris = Array.from({ length: 1000 }, (_, index) => `note://${index}`)
    await Promise.all(uris.map((uri) => bus.publish({ kind: 'resource_updated', uri })))
    await expect.poll(() => heard.length).toBe(1000)
    expect(heard.map((change) => 'uri' in change && change.uri)).toEqual(uris)
  })

  it('hears nothing after it is closed, and is not told of a loss', async () => {
    const { bus } = freshBus()
    const closed = await listen(bus)
    const open = await listen(bus)
    closed.feed.close()
    closed.feed.close()
    await bus.publish({ kind: 'tools_list_changed' })
    await expect.poll(() => open.heard.length).toBe(1)
    expect(closed.heard).toEqual([])
    expect(closed.losses()).toBe(0)
  })

  it('is told once when its line breaks', async () => {
    const { hub, bus } = freshBus()
    const listener = await listen(bus)
    await evictDurableObject(shard(hub), { webSockets: 'close' })
    await expect.poll(listener.losses).toBe(1)
    await bus.publish({ kind: 'tools_list_changed' })
    expect(listener.heard).toEqual([])
    expect(listener.losses()).toBe(1)
  })

  it('does not hear what was on the way when it was closed', async () => {
    const { ours, listener } = await lineInHand(30_000)
    const closed = new Promise((resolve) => ours.addEventListener('close', resolve))
    ours.send('{"version":8,"kind":"tools_list_changed"}')
    listener.feed.close()
    await closed
    expect(listener.heard).toEqual([])
    expect(listener.losses()).toBe(0)
  })

  it('takes a place even to hear nothing', async () => {
    const { bus } = freshBus({ listenersPerSubject: 2 })
    const { feed } = await listen(bus, { kinds: [] })
    await listen(bus, { kinds: [] })
    await expect(listen(bus, { kinds: [] })).rejects.toThrow(ChangeBusFullError)
    feed.close()
    await expect
      .poll(() =>
        listen(bus, { kinds: [] }).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  })

  it('reaches a thousand listeners', async () => {
    const { bus } = freshBus({ listenersPerSubject: 1000, listenersPerIsolate: 1100 })
    const listeners = await Promise.all(Array.from({ length: 1000 }, () => listen(bus)))
    await bus.publish({ kind: 'tools_list_changed' })
    await expect
      .poll(() => listeners.filter(({ heard }) => heard.length === 1).length, { timeout: 5000 })
      .toBe(1000)
    for (const { feed } of listeners) feed.close()
  })
})

describe('subjects', () => {
  it('hear their own news and everybody’s, and never those of another', async () => {
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
    for (const { subject, heard } of listeners) {
      await expect.poll(() => heard).toEqual([own(subject), { kind: 'tools_list_changed' }])
    }
    await expect.poll(() => anonymous.heard).toEqual([{ kind: 'tools_list_changed' }])
  })

  it('are kept apart even where they are no text', async () => {
    const { bus } = freshBus()
    const high = await listen(bus, { subject: '\ud800' })
    const low = await listen(bus, { subject: '\udc00' })
    const replacement = await listen(bus, { subject: '\ufffd' })
    await bus.publish({ kind: 'tools_list_changed', subject: '\ud800' })
    await bus.publish({ kind: 'prompts_list_changed' })
    await expect
      .poll(() => high.heard)
      .toEqual([{ kind: 'tools_list_changed' }, { kind: 'prompts_list_changed' }])
    for (const { heard } of [low, replacement]) {
      await expect.poll(() => heard).toEqual([{ kind: 'prompts_list_changed' }])
    }
  })
})

describe('room', () => {
  const full = async (listening: Promise<unknown>) => {
    await expect(listening).rejects.toBeInstanceOf(ChangeBusFullError)
  }

  it('ends at the cap of a subject, those without one being one, and comes back', async () => {
    const { bus } = freshBus({ listenersPerSubject: 2 })
    for (const who of [{}, { subject: 'ada' }, { subject: 'x'.repeat(1000) }]) {
      const first = await listen(bus, who)
      await listen(bus, who)
      await full(listen(bus, who))
      first.feed.close()
      await expect.poll(() => listen(bus, who).catch(() => undefined)).toBeDefined()
    }
  })

  it('ends at the cap of a subject however many shards there are', async () => {
    const { bus } = freshBus({ shards: 8, listenersPerSubject: 2 })
    await listen(bus, { subject: 'ada' })
    await listen(bus, { subject: 'ada' })
    await full(listen(bus, { subject: 'ada' }))
  })

  it('ends at the cap of a shard, and comes back', async () => {
    const { bus } = freshBus({ listenersPerShard: 2 })
    const first = await listen(bus, { subject: 'ada' })
    await listen(bus, { subject: 'bob' })
    await full(listen(bus, { subject: 'eve' }))
    first.feed.close()
    await expect.poll(() => listen(bus, { subject: 'eve' }).catch(() => undefined)).toBeDefined()
  })

  it('is not taken by listeners who could not be connected', async () => {
    const getByName = () => ({ fetch: async () => new Response(null, { status: 500 }) })
    const namespace = { getByName } as unknown as HubNamespace
    const bus = createChangeBus(namespace, { listenersPerIsolate: 2000 })
    for (let tries = 0; tries <= 2000; tries++) {
      await expect(listen(bus)).rejects.not.toBeInstanceOf(ChangeBusFullError)
    }
  })

  it('ends at the cap of the isolate over all hubs, and a refused listener takes none', async () => {
    const crowded = freshBus({ listenersPerIsolate: 1 })
    const { feed } = await listen(freshBus().bus)
    await full(listen(crowded.bus))
    await full(listen(crowded.bus, { kinds: [] }))
    feed.close()
  })
})

describe('shards', () => {
  /** A hub whose shards fail as told. */
  const faulty = (faults: Readonly<Record<string, () => Promise<number>>>) => {
    const hub = freshHub()
    const namespace: HubNamespace = {
      getByName: (name) => {
        const stub = hub.getByName(name)
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
  const listenOn = async (hub: HubNamespace, name: string) => {
    const bus = createChangeBus({ getByName: () => hub.getByName(name) })
    return listen(bus)
  }

  it('are all told of everybody’s news', async () => {
    const { hub, bus } = freshBus({ shards: 4 })
    const names = ['hub-0', 'hub-1', 'hub-2', 'hub-3']
    const listeners = await Promise.all(names.map((name) => listenOn(hub, name)))
    await bus.publish({ kind: 'tools_list_changed' })
    for (const { heard } of listeners)
      await expect.poll(() => heard).toEqual([{ kind: 'tools_list_changed' }])
  })

  it('share the listeners', async () => {
    const { hub, bus } = freshBus({ shards: 2 })
    await Promise.all(Array.from({ length: 60 }, () => listen(bus)))
    const counts = await Promise.all(
      [0, 1].map(
        async (index) => await shard(hub, index).publish({ kind: 'tools_list_changed' }, KEPT_MS),
      ),
    )
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(60)
    expect(Math.min(...counts)).toBeGreaterThan(0)
  })

  it('that fail or say nothing do not keep the news from the others', async () => {
    const { hub, namespace } = faulty({
      'hub-0': () => Promise.reject(new Error('reset')),
      'hub-2': () => new Promise(() => undefined),
    })
    const listener = await listenOn(hub, 'hub-1')
    const bus = createChangeBus(namespace, { shards: 3, shardTimeoutMs: 50 })
    const failure = await bus
      .publish({ kind: 'tools_list_changed' })
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(AggregateError)
    expect(failure).toMatchObject({
      message: '2 of 3 hub shards did not store the change',
      errors: [{ message: 'reset' }, { name: 'TimeoutError' }],
    })
    await expect.poll(() => listener.heard).toEqual([{ kind: 'tools_list_changed' }])
  })

  it('are tried once more where the platform asks for it, and only there', async () => {
    let tries = 0
    const failing = (flags: object, successAt: number) => async () => {
      tries++
      if (tries < successAt) throw Object.assign(new Error('moved'), flags)
      return 0
    }
    const publish = async (fault: () => Promise<number>) => {
      tries = 0
      const outcome = await createChangeBus(faulty({ 'hub-0': fault }).namespace)
        .publish({ kind: 'tools_list_changed' })
        .then(
          () => 'told',
          () => 'failed',
        )
      return [outcome, tries]
    }
    expect(await publish(failing({ retryable: true }, 2))).toEqual(['told', 2])
    expect(await publish(failing({ retryable: true }, 3))).toEqual(['failed', 2])
    expect(await publish(failing({ retryable: true, overloaded: true }, 2))).toEqual(['failed', 1])
    expect(await publish(failing({}, 2))).toEqual(['failed', 1])
  })
})

describe('a hub that misbehaves', () => {
  it('is given up after it left two beats unanswered', async () => {
    const { ours, listener } = await lineInHand(20)
    const pings: unknown[] = []
    ours.addEventListener('message', ({ data }) => void pings.push(data))
    await expect.poll(listener.losses).toBe(1)
    expect(pings).toEqual(['ping'])
  })

  it('is kept while it answers', async () => {
    const { ours, listener } = await lineInHand(10)
    let pings = 0
    ours.addEventListener('message', () => {
      pings++
      ours.send('pong')
    })
    await expect.poll(() => pings).toBeGreaterThan(5)
    expect(listener.losses()).toBe(0)
    expect(listener.heard).toEqual([])
    listener.feed.close()
  })

  it('is not believed', async () => {
    const { ours, listener } = await lineInHand(30_000)
    for (const nonsense of [
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
        '{"version":8,"kind":"constructor"}',
      ],
    ]) {
      ours.send(nonsense)
    }
    ours.send(new Uint8Array([1, 2, 3]))
    ours.send('{"version":8,"kind":"tools_list_changed","uri":"note://a","later":{}}')
    await expect.poll(() => listener.heard).toEqual([{ kind: 'tools_list_changed' }])
    expect(listener.losses()).toBe(0)
    listener.feed.close()
  })

  it('is an error to the listener where it answers something else', async () => {
    const answering = (status: number) =>
      createChangeBus({
        getByName: () => ({ fetch: async () => new Response('x', { status }) }),
      } as unknown as HubNamespace)
    await expect(listen(answering(500))).rejects.toThrow('refused a line with status 500')
    await expect(listen(answering(200))).rejects.not.toBeInstanceOf(ChangeBusFullError)
  })

  it.each([undefined, '', 'x', '-1', '1.5', '9007199254740993'])(
    'is left by a listener whom it tells to begin at %j',
    async (began) => {
      const { 0: theirs, 1: ours } = new WebSocketPair()
      ours.accept()
      const left = new Promise((resolve) => ours.addEventListener('close', resolve))
      const headers = { ...(began !== undefined && { 'hub-began': began }) }
      const fetch = async () => new Response(null, { status: 101, webSocket: theirs, headers })
      const namespace = { getByName: () => ({ fetch }) } as unknown as HubNamespace
      await expect(listen(createChangeBus(namespace))).rejects.toThrow('where the line begins')
      await left
    },
  )

  it('leaves no line behind when it answers too late', async () => {
    const hub = freshHub()
    const { promise: opened, resolve: open } = Promise.withResolvers<void>()
    const late = {
      fetch: async (request: Request) => {
        await opened
        return shard(hub).fetch(request)
      },
    }
    const namespace = { getByName: () => late } as unknown as HubNamespace
    const bus = createChangeBus(namespace, { shardTimeoutMs: 10 })
    await expect(listen(bus)).rejects.toMatchObject({ name: 'TimeoutError' })
    open()
    await expect.poll(() => shard(hub).publish({ kind: 'tools_list_changed' }, KEPT_MS)).toBe(0)
  })
})

describe('options', () => {
  it.each([
    { shards: 0 },
    { shards: 1.5 },
    { listenersPerIsolate: -1 },
    { listenersPerSubject: Number.NaN },
    { listenersPerShard: Number.POSITIVE_INFINITY },
    { changeRetentionMs: 0 },
    { changeRetentionMs: 2_147_483_648 },
    { shardTimeoutMs: 2_147_483_648 },
  ])('%j are refused', (options) => {
    expect(() => createChangeBus(freshHub(), options)).toThrow(TypeError)
  })
})
