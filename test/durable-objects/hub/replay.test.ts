/** What listeners receive of the changes that were published while they were away. */
import { describe, expect, it } from 'vitest'
import { HubChangeBus } from '../../../durable-objects/hub/change-bus.ts'
import type { ChangeBus } from '../../../src/ports/change-bus.ts'
import type { Change } from '../../../src/ports/change-kinds.ts'
import { freshBus, freshHub, type Hub, listen, shard } from './hub.ts'

const note = (name: string | number): Change => ({
  kind: 'resource_updated',
  uri: `note://${name}`,
})

async function publishAll(bus: ChangeBus, ...changes: readonly Change[]) {
  for (const change of changes) await bus.publish(change)
}

describe('a listener that resumes from a position', () => {
  it('receives what it missed, then new changes, each once and in order', async () => {
    const { bus } = freshBus()
    const first = await listen(bus)
    await publishAll(bus, note(1), note(2))
    await expect.poll(() => first.received).toEqual([note(1), note(2)])
    first.feed.close()
    await publishAll(bus, note(3), { kind: 'elicitation_complete', elicitationId: 'elicitation-1' })
    const again = await listen(bus, { since: first.positions[1] ?? '' })
    await publishAll(bus, { kind: 'tools_list_changed' })
    await expect
      .poll(() => again.received)
      .toEqual([
        note(3),
        { kind: 'elicitation_complete', elicitationId: 'elicitation-1' },
        { kind: 'tools_list_changed' },
      ])
    expect(again.gaps).toEqual([])
    expect(again.feed.position).toBe(first.positions[1])
    expect(first.received).toEqual([note(1), note(2)])
  })
})

describe('publications concurrent with the opening of listeners', () => {
  it('are received once and in order by every listener', async () => {
    const { bus } = freshBus({ listenersPerIsolate: 1100 })
    const since = await bus.position(undefined)
    const changes = Array.from({ length: 200 }, (_, index) => note(index))
    const published: Promise<void>[] = []
    const opened: ReturnType<typeof listen>[] = []
    for (const [index, change] of changes.entries()) {
      published.push(bus.publish(change))
      if (index % 5 === 0) opened.push(listen(bus, { since }))
      if (index % 20 === 0) await opened.at(-1)
    }
    await Promise.all(published)
    for (const { received, positions, gaps, feed } of await Promise.all(opened)) {
      await expect.poll(() => received.length).toBe(200)
      expect(received).toEqual(changes)
      expect(new Set(positions).size).toBe(200)
      expect(gaps).toEqual([])
      feed.close()
    }
  })

  it('are received once by a listener that reconnects from its last position', async () => {
    const { bus } = freshBus()
    const changes = Array.from({ length: 300 }, (_, index) => note(index))
    const received: Change[] = []
    let since = await bus.position('ada')
    const publishing = publishAll(bus, ...changes)
    while (received.length < 300) {
      const connection = await listen(bus, { subject: 'ada', since })
      await expect.poll(() => connection.received.length, { interval: 1 }).toBeGreaterThan(0)
      connection.feed.close()
      received.push(...connection.received)
      since = connection.positions.at(-1) ?? since
      expect(connection.gaps).toEqual([])
    }
    await publishing
    expect(received).toEqual(changes)
  })
})

