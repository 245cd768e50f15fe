/** Changes that are published at the same time: sent in one message. */
import { describe, expect, it } from 'vitest'
import type { HubObject } from '../../../durable-objects/hub/hub-object.ts'
import { parseLoggedChanges } from '../../../durable-objects/hub/hub-wire.ts'
import type { PublishedChange } from '../../../src/ports/change-bus.ts'
import type { Change } from '../../../src/ports/change-kinds.ts'
import { inPart, type TestObjects } from '../../support/objects.ts'
import { freshBus, freshHub, listen, openFeed, RETENTION_MS, shard } from './hub.ts'

const updated = (uri: string): Change => ({ kind: 'resource_updated', uri })
const URIS = ['note://a', 'note://b', 'note://c']

async function open(hub: TestObjects<HubObject>) {
  const url = `https://hub/listen?perSubject=9&perShard=9&kind=resource_updated`
  const request = new Request(url, { headers: { upgrade: 'websocket' } })
  const { webSocket } = await shard(hub).fetch(request)
  if (webSocket === null) throw new Error('The hub refused the listener')
  const messages: string[] = []
  webSocket.addEventListener('message', ({ data }) => void messages.push(String(data)))
  webSocket.accept()
  return messages
}

/** Publishes in the object itself, where nothing comes between. */
function publishTogether(
  hub: TestObjects<HubObject>,
  changes: readonly Change[],
): Promise<number[]> {
  return inPart<HubObject, number[]>(shard(hub), (object) =>
    Promise.all(
      changes.map((change) => object.publish({ ...change, server: 'notes' }, RETENTION_MS)),
    ),
  )
}

const text = (version: number, uri: string) =>
  `{"version":${version},"kind":"resource_updated","uri":"${uri}","server":"notes"}`

describe('changes that are published at the same time', () => {
  it('are one message', async () => {
    const hub = freshHub()
    const messages = await open(hub)
    expect(await publishTogether(hub, URIS.map(updated))).toEqual([1, 1, 1])
    await expect.poll(() => messages).toEqual([`[${URIS.map((uri, at) => text(at + 1, uri))}]`])
    expect(await publishTogether(hub, [updated('note://d')])).toEqual([1])
    await expect.poll(() => messages[1]).toBe(text(4, 'note://d'))
  })

  it('are divided when they are long', async () => {
    const hub = freshHub()
    const messages = await open(hub)
    const uris = Array.from({ length: 20 }, (_, at) => `note://${at}/${'x'.repeat(10_000)}`)
    await publishTogether(hub, uris.map(updated))
    const received = () => messages.flatMap(parseLoggedChanges).map(({ change }) => change)
    await expect.poll(received).toEqual(uris.map(updated))
    expect(messages).toHaveLength(3)
  })

  it('are sent 64 at a time when many publish', async () => {
    const hub = freshHub()
    const messages = await open(hub)
    const uris = Array.from({ length: 200 }, (_, at) => `note://${at}`)
    await publishTogether(hub, uris.map(updated))
    const received = () => messages.map((message) => parseLoggedChanges(message).length)
    await expect.poll(received).toEqual([64, 64, 64, 8])
    expect(messages.flatMap(parseLoggedChanges).map(({ change }) => change)).toEqual(
      uris.map(updated),
    )
  })

  it('reach a listener once that is accepted while they wait', async () => {
    for (let round = 0; round < 5; round++) {
      const { hub, bus } = freshBus()
      const since = await bus.position(undefined)
      const [listeners] = await Promise.all([
        Promise.all(Array.from({ length: 6 }, () => listen(bus, { since }))),
        publishTogether(hub, URIS.map(updated)),
        ...URIS.map((uri) => bus.publish(updated(uri))),
      ])
      await bus.publish(updated('note://last'))
      for (const { received, positions } of listeners) {
        await expect.poll(() => received.at(-1)).toEqual(updated('note://last'))
        expect(received).toHaveLength(7)
        expect(new Set(positions).size).toBe(7)
      }
    }
  })

  it('are one call of the listener, with the position of each', async () => {
    const { hub, bus } = freshBus()
    const calls: (readonly PublishedChange[])[] = []
    await bus.listen({
      kinds: ['resource_updated'],
      subject: 'ada',
      onChanges: (changes) => calls.push(changes),
      onLost: () => undefined,
    })
    await publishTogether(hub, [
      updated('note://a'),
      { kind: 'tools_list_changed' },
      { ...updated('note://b'), subject: '=ada' },
    ])
    await bus.publish(updated('note://c'))
    await expect
      .poll(() => calls)
      .toEqual([
        [
          { change: updated('note://a'), position: '1.1.0.1', isOwn: false },
          { change: updated('note://b'), position: '1.1.0.3', isOwn: true },
        ],
        [{ change: updated('note://c'), position: '1.1.0.4', isOwn: false }],
      ])
  })

  it('are the last ones of a listener that closes its feed when it receives them', async () => {
    const { hub, bus } = freshBus()
    const received: Change[] = []
    const feed = await openFeed(bus, {
      kinds: ['resource_updated'],
      subject: undefined,
      onChanges: (changes) => {
        received.push(...changes.map(({ change }) => change))
        feed.close()
      },
      onLost: () => undefined,
    })
    const other = await listen(bus)
    await publishTogether(hub, URIS.map(updated))
    await publishTogether(hub, URIS.map(updated))
    await expect.poll(() => other.received).toHaveLength(6)
    expect(received).toEqual(URIS.map(updated))
  })

  it('end the feed of a listener that throws, which resumes before all of them', async () => {
    const { hub, bus } = freshBus()
    const lost: unknown[] = []
    let calls = 0
    const feed = await openFeed(bus, {
      kinds: ['resource_updated'],
      subject: undefined,
      onChanges: () => {
        calls++
        throw new Error('broken')
      },
      onLost: (error) => lost.push(error),
    })
    await publishTogether(hub, URIS.map(updated))
    await expect.poll(() => lost).toEqual([new Error('broken')])
    await expect.poll(() => bus.countListeners(undefined)).toBe(0)
    await publishTogether(hub, [updated('note://d')])
    const resumed = await listen(bus, { since: feed.position })
    await expect.poll(() => resumed.received).toEqual([...URIS, 'note://d'].map(updated))
    expect(calls).toBe(1)
    expect(lost).toHaveLength(1)
  })
})

describe('a message of the hub', () => {
  it.each([
    ['not JSON', '[{"version":1'],
    ['no object', 'null'],
    ['an array without objects', '[null, 1, "x", [], [{"version":1,"kind":"tools_list_changed"}]]'],
    ['a kind of a newer version', '{"version":1,"kind":"next_kind"}'],
    ['no version', '{"kind":"tools_list_changed"}'],
    ['a version that is no integer', '{"version":"1","kind":"tools_list_changed"}'],
  ])('has no changes: %s', (_, message) => {
    expect(parseLoggedChanges(message)).toEqual([])
  })

  it('has those changes of an array that this version knows', () => {
    const message = `[{"version":1,"kind":"next_kind"},${text(2, 'note://a')},null,${text(3, 'note://b')}]`
    expect(parseLoggedChanges(message)).toEqual([
      { version: 2, change: updated('note://a'), isOwn: false, server: 'notes' },
      { version: 3, change: updated('note://b'), isOwn: false, server: 'notes' },
    ])
  })
})
