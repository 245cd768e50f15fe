/**
 * Kills the process under clients of the 2024-11-05 transport, whose one stream carries everything. They
 * resume the same session by their last event id, without loss or repetition.
 */
import { describe, expect, it } from 'vitest'
import { POLL } from './bounded.ts'
import { HttpSseSession } from './http-sse-session.ts'
import { brief, INTERRUPTED, type Message } from './message.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession } from './session.ts'

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

type AtEnd = Parameters<typeof PersistentServer.start>[0]

async function begin(atEnd: AtEnd) {
  const server = await PersistentServer.start(atEnd)
  const session = await HttpSseSession.open(server.url)
  const before: Message[] = []
  return {
    session,
    /** All messages over all connections, without the handshake. */
    all: () => [...before, ...session.events.messages].slice(1),
    restart: async () => {
      await server.kill()
      await session.events.rest()
      before.push(...session.events.messages)
      session.url = await server.startAgain()
    },
    openOther: () => openSession(session.url),
  }
}

describe.concurrent('the stream of a 2024-11-05 session after a kill', () => {
  it('continues after the last event, and ends the call with an error', async ({
    expect,
    onTestFinished,
  }) => {
    const { session, all, restart } = await begin(onTestFinished)
    const id = await session.call('progress', { count: 1000, gapMs: 20 })
    await session.events.message(10)
    await restart()
    await session.reconnect()
    await expect.poll(() => all().at(-1)?.id, POLL).toBe(id)
    expect(all().at(-1)?.result).toEqual({
      content: [{ type: 'text', text: INTERRUPTED }],
      isError: true,
    })
    expect(all().slice(0, -1).map(brief)).toEqual(
      upTo(all().length - 1).map((n) => `progress ${n}`),
    )
  })

  it('resumes each of its calls separately', async ({ expect, onTestFinished }) => {
    const { session, all, restart } = await begin(onTestFinished)
    const first = await session.call('progress', { count: 1000, gapMs: 20 })
    const repeatable = await session.call('reads_only', { ms: 10_000 })
    const second = await session.call('progress', { count: 1000, gapMs: 20 })
    await session.events.message(20)
    await restart()
    await session.reconnect()
    const ended = () => all().flatMap(({ id, result }) => (result === undefined ? [] : [id]))
    await expect.poll(() => ended().sort(), POLL).toEqual([first, repeatable, second])
    for (const id of [first, second]) {
      const own = all().filter(({ params }) => params?.progressToken === id)
      expect(own.map(({ params }) => params?.progress)).toEqual(upTo(own.length))
    }
    const answer = all().find(({ id }) => id === repeatable)
    expect(JSON.parse(answer?.result?.content?.[0]?.text ?? '')).toEqual({ value: 1 })
  })

  it('keeps an ask open, and accepts its response', async ({ expect, onTestFinished }) => {
    const { session, all, restart, openOther } = await begin(onTestFinished)
    const id = await session.call('ask_count', { name: 'old' })
    await session.events.message(2)
    await restart()
    await session.reconnect()
    const ask = all().find(({ method }) => method === 'elicitation/create')
    expect(ask && (await session.answer(ask, { ok: true }))).toBe(202)
    await expect.poll(() => all().at(-1)?.id, POLL).toBe(id)
    expect(all().map(brief)).toEqual([
      'progress 1',
      'ask Count old?',
      'progress 3',
      `result ${id} {"action":"accept","ok":true}`,
    ])
    const other = await openOther()
    expect([await other.readCount('old-first'), await other.readCount('old-second')]).toEqual([
      1, 1,
    ])
  })

  it('delivers the changes of its absence once', async ({ onTestFinished }) => {
    const { session, all, restart, openOther } = await begin(onTestFinished)
    const uri = 'probe://static/a'
    await session.post({ jsonrpc: '2.0', id: 's', method: 'resources/subscribe', params: { uri } })
    await session.events.message(1)
    await (await openOther()).call('touch_resource', { uri })
    await session.events.message(2)
    await restart()
    const other = await openOther()
    await other.call('touch_resource', { uri })
    await other.call('change_tools')
    await session.reconnect()
    await session.events.message(1)
    await other.call('change_prompts')
    await session.events.message(2)
    expect(all().slice(1).map(brief)).toEqual([
      `updated ${uri}`,
      `updated ${uri}`,
      'tools/list_changed',
      'prompts/list_changed',
    ])
  })

  it('belongs to the same session after ten kills', async ({ expect, onTestFinished }) => {
    const { session, all, restart } = await begin(onTestFinished)
    const ids: number[] = []
    for (const _ of upTo(10)) {
      ids.push(await session.call('echo', { text: 'again' }))
      await expect.poll(() => all().at(-1)?.id, POLL).toBe(ids.at(-1))
      await restart()
      await session.reconnect()
    }
    expect(all().map(({ id }) => id)).toEqual(ids)
  })
})
