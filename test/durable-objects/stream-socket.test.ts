/** A line at the Worker's end, with the other end in the test's hands. */
import { evictDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it } from 'vitest'
import { openStreamSocket, type StreamSocket } from '../../durable-objects/stream-socket.ts'

const lines: StreamSocket[] = []
afterEach(() => {
  for (const line of lines.splice(0)) line.close()
})

function follow(socket: WebSocket, beatMs: number) {
  const seen: unknown[] = []
  let beats = 0
  const line = openStreamSocket(socket, beatMs, {
    onMessage: (data) => seen.push(data),
    onClose: (code, reason) => seen.push(['closed', code, reason]),
    onHeartbeat: () => beats++,
    onEnd: () => seen.push('end'),
  })
  lines.push(line)
  return { line, seen, beats: () => beats }
}

/** @param answer what the other end says to a beat, if anything */
function pair({ beatMs = 30_000, answer }: { beatMs?: number; answer?: string } = {}) {
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
  return { ours, received, closed, ...follow(theirs, beatMs) }
}

describe('a line', () => {
  it('carries texts both ways, in order, and nothing but texts', async () => {
    const { ours, received, line, seen } = pair()
    line.send('one')
    line.send('')
    for (const data of ['a', new Uint8Array([1]), '', 'ping', 'b']) ours.send(data)
    await expect.poll(() => seen).toEqual(['a', '', 'ping', 'b'])
    await expect.poll(() => received).toEqual(['one', ''])
  })

  it('calls nothing back before it has been handed over', () => {
    const { 0: theirs, 1: ours } = new WebSocketPair()
    ours.accept()
    ours.send('early')
    ours.close(1000)
    expect(follow(theirs, 30_000).seen).toEqual([])
  })

  it('tells how the other end closed it, once, after everything it said', async () => {
    const { ours, line, seen } = pair()
    ours.send('last')
    ours.close(4001, 'replaced')
    await expect.poll(() => seen).toEqual(['last', 'end', ['closed', 4001, 'replaced']])
    line.send('too late')
    line.close()
    expect(seen).toHaveLength(3)
  })

  it('ends without a word when this end closes it', async () => {
    const { ours, closed, line, seen } = pair()
    ours.send('on the way')
    line.close()
    line.close()
    line.send('too late')
    expect(await closed).toBe(1000)
    expect(seen).toEqual(['end'])
  })

  it('is lost after two beats without an answer, which is closure 1006', async () => {
    const { closed, received, seen, beats } = pair({ beatMs: 10 })
    await expect.poll(() => seen).toEqual(['end', ['closed', 1006, '']])
    expect(received).toEqual(['ping'])
    expect(beats()).toBe(1)
    expect(await closed).toBe(1000)
  })

  it('lives as long as its beats are answered, and says nothing of them', async () => {
    const { seen, beats } = pair({ beatMs: 5, answer: 'pong' })
    await expect.poll(beats).toBeGreaterThan(5)
    expect(seen).toEqual([])
  })

  it('lives as long as anything else comes instead', async () => {
    const { seen, beats } = pair({ beatMs: 5, answer: 'busy' })
    await expect.poll(beats).toBeGreaterThan(3)
    expect(new Set(seen)).toEqual(new Set(['busy']))
  })

  it('is lost with the object at its other end', async () => {
    const stub = env.MCP_HUB.getByName(crypto.randomUUID())
    const url = 'https://hub/listen?kind=tools_list_changed&perSubject=9&perShard=9'
    const { webSocket } = await stub.fetch(url, { headers: { upgrade: 'websocket' } })
    if (webSocket === null) throw new Error('No line')
    const { seen } = follow(webSocket, 30_000)
    await evictDurableObject(stub, { webSockets: 'close' })
    await expect.poll(() => seen).toEqual(['end', ['closed', 1006, expect.any(String)]])
  })
})
