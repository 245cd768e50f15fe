import { describe, expect, it } from 'vitest'
import { openSession, textOf } from '../../support/session-client.ts'
import { keepHandler } from '../../support/session-server.ts'
import { SseReader, type WireMessage } from '../../support/sse-reader.ts'

const PING = { jsonrpc: '2.0', id: 'quick', method: 'ping' }

const LOGS = {
  jsonrpc: '2.0',
  id: 'slow',
  method: 'tools/call',
  params: {
    name: 'run',
    arguments: keepHandler(async ({ log }) => {
      await log('info', 'under way')
      return 'done'
    }),
  },
}

describe('a batch with large answers', () => {
  const answer = keepHandler(() => 'x'.repeat(1_000_000))
  const items = Array.from({ length: 8 }, (_, id) => ({
    ...LOGS,
    id,
    params: { name: 'run', arguments: answer },
  }))

  it('refuses the requests after `batchAnswerBytes`, as JSON and on a stream', async () => {
    for (const first of [PING, LOGS]) {
      const session = await openSession({ version: '2025-03-26' })
      const response = await session.post([first, ...items])
      const messages =
        first === PING ? await response.json<WireMessage[]>() : await new SseReader(response).rest()
      const served = messages.filter(({ result }) => result?.content?.[0].text.length === 1_000_000)
      const refused = messages.filter(({ error }) => error !== undefined)
      expect(served).toHaveLength(5)
      expect(refused).toHaveLength(3)
      expect(refused[0]?.error.message).toMatch(/answers of this batch are too large/)
    }
  })
})

describe('a batch whose last request sends a notification', () => {
  it('delivers the earlier answers on the stream that this request opens', async () => {
    const session = await openSession({ version: '2025-03-26' })
    const stream = new SseReader(await session.post([PING, LOGS]))
    const messages = await stream.rest()
    expect(messages.map(({ id, method }) => id ?? method).sort()).toEqual([
      'notifications/message',
      'quick',
      'slow',
    ])
    expect(textOf(messages.at(-1))).toBe('done')
  })

  it('delivers no answer to a request that the same batch cancels', async () => {
    const session = await openSession({ version: '2025-03-26' })
    const cancellation = {
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'quick' },
    }
    const stream = new SseReader(await session.post([PING, cancellation, LOGS]))
    expect((await stream.rest()).map(({ id, method }) => id ?? method)).toEqual([
      'notifications/message',
      'slow',
    ])
  })
})