describe('positions on several shards', () => {
  it('resume an anonymous listener on the shard of its position', async () => {
    const { hub, bus } = freshBus({ shards: 8 })
    // Each shard has its own versions, so a position of one is not valid on another.
    for (const index of [0, 1, 2, 3, 4, 5, 6, 7]) {
      const alone = new HubChangeBus({ named: () => shard(hub, index) }, 'notes')
      for (let count = 0; count < index; count++)
        await alone.publish({ kind: 'tools_list_changed' })
    }
    await bus.publish(note('last'))
    for (let version = 0; version < 8; version++) {
      const { received, gaps, feed } = await listen(bus, { since: `1.8.${version}.${version}` })
      await expect.poll(() => received).toEqual([note('last')])
      expect(gaps).toEqual([])
      feed.close()
    }
  })

  it('equal the position at which a feed of the subject begins', async () => {
    const { bus } = freshBus({ shards: 8 })
    for (const subject of ['ada', 'bob', '', 'x'.repeat(300)]) {
      await publishAll(bus, { kind: 'tools_list_changed' }, { kind: 'tools_list_changed', subject })
      const position = await bus.position(subject)
      expect((await listen(bus, { subject })).feed.position).toBe(position)
      const { feed, gaps } = await listen(bus, { subject, since: position })
      expect(feed.position).toBe(position)
      expect(gaps).toEqual([])
    }
  })

  /** Eight shards, and a position on each. */
  async function openEightShards() {
    const { bus, hub } = freshBus({ shards: 8 })
    await bus.publish(note('old'))
    return { bus, hub, positions: Array.from({ length: 8 }, (_, index) => `1.8.${index}.0`) }
  }

  it('cause a gap for a subject whose position is on another shard, and the feed continues', async () => {
    const { bus, positions } = await openEightShards()
    const outcomes: unknown[] = []
    for (const since of positions) {
      const { received, gaps, feed } = await listen(bus, { subject: 'ada', since })
      await bus.publish({ kind: 'tools_list_changed', subject: 'ada' })
      await expect.poll(() => received.at(-1)).toEqual({ kind: 'tools_list_changed' })
      expect(gaps).toEqual(gaps.length === 0 ? [] : [feed.position])
      outcomes.push([gaps.length, received[0]])
      feed.close()
    }
    // One of them is the subject's shard: the FNV-1a hash of "=ada" is 4 modulo 8.
    const gap = [1, { kind: 'tools_list_changed' }]
    expect(outcomes).toEqual([gap, gap, gap, gap, [0, note('old')], gap, gap, gap])
  })

  it.each([1, 4, 9])(
    'cause a gap when the number of shards has changed from 8 to %j',
    async (shards) => {
      const { hub, bus, positions } = await openEightShards()
      const changed = new HubChangeBus(hub, 'notes', { shards })
      for (const since of [...positions, await bus.position('ada')]) {
        for (const options of [{ subject: 'ada' }, {}]) {
          const { received, gaps, feed } = await listen(changed, { ...options, since })
          expect(gaps).toEqual([feed.position])
          expect(received).toEqual([])
          feed.close()
        }
      }
    },
  )

  it('cannot be read when the shard does not answer in time', async () => {
    const silent = { version: () => new Promise(() => undefined) }
    const namespace = { named: () => silent } as unknown as Hub
    const bus = new HubChangeBus(namespace, 'notes', { shardTimeoutMs: 10 })
    await expect(bus.position('ada')).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

describe('a position that the hub did not issue', () => {
  const hostile = [
    ...['', ' ', 'x', '.', '..', '9.9', 'null', '__proto__', '=bob', '\ud800', '9'.repeat(100_000)],
    // Of other versions, and without a version.
    ...['2.1.0.0', '0.1.0.0', 'z.1.0.0', '11.1.0.0', '１.1.0.0', ' 1.1.0.0', '1.0.0', '.1.0.0'],
    ...[
      ...['1.0', '1.0.', '.0.1', '1.0.-1', '-1.0.0', '1.-1.0', '1.0.0.0', '1.0.0x2', '1.0.1e1'],
      ...['1.1.0', '0.0.0', '2.0.0', '1.0.5', '1.0.2gosa7pa2gv', '1.0.2gosa7pa2gw'],
      ...['1.0.zzzzzzzzzzz', `1.0.${'9'.repeat(100)}`, '1.0.٣', '1.0.A', '1.0.0\n', '1,0,0'],
      ...['1.0.0&since=0', '1.0.0;DROP TABLE changes', '1.0.0\u0000'],
    ].map((numbers) => `1.${numbers}`),
  ]

  it.each(hostile)('%j causes a gap, and reveals no change of another subject', async (since) => {
    const { bus } = freshBus()
    await publishAll(bus, { ...note('secret'), subject: 'bob' }, note('old'))
    for (const subject of ['ada', undefined]) {
      const options = subject === undefined ? {} : { subject }
      const { received, gaps, feed } = await listen(bus, { ...options, since })
      expect(gaps).toEqual([feed.position])
      await publishAll(
        bus,
        { kind: 'prompts_list_changed', subject: 'bob' },
        { kind: 'tools_list_changed' },
      )
      await expect.poll(() => received.at(-1)).toEqual({ kind: 'tools_list_changed' })
      expect(received.slice(0, -1).every(({ kind }) => kind === 'tools_list_changed')).toBe(true)
      feed.close()
    }
  })

  it.each(['1.1.0.0', '1.1.0.1', '1.1.0.00', '1.01.0.2', '1.1.0.2'])(
    '%j reveals only changes without a subject or of this subject, though it is valid',
    async (since) => {
      const { bus } = freshBus()
      await publishAll(bus, { ...note('secret'), subject: 'bob' }, { kind: 'prompts_list_changed' })
      const { received, gaps } = await listen(bus, { subject: 'ada', since })
      await publishAll(bus, { kind: 'tools_list_changed' })
      await expect.poll(() => received.at(-1)).toEqual({ kind: 'tools_list_changed' })
      expect(received.filter(({ kind }) => kind === 'resource_updated')).toEqual([])
      expect(gaps).toEqual([])
    },
  )

  it('begins at the newest version when a shard receives it directly', async () => {
    const hub = freshHub()
    const bus = new HubChangeBus(hub, 'notes')
    await publishAll(bus, note(1))
    const url = 'https://hub/listen?kind=resource_updated&perSubject=9&perShard=9&since='
    for (const [since, began] of [
      ['0', '0'],
      ['1', '1'],
      ['2', '1'],
      ['-1', '1'],
      ['1.5', '1'],
      ['x', '1'],
      ['', '1'],
      ['9007199254740993', '1'],
    ] as const) {
      const headers = { upgrade: 'websocket' }
      const response = await shard(hub).fetch(new Request(`${url}${since}`, { headers }))
      expect(response.status).toBe(101)
      expect(response.headers.get('hub-began')).toBe(began)
      response.webSocket?.accept()
      response.webSocket?.close(1000)
    }
  })
})
