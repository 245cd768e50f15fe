import { describe, expect, it } from 'vitest'
import { openSession, textOf } from '../../support/session-client.ts'
import { keepHandler } from '../../support/session-server.ts'
import { SseReader } from '../../support/sse-reader.ts'

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
