import { evictDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { freshBus, freshHub, KEPT_MS, listen, shard, storedBy } from './hub.ts'

const LINE = 'https://hub/listen?perSubject=100&perShard=100'

/** A line as the platform gives it, without the Worker's end of it. */
async function rawLine(hub = freshHub(), query = '&kind=tools_list_changed') {
  const response = await shard(hub).fetch(`${LINE}${query}`, { headers: { upgrade: 'websocket' } })
  const socket = response.webSocket
  if (socket === null) throw new Error(`Refused with ${response.status}`)
  const messages: unknown[] = []
  socket.addEventListener('message', ({ data }) => void messages.push(data))
  socket.accept()
  return { hub, socket, messages }
}

describe('an idle listener', () => {
  it('is told before and after the hub was evicted', async () => {
    const { hub, bus } = freshBus()
    const listener = await listen(bus)
    await bus.publish({ kind: 'tools_list_changed' })
    await expect.poll(() => listener.heard).toEqual([{ kind: 'tools_list_changed' }])

    await evictDurableObject(shard(hub))
    await bus.publish({ kind: 'resource_updated', uri: 'note://a' })
    await expect
      .poll(() => listener.heard)
      .toEqual([{ kind: 'tools_list_changed' }, { kind: 'resource_updated', uri: 'note://a' }])
    expect(listener.losses()).toBe(0)
  })

  it('is of the same kinds and subject after an eviction', async () => {
    const { hub, bus } = freshBus()
    const ada = await listen(bus, { subject: 'ada', kinds: ['prompts_list_changed'] })
    const bob = await listen(bus, { subject: 'bob' })
    await evictDurableObject(shard(hub))
    await bus.publish({ kind: 'tools_list_changed', subject: 'ada' })
    await bus.publish({ kind: 'prompts_list_changed', subject: 'ada' })
    await bus.publish({ kind: 'prompts_list_changed' })
    await expect
      .poll(() => ada.heard)
      .toEqual([{ kind: 'prompts_list_changed' }, { kind: 'prompts_list_changed' }])
    await expect.poll(() => bob.heard).toEqual([{ kind: 'prompts_list_changed' }])
  })

  it('counts towards the caps after an eviction', async () => {
    const { hub, bus } = freshBus({ listenersPerSubject: 1 })
    await listen(bus, { subject: 'ada' })
    await evictDurableObject(shard(hub))
    await expect(listen(bus, { subject: 'ada' })).rejects.toThrow('has reached its listener limit')
    await expect(listen(bus, { subject: 'bob' })).resolves.toBeDefined()
  })

  it('is answered its beats by the platform, without the hub being woken', async () => {
    const { hub, socket, messages } = await rawLine()
    await evictDurableObject(shard(hub))
    for (let beat = 1; beat <= 3; beat++) {
      socket.send('ping')
      await expect.poll(() => messages.length).toBe(beat)
    }
    expect(messages).toEqual(['pong', 'pong', 'pong'])
    // What is not running cannot be evicted: nothing has woken it.
    await expect(evictDurableObject(shard(hub))).rejects.toThrow(
      /not running|not currently running/,
    )
    await shard(hub).publish({ kind: 'tools_list_changed' }, KEPT_MS)
    await expect.poll(() => messages.length).toBe(4)
  })

  it('leaves nothing in storage, whatever it asks for', async () => {
    const { hub, bus } = freshBus()
    const nothing = { tables: 0, changes: 0, alarm: null }
    const since = await bus.position('ada')
    await listen(bus)
    await listen(bus, { subject: 'ada', since })
    await listen(bus, { since: '1.0.zzz' })
    expect(await storedBy(shard(hub))).toEqual(nothing)
    await evictDurableObject(shard(hub))
    const { feed } = await listen(bus)
    feed.close()
    expect(await storedBy(shard(hub))).toEqual(nothing)
  })
})

describe('publishing', () => {
  it('tells nobody where nobody listens', async () => {
    expect(await shard(freshHub()).publish({ kind: 'tools_list_changed' }, KEPT_MS)).toBe(0)
    expect(
      await shard(freshHub()).publish({ kind: 'tools_list_changed', subject: '=ada' }, KEPT_MS),
    ).toBe(0)
  })

  it('counts whom it told, without those who are gone', async () => {
    const { hub, socket } = await rawLine()
    await rawLine(hub)
    await rawLine(hub, '&kind=prompts_list_changed')
    expect(await shard(hub).publish({ kind: 'tools_list_changed' }, KEPT_MS)).toBe(2)
    socket.close(1000)
    await expect.poll(() => shard(hub).publish({ kind: 'tools_list_changed' }, KEPT_MS)).toBe(1)
  })

  it('writes what changed and nothing about for whom', async () => {
    const { hub, messages } = await rawLine(undefined, '&kind=resource_updated&subject=%3Dada')
    await shard(hub).publish(
      { kind: 'resource_updated', uri: 'note://ä', subject: '=ada' },
      KEPT_MS,
    )
    await expect
      .poll(() => messages)
      .toEqual(['{"version":1,"kind":"resource_updated","uri":"note://ä"}'])
  })

  it('survives sockets that end in every way while it tells', async () => {
    const { hub, bus } = freshBus()
    const stays = await listen(bus)
    const leaving = await Promise.all(Array.from({ length: 30 }, () => rawLine(hub)))
    const published = Array.from({ length: 20 }, () => bus.publish({ kind: 'tools_list_changed' }))
    const codes = [undefined, 1000, 1001, 3000, 4999]
    for (const [index, { socket }] of leaving.entries()) {
      const code = codes[index % codes.length]
      socket.close(code, code === undefined ? undefined : 'x'.repeat(index))
    }
    await Promise.all(published)
    await expect.poll(() => stays.heard.length).toBe(20)
    await expect.poll(() => shard(hub).publish({ kind: 'tools_list_changed' }, KEPT_MS)).toBe(1)
  })
})

describe('a request for a line', () => {
  it.each([
    ['without an upgrade', LINE, {}],
    ['for what does not exist', `${LINE}&kind=constructor`, { upgrade: 'websocket' }],
    ['without caps', 'https://hub/listen?kind=tools_list_changed', { upgrade: 'websocket' }],
  ])('is refused %s', async (_, url, headers) => {
    const response = await shard(freshHub()).fetch(url, { headers })
    expect(response.status).toBe(400)
    expect(response.webSocket).toBeNull()
  })

  it('is refused with its own status for a full subject and for a full hub', async () => {
    const hub = freshHub()
    const ask = async (subject: string) => {
      const url = `https://hub/listen?kind=tools_list_changed&perSubject=2&perShard=3&subject=${subject}`
      const response = await shard(hub).fetch(url, { headers: { upgrade: 'websocket' } })
      response.webSocket?.accept()
      return response.status
    }
    expect(await ask('a')).toBe(101)
    expect(await ask('a')).toBe(101)
    expect(await ask('a')).toBe(429)
    expect(await ask('b')).toBe(101)
    expect(await ask('b')).toBe(503)
  })
})
