/** One hub shard: its sockets across evictions, publications, and refused requests. */
import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import type { HubObject } from '../../../durable-objects/hub/hub-object.ts'
import { inPart } from '../../support/objects.ts'
import { freshBus, freshHub, listen, RETENTION_MS, shard, storageOf } from './hub.ts'

const LISTEN_URL = 'https://hub/listen?perSubject=100&perShard=100'

/** The stream socket of a listener, without the change bus around it. */
async function openRawSocket(hub = freshHub(), query = '&kind=tools_list_changed') {
  const headers = { upgrade: 'websocket' }
  const request = new Request(`${LISTEN_URL}${query}`, { headers })
  const response = await shard(hub).fetch(request)
  const socket = response.webSocket
  if (socket === null) throw new Error(`Refused with ${response.status}`)
  const messages: unknown[] = []
  socket.addEventListener('message', ({ data }) => void messages.push(data))
  socket.accept()
  return { hub, socket, messages }
}

describe('HubObject: an idle listener', () => {
  it('receives the answers to its heartbeats from the platform, which does not wake the hub', async () => {
    const { hub, socket, messages } = await openRawSocket()
    await evictDurableObject(shard(hub))
    for (let count = 1; count <= 3; count++) {
      socket.send('ping')
      await expect.poll(() => messages.length).toBe(count)
    }
    expect(messages).toEqual(['pong', 'pong', 'pong'])
    // An object that is not in memory cannot be evicted: the heartbeats have not woken it.
    await expect(evictDurableObject(shard(hub))).rejects.toThrow(
      /not running|not currently running/,
    )
    await shard(hub).publish({ kind: 'tools_list_changed', server: 'notes' }, RETENTION_MS)
    await expect.poll(() => messages.length).toBe(4)
  })

  it('writes nothing to storage, with or without a position', async () => {
    const { hub, bus } = freshBus()
    const nothing = { tables: 0, changes: 0, alarm: null }
    const since = await bus.position('ada')
    await listen(bus)
    await listen(bus, { subject: 'ada', since })
    await listen(bus, { since: '1.1.0.zzz' })
    expect(await storageOf(shard(hub))).toEqual(nothing)
    await evictDurableObject(shard(hub))
    const { feed } = await listen(bus)
    feed.close()
    expect(await storageOf(shard(hub))).toEqual(nothing)
  })
})

describe('HubObject: a publication', () => {
  it('is sent without its subject, and says that it has one', async () => {
    const { hub, messages } = await openRawSocket(
      undefined,
      '&kind=resource_updated&subject=%3Dada',
    )
    await shard(hub).publish(
      { kind: 'resource_updated', uri: 'note://ä', subject: '=ada', server: 'notes' },
      RETENTION_MS,
    )
    await expect
      .poll(() => messages)
      .toEqual([
        '{"version":1,"kind":"resource_updated","uri":"note://ä","own":true,"server":"notes"}',
      ])
  })

  it('reaches the other listeners while sockets close with various codes', async () => {
    const { hub, bus } = freshBus()
    const stays = await listen(bus)
    const leaving = await Promise.all(Array.from({ length: 30 }, () => openRawSocket(hub)))
    const published = Array.from({ length: 20 }, () => bus.publish({ kind: 'tools_list_changed' }))
    const codes = [undefined, 1000, 1001, 3000, 4999]
    for (const [index, { socket }] of leaving.entries()) {
      const code = codes[index % codes.length]
      socket.close(code, code === undefined ? undefined : 'x'.repeat(index))
    }
    await Promise.all(published)
    await expect.poll(() => stays.received.length).toBe(20)
    await expect
      .poll(() => shard(hub).publish({ kind: 'tools_list_changed', server: 'notes' }, RETENTION_MS))
      .toBe(1)
  })
})

describe('HubObject: a request for a stream socket', () => {
  it.each([
    ['has no upgrade header', LISTEN_URL, {}],
    ['has no limits', 'https://hub/listen?kind=tools_list_changed', { upgrade: 'websocket' }],
  ])('is refused with 400 when it %s', async (_, url, headers) => {
    const response = await shard(freshHub()).fetch(new Request(url, { headers }))
    expect(response.status).toBe(400)
    expect(response.webSocket).toBeNull()
  })

  it('is refused with 429 at the limit of its subject, and with 503 at the limit of the shard', async () => {
    const hub = freshHub()
    const statusOf = async (subject: string) => {
      const url = `https://hub/listen?kind=tools_list_changed&perSubject=2&perShard=3&subject=${subject}`
      const response = await shard(hub).fetch(
        new Request(url, { headers: { upgrade: 'websocket' } }),
      )
      response.webSocket?.accept()
      return response.status
    }
    expect(await statusOf('a')).toBe(101)
    expect(await statusOf('a')).toBe(101)
    expect(await statusOf('a')).toBe(429)
    expect(await statusOf('b')).toBe(101)
    expect(await statusOf('b')).toBe(503)
  })
})

describe('HubObject: the version of a shard', () => {
  it('does not count a stored change that its listeners have not been sent yet', async () => {
    const { hub, bus } = freshBus()
    const listener = await listen(bus)
    await bus.publish({ kind: 'tools_list_changed' })
    const [stored, early, late] = await inPart<HubObject, number[]>(
      shard(hub),
      async (object, { storage }) => {
        const published = Promise.all(
          Array.from({ length: 3 }, () =>
            object.publish({ kind: 'prompts_list_changed', server: 'notes' }, RETENTION_MS),
          ),
        )
        // The publications wait for the same, and then for the fan-out.
        await storage.getAlarm()
        const count = 'SELECT count(*) AS rows FROM changes'
        const { rows } = storage.sql.exec<{ rows: number }>(count).one()
        const before = object.version()
        await published
        return [rows, before, object.version()]
      },
    )
    expect({ stored, early, late }).toEqual({ stored: 4, early: 1, late: 4 })
    await expect.poll(() => listener.received).toHaveLength(4)
  })

  it('is never above that of the last change that a connected listener has been sent', async () => {
    const { hub, bus } = freshBus()
    await listen(bus)
    await inPart<HubObject, void>(shard(hub), async (object, ctx) => {
      let sent = 0
      const [socket] = ctx.getWebSockets()
      if (socket === undefined) throw new Error('The listener is not connected')
      // Every call returns the same object of a socket.
      const send = socket.send.bind(socket)
      socket.send = (text) => {
        sent = Math.max(sent, ...[JSON.parse(String(text))].flat().map(({ version }) => version))
        send(text)
      }
      for (let round = 0; round < 20; round++) {
        const published = [1, 2, 3].map(() =>
          object.publish({ kind: 'tools_list_changed', server: 'notes' }, RETENTION_MS),
        )
        for (let turn = 0; turn < 4; turn++) {
          expect(object.version()).toBe(sent)
          await ctx.storage.getAlarm()
        }
        await Promise.all(published)
        expect(object.version()).toBe(sent)
      }
      expect(sent).toBe(60)
    })
  })
})
