/** Tools that close their own stream: a client of the newest session revision comes back for the rest. */
import { describe, expect, test } from 'vitest'
import { connectSession, KINDS } from './session-client.ts'
import { together } from './together.ts'
import { callOf, eventsOf, streamsOf } from './wire.ts'

const REVISIONS_BEFORE = ['2025-06-18', '2025-03-26']

describe('each client that speaks Streamable HTTP', () => {
  test(
    'comes back, as late as it was told, for the answer of a tool that has closed its stream',
    together(async (kind) => {
      const { call, wire, errors } = await connectSession(kind)
      const began = performance.now()
      const result = await call('test_reconnection')
      expect(result.content[0].text).toBe('Reconnection test completed successfully')
      expect(performance.now() - began).toBeGreaterThan(990)
      const left = callOf(wire, 'test_reconnection')
      expect(left.text).toContain('\nretry: 1000\n')
      const [priming, ...others] = eventsOf(left)
      expect(priming).toEqual({ id: expect.stringMatching(/~0$/), data: '' })
      expect(others).toEqual([])
      const resumed = streamsOf(wire).filter(({ headers }) => headers.has('last-event-id'))
      expect(resumed.map(({ headers }) => headers.get('last-event-id'))).toEqual([priming?.id])
      // The priming event once more, and the answer.
      const places = resumed.flatMap(eventsOf).map(({ id }) => id?.slice(id.lastIndexOf('~')))
      expect(places).toEqual(['~0', '~1'])
      expect(errors).toEqual([])
    }),
  )

  test(
    'comes back once to each of several such calls, and waits on where one is not finished',
    together(async (kind) => {
      const { call, wire } = await connectSession(kind)
      const calls = [100, 1500, 300].map((ms) => call('close_then_finish', { ms }))
      const texts = (await Promise.all(calls)).map(({ content }) => content[0].text)
      expect(texts).toEqual(['done', 'done', 'done'])
      const resumed = streamsOf(wire).filter(({ headers }) => headers.has('last-event-id'))
      expect(resumed).toHaveLength(3)
    }),
  )
})

describe.each(KINDS)('%s, where a revision knows nothing of it,', (kind) => {
  const revisions = kind === 'v1 over HTTP+SSE' ? ['2024-11-05', '2025-11-25'] : REVISIONS_BEFORE

  test.each(revisions)('waits on its stream in %s', async (version) => {
    const { call, wire } = await connectSession(kind, { version })
    const result = await call('test_reconnection')
    expect(result.content[0].text).toBe('Reconnection test completed successfully')
    expect(streamsOf(wire).filter(({ headers }) => headers.has('last-event-id'))).toEqual([])
  })
})
