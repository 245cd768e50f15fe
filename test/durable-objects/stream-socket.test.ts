/** The Worker's end of a stream socket; the test controls the other end. */
// features: changes
import { evictDurableObject } from 'cloudflare:test'
import { afterEach, describe, expect, it } from 'vitest'
import type { HubObject } from '../../durable-objects/hub/hub-object.ts'
import { openStreamSocket, type StreamSocket } from '../../durable-objects/stream-socket.ts'
import { objectsOfKind } from '../support/objects.ts'

const opened: StreamSocket[] = []
afterEach(() => {
  for (const socket of opened.splice(0)) socket.close()
})

function open(webSocket: WebSocket, heartbeatMs: number) {
  const seen: unknown[] = []
  let heartbeats = 0
  const socket = openStreamSocket(webSocket, heartbeatMs, {
    onMessage: (data) => seen.push(data),
    onClose: (code, reason) => seen.push(['closed', code, reason]),
    onHeartbeat: () => heartbeats++,
    onEnd: () => seen.push('end'),
  })
  opened.push(socket)
  return { socket, seen, heartbeats: () => heartbeats }
}

/** @param answer what the other end sends for a heartbeat */
function pair({ heartbeatMs = 30_000, answer }: { heartbeatMs?: number; answer?: string } = {}) {
  const { 0: theirs, 1: ours } = new WebSocketPair()
  ours.accept()
  const received: unknown[] = []
  ours.addEventListener('message', ({ data }) => {
    received.push(data)
    if (answer !== undefined && data === 'ping') ours.send(answer)
  })
  const closed = new Promise<number>((resolve) =>
    ours.addEventListener('close', ({ code }) => resolve(code)),
  )
  return { ours, received, closed, ...open(theirs, heartbeatMs) }
}

describe('a stream socket', () => {
  it('carries texts both ways, in order, and ignores binary messages', async () => {
    const { ours, received, socket, seen } = pair()
    socket.send('one')
    socket.send('')
    for (const data of ['a', new Uint8Array([1]), '', 'ping', 'b']) ours.send(data)
    await expect.poll(() => seen).toEqual(['a', '', 'ping', 'b'])
    await expect.poll(() => received).toEqual(['one', ''])
  })

  it('calls no handler before it is returned', () => {
    const { 0: theirs, 1: ours } = new WebSocketPair()
    ours.accept()
    ours.send('early')
    ours.close(1000)
    expect(open(theirs, 30_000).seen).toEqual([])
  })

  it('reports once how the other end closed it, after all messages', async () => {
    const { ours, socket, seen } = pair()
    ours.send('last')
    ours.close(4001, 'replaced')
    await expect.poll(() => seen).toEqual(['last', 'end', ['closed', 4001, 'replaced']])
    socket.send('too late')
    socket.close()
    expect(seen).toHaveLength(3)
  })

  it('does not report that this end closed it', async () => {
    const { ours, closed, socket, seen } = pair()
    ours.send('on the way')
    socket.close()
    socket.close()
    socket.send('too late')
    expect(await closed).toBe(1000)
    expect(seen).toEqual(['end'])
  })

  it('is lost with code 1006 after two heartbeats without an answer', async () => {
    const { closed, received, seen, heartbeats } = pair({ heartbeatMs: 10 })
    await expect.poll(() => seen).toEqual(['end', ['closed', 1006, '']])
    expect(received).toEqual(['ping'])
    expect(heartbeats()).toBe(1)
    expect(await closed).toBe(1000)
  })

  it('stays open while its heartbeats are answered, and does not report the answers', async () => {
    const { seen, heartbeats } = pair({ heartbeatMs: 5, answer: 'pong' })
    await expect.poll(heartbeats).toBeGreaterThan(5)
    expect(seen).toEqual([])
  })

  it('stays open while any other message arrives', async () => {
    const { seen, heartbeats } = pair({ heartbeatMs: 5, answer: 'busy' })
    await expect.poll(heartbeats).toBeGreaterThan(3)
    expect(new Set(seen)).toEqual(new Set(['busy']))
  })

  it('is lost when the object at the other end is evicted', async () => {
    const stub = objectsOfKind<HubObject>('hub').named(crypto.randomUUID())
    const url = 'https://hub/listen?kind=tools_list_changed&perSubject=9&perShard=9'
    const { webSocket } = await stub.fetch(new Request(url, { headers: { upgrade: 'websocket' } }))
    if (webSocket === null) throw new Error('No socket')
    const { seen } = open(webSocket, 30_000)
    await evictDurableObject(stub, { webSockets: 'close' })
    await expect.poll(() => seen).toEqual(['end', ['closed', 1006, expect.any(String)]])
  })
})
