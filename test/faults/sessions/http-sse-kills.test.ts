/**
 * Kills the process under a client of the 2024-11-05 transport, whose one stream carries everything. It
 * resumes the same session by its last event id, without loss or repetition.
 */
import { expect, it } from 'vitest'
import { POLL } from './bounded.ts'
import { HttpSseSession } from './http-sse-session.ts'
import { brief, INTERRUPTED, type Message } from './message.ts'
import { PersistentServer } from './persistent-server.ts'
import { openSession } from './session.ts'

const URI = 'probe://static/a'

it('the stream of a 2024-11-05 session continues after a kill with each of its calls, its ask, and the changes of its absence', async ({
  onTestFinished,
}) => {
  const server = await PersistentServer.start(onTestFinished)
  const session = await HttpSseSession.open(server.url)
  const subscription = { method: 'resources/subscribe', params: { uri: URI } }
  await session.post({ jsonrpc: '2.0', id: 's', ...subscription })
  await session.events.message(1)
  const first = await session.call('progress', { count: 1000, gapMs: 20 })
  const repeatable = await session.call('reads_only', { ms: 10_000 })
  const second = await session.call('progress', { count: 1000, gapMs: 20 })
  const asking = await session.call('ask_count', { name: 'old' })
  const isAsk = ({ method }: Message) => method === 'elicitation/create'
  await expect.poll(() => session.events.messages.some(isAsk), POLL).toBe(true)
  await session.events.message(20)
  await server.kill()
  await session.events.rest()
  const before = [...session.events.messages]
  session.url = await server.startAgain()
  const other = await openSession(session.url)
  await other.call('touch_resource', { uri: URI })
  await session.reconnect()

  const all = () => [...before, ...session.events.messages]
  const ask = all().find(isAsk)
  expect(ask && (await session.answer(ask, { ok: true }))).toBe(202)
  const calls = [first, repeatable, second, asking]
  const ended = () => all().filter(({ id, result }) => result && calls.includes(Number(id)))
  await expect
    .poll(
      () =>
        ended()
          .map(({ id }) => id)
          .sort(),
      POLL,
    )
    .toEqual(calls)
  const endOf = (call: number) => ended().find(({ id }) => id === call)
  for (const id of [first, second]) {
    const own = all().filter(({ params }) => params?.progressToken === id)
    expect(own.map(({ params }) => params?.progress)).toEqual(own.map((_, index) => index + 1))
    expect(endOf(id)?.result?.content?.[0]?.text).toBe(INTERRUPTED)
  }
  expect(JSON.parse(endOf(repeatable)?.result?.content?.[0]?.text ?? '')).toEqual({ value: 1 })
  expect(endOf(asking)?.result?.content?.[0]?.text).toBe('{"action":"accept","ok":true}')
  expect(await other.readCount('old-first')).toBe(1)
  await other.call('change_tools')
  const isChange = ({ method }: Message) => /updated|list_changed/.test(method ?? '')
  await expect
    .poll(() => all().filter(isChange).map(brief), POLL)
    .toEqual([`updated ${URI}`, 'tools/list_changed'])
})
