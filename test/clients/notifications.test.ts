/** Progress and log messages of a tool call. */
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { connect, MODES, textOf } from './connect.ts'

const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel'

describe.each(MODES)('a client in %s mode', (mode) => {
  let client: Client

  beforeAll(async () => {
    client = await connect(mode)
  })
  afterAll(() => client.close())

  test('receives progress in order, before the answer', async () => {
    const seen: unknown[] = []
    const result = await client.callTool(
      { name: 'progress', arguments: { count: 4, gapMs: 20 } },
      { onprogress: (progress) => seen.push(progress) },
    )
    seen.push(textOf(result))
    expect(seen).toEqual([
      { progress: 1, total: 4 },
      { progress: 2, total: 4 },
      { progress: 3, total: 4 },
      { progress: 4, total: 4 },
      'done',
    ])
  })

  test('receives a thousand progress notifications without a gap', async () => {
    const seen: number[] = []
    await client.callTool(
      { name: 'progress', arguments: { count: 1000, gapMs: 0 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    )
    expect(seen).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1))
  })

  test('receives progress that starts at zero', async () => {
    const seen: unknown[] = []
    await client.callTool(
      { name: 'test_tool_with_progress' },
      { onprogress: (progress) => seen.push(progress) },
    )
    expect(seen).toEqual([
      { progress: 0, total: 100 },
      { progress: 50, total: 100 },
      { progress: 100, total: 100 },
    ])
  })

  test('receives the progress of each of two concurrent calls', async () => {
    verifies('progress/token-is-unique')
    const progressOf = async (count: number) => {
      const seen: number[] = []
      await client.callTool(
        { name: 'progress', arguments: { count, gapMs: 5 } },
        { onprogress: ({ progress, total }) => seen.push(progress, total ?? 0) },
      )
      return seen
    }
    expect(await Promise.all([progressOf(2), progressOf(3)])).toEqual([
      [1, 2, 2, 2],
      [1, 3, 2, 3, 3, 3],
    ])
  })

  test('receives no progress that a tool reports after its answer', async () => {
    verifies('progress/progress-ends-with-the-request')
    const errors: Error[] = []
    client.onerror = (error) => errors.push(error)
    const seen: unknown[] = []
    const late = client.callTool(
      { name: 'late_progress' },
      { onprogress: (progress) => seen.push(progress) },
    )
    expect(textOf(await late)).toBe('done')
    // This call lasts longer than the 50 ms after which the tool reports progress.
    await client.callTool({ name: 'slow', arguments: { ms: 150 } })
    expect(seen).toEqual([])
    expect(errors).toEqual([])
  })
})

test('a modern client receives log messages of the level in each request', async () => {
  const client = await connect('modern')
  const seen: unknown[] = []
  client.setNotificationHandler('notifications/message', ({ params }) => {
    seen.push(params)
  })
  await client.callTool({ name: 'test_logging_tool' })
  expect(seen).toEqual([])
  await client.callTool({ name: 'test_logging_tool', _meta: { [LOG_LEVEL_KEY]: 'warning' } })
  expect(seen).toEqual([
    { level: 'warning', data: 'A warning message' },
    { level: 'error', data: 'An error message' },
  ])
  await client.callTool({
    name: 'log',
    arguments: { level: 'debug', message: 'quiet' },
    _meta: { [LOG_LEVEL_KEY]: 'debug' },
  })
  expect(seen.at(-1)).toEqual({ level: 'debug', data: 'quiet' })
  await client.close()
})

test('a client of the session era receives log messages from level info', async () => {
  const client = await connect('session')
  const seen: unknown[] = []
  client.setNotificationHandler('notifications/message', ({ params }) => {
    seen.push(params)
  })
  expect(await client.setLoggingLevel('info')).toEqual({})
  await client.callTool({ name: 'test_logging_tool' })
  expect(seen).toEqual([
    { level: 'info', data: 'An info message' },
    { level: 'warning', data: 'A warning message' },
    { level: 'error', data: 'An error message' },
  ])
  await client.close()
})
