/** Tools that close their own stream: a client of 2025-11-25 reconnects for the answer. */
import { describe, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { connectClient } from './connect-client.ts'
import { forEachKind } from './for-each-kind.ts'
import { callOf, eventsOf, numberOf, resumedStreamsOf } from './wire.ts'

describe('each client over Streamable HTTP', () => {
  test(
    'reconnects after the retry time for the answer of a tool that closed its stream',
    forEachKind(async (kind) => {
      verifies('streamable-http/client-respects-retry')
      const { call, wire, errors } = await connectClient(kind)
      const began = performance.now()
      const result = await call('test_reconnection')
      expect(result.content[0].text).toBe('Reconnection test completed successfully')
      expect(performance.now() - began).toBeGreaterThan(990)
      const closed = callOf(wire, 'test_reconnection')
      expect(closed.text).toContain('\nretry: 1000\n')
      const [priming, ...others] = eventsOf(closed)
      expect(priming).toEqual({ id: expect.stringMatching(/~0$/), data: '' })
      expect(others).toEqual([])
      const resumed = resumedStreamsOf(wire)
      expect(resumed.map(({ headers }) => headers.get('last-event-id'))).toEqual([priming?.id])
      // The priming event of the resumed stream, and the answer.
      const numbers = resumed.flatMap(eventsOf).map(({ id }) => numberOf(id))
      expect(numbers).toEqual(['~0', '~1'])
      expect(errors).toEqual([])
    }),
  )

  test(
    'reconnects once for each of several such calls, also for one that still runs',
    forEachKind(async (kind) => {
      const { call, wire } = await connectClient(kind)
      const calls = [100, 1500, 300].map((ms) => call('close_then_finish', { ms }))
      const texts = (await Promise.all(calls)).map(({ content }) => content[0].text)
      expect(texts).toEqual(['done', 'done', 'done'])
      const resumed = resumedStreamsOf(wire)
      expect(resumed).toHaveLength(3)
    }),
  )
})
