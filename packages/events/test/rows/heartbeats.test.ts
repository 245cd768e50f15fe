/** Rows stream-heartbeat-* of the scenario events-push. */
// features: events
import { expect, it } from 'vitest'
import { modernRequest } from '../../../../test/support/test-app.ts'
import { connect } from '../../../testing/src/index.ts'
import { resolveEventLimits } from '../../src/objects/event-settings.ts'
import { eventsAlone } from '../support/events-alone.ts'
import { authorized, emit, openStream, person, rawApp } from '../support/rows.ts'
import { rowsEnv } from '../support/rows-server.ts'

it('stream-heartbeat-required: arrives again and again while nothing occurs', async () => {
  const stream = await openStream(await person())
  for (let beats = 0; beats < 3; beats++) await stream.nextMessage('heartbeat')
  expect(stream.messages.filter(({ kind }) => kind === 'event')).toEqual([])
})

it('stream-heartbeat-carries-cursor: has the position that was checked, also past events of others', async () => {
  const { client, topic } = await person()
  const stream = await openStream({ client, topic })
  const { cursor: before } = await stream.nextMessage('heartbeat')
  await emit('a topic of others', 'other')
  await expect.poll(async () => (await stream.nextMessage('heartbeat')).cursor).not.toBe(before)
  await emit(topic, 'a')
  const { cursor } = await stream.next()
  await expect.poll(async () => (await stream.nextMessage('heartbeat')).cursor).toBe(cursor)
  const plain = await openStream({ client, topic }, 'rows.plain')
  expect((await plain.nextMessage('heartbeat')).cursor).toBeNull()
})

it('stream-heartbeat-interval: has an interval of at most 30 seconds by default', () => {
  expect(resolveEventLimits().heartbeatMs).toBe(20_000)
})

it('stream-heartbeat-interval: is shorter on a new stream, so that a client which has left is noticed soon', async () => {
  const client = await connect(eventsAlone(), { env: rowsEnv })
  const began = performance.now()
  const stream = await client.events.stream('rows.all')
  for (let beats = 0; beats < 2; beats++) await stream.nextMessage('heartbeat')
  expect(performance.now() - began).toBeLessThan(10_000)
  await stream.close()
})

it('stream-heartbeat-not-sse-comment: every line of the stream is of an event with data', async () => {
  const { subject, topic } = await person()
  const params = { name: 'rows.all', arguments: { topic } }
  const { body, headers } = modernRequest('events/stream', params)
  const response = await rawApp().post(body, { ...headers, ...authorized(subject) })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  let text = ''
  while (text.split('notifications/events/heartbeat').length < 4) {
    const { value } = await reader.read()
    text += new TextDecoder().decode(value)
  }
  await reader.cancel()
  const lines = text.split(/\r?\n/).filter((line) => line !== '')
  expect(lines.filter((line) => line.startsWith(':'))).toEqual([])
  expect(lines.filter((line) => line.startsWith('data: ')).length).toBeGreaterThanOrEqual(4)
})
