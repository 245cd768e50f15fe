/** A call of 2026-07-28 without tasks, which its request holds, over real sockets and a kill. */
import { describe, expect, it } from 'vitest'
import { requestOf } from '../../attacks/modern.ts'
import { readMessage, SseReader } from '../../support/sse-reader.ts'
import { PersistentServer } from '../sessions/persistent-server.ts'

const WORK = { name: 'killed', parts: [{ kind: 'step' }, { kind: 'ask' }, { kind: 'webhook' }] }

describe('a call that its request holds', () => {
  it('goes on after a kill without its client, whose repeated round has the result', async ({
    onTestFinished,
  }) => {
    const server = await PersistentServer.start(onTestFinished, { variant: 'work' })
    const call = (name: string, args: object, round: object = {}) =>
      fetch(requestOf(server.url, 'tools/call', { name, arguments: args, ...round }, name, 1))
    const deliver = async (url: string) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(url, { method: 'POST', headers, body: '{"text":"the value"}' })
      await response.body?.cancel()
      return response.status
    }
    const { requestState } = (await readMessage(await call('work', WORK))).result
    const answer = { action: 'accept', content: { text: 'yes' } }
    const round = { requestState, inputResponses: { 'killed.1': answer } }
    const before = new SseReader(await call('work', WORK, round))
    // The URL of the webhook is the message of the first progress.
    const url: string = (await before.message()).params.message
    const broken = expect(before.rest()).rejects.toThrow()
    await server.kill()
    await broken
    await server.startAgain({ samePort: true })
    // Accepted although no request waits for it now.
    expect(await deliver(url)).toBe(202)
    const ended = await readMessage(await call('work', WORK, round))
    expect(ended.result.structuredContent).toEqual({
      name: 'killed',
      received: ['killed.0', 'yes', 'the value'],
    })
    const counted = await readMessage(await call('read_count', { name: 'killed.0' }))
    expect(counted.result.structuredContent).toEqual({ value: 1 })
    expect(await deliver(url)).toBe(410)
  })
})
