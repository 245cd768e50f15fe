import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { ToolError } from '../../src/index.ts'
import { BLOBS, DOUBLES } from '../../src/telemetry/analytics-columns.ts'
import { analyticsEngine } from '../../src/telemetry/index.ts'
import { FullServer } from '../support/full-server.ts'
import { openApp } from '../support/test-app.ts'

interface DataPoint {
  readonly indexes: readonly string[]
  readonly blobs: readonly string[]
  readonly doubles: readonly number[]
}

const encoder = new TextEncoder()
const bytes = (text: string) => encoder.encode(text).byteLength

/** A dataset with the limits of the platform: it refuses what Analytics Engine would drop. */
function createDataset() {
  const points: DataPoint[] = []
  const writeDataPoint = (point: DataPoint) => {
    const { indexes, blobs, doubles } = point
    expect(indexes).toHaveLength(1)
    expect(bytes(indexes.join(''))).toBeLessThanOrEqual(96)
    expect(blobs.length).toBeLessThanOrEqual(20)
    expect(doubles.length).toBeLessThanOrEqual(20)
    expect(blobs.reduce((sum, blob) => sum + bytes(blob), 0)).toBeLessThanOrEqual(16 * 1024)
    expect(doubles.every(Number.isFinite)).toBe(true)
    points.push(point)
  }
  /** The points by the names of their columns, without those that are empty. */
  const rows = () =>
    points.map(({ indexes, blobs, doubles }) => ({
      index: indexes[0],
      ...Object.fromEntries(BLOBS.flatMap((name, at) => (blobs[at] ? [[name, blobs[at]]] : []))),
      ...Object.fromEntries(
        DOUBLES.flatMap((name, at) => (doubles[at] ? [[name, doubles[at]]] : [])),
      ),
    }))
  return { binding: { writeDataPoint }, rows }
}

const LONG_NAME = `${'tool-of-a-long-name-'.repeat(6)}x`

function createServer(): FullServer {
  const server = new FullServer({ name: 's', version: '1' })
  server.registerTool('echo', {}, () => 'x')
  server.registerTool(LONG_NAME, {}, () => {
    throw new ToolError('x')
  })
  server.registerTool('fail', {}, () => {
    throw new RangeError('canary')
  })
  return server
}

describe('analyticsEngine', () => {
  it('writes one data point for each event that is emitted or delivered, and for each call of a deprecated tool', () => {
    const { binding, rows } = createDataset()
    const sink = analyticsEngine()
    const bindings = { MCP_ANALYTICS: binding }
    sink.record({ type: 'event-emitted', event: 'note' }, bindings)
    const delivery = { type: 'event-delivery', event: 'note', subscription: 'sub_1' } as const
    sink.record({ ...delivery, outcome: 'retried', reason: 'http_5xx' }, bindings)
    const refused = { event: 'note', outcome: 'refused', subscription: undefined } as const
    sink.record({ type: 'event-subscription', ...refused, reason: 'Forbidden' }, bindings)
    const call = { tool: 'old', use: 'current', client: 'c' } as const
    sink.record({ type: 'deprecated-call', ...call }, bindings)
    expect(rows()).toEqual([
      { index: 'note', event: 'event-emitted', name: 'note', weight: 1 },
      {
        index: 'note',
        event: 'event-delivery',
        name: 'note',
        outcome: 'retried',
        reason: 'http_5xx',
        subject: 'sub_1',
        weight: 1,
      },
      {
        index: 'note',
        event: 'event-subscription',
        name: 'note',
        outcome: 'refused',
        reason: 'Forbidden',
        weight: 1,
      },
      {
        index: 'old',
        event: 'deprecated-call',
        name: 'old',
        client_name: 'c',
        subject: 'current',
        weight: 1,
      },
    ])
  })

  it('writes one data point for each request, within the limits of the platform', async () => {
    const { binding, rows } = createDataset()
    const app = openApp(
      createServer(),
      { telemetry: analyticsEngine() },
      { MCP_ANALYTICS: binding },
    )
    await app.modern('tools/call', { name: 'echo' })
    await app.modern('tools/call', { name: LONG_NAME })
    expect(rows()).toMatchObject([
      {
        index: 'echo',
        event: 'request',
        method: 'tools/call',
        name: 'echo',
        outcome: 'ok',
        era: 'modern',
        revision: '2026-07-28',
        client_name: 'test',
        transport: 'streamable-http',
        weight: 1,
        status: 200,
        bytes_in: expect.any(Number),
        bytes_out: expect.any(Number),
      },
      { index: LONG_NAME.slice(0, 96), name: LONG_NAME, outcome: 'tool-error' },
    ])
  })

  it('writes refusals and failures by their names, without their texts', async () => {
    const { binding, rows } = createDataset()
    const app = openApp(
      createServer(),
      { telemetry: analyticsEngine() },
      { MCP_ANALYTICS: binding },
    )
    await app.modern('tools/call', { name: 'fail' })
    await app.modern('canary')
    expect(rows()).toMatchObject([
      {
        index: 'handler-error',
        error: 'RangeError',
        subject: 'Tool fail',
        reference: expect.any(String),
      },
      { index: 'fail', outcome: 'tool-error', reference: expect.any(String) },
      { index: 'refusal', reason: 'method-not-found', status: 404 },
      { index: 'POST', outcome: 'refused', reason: 'method-not-found', error_code: -32601 },
    ])
    expect(JSON.stringify(rows())).not.toContain('canary')
  })

  it('cuts an index at 96 bytes without half a character', () => {
    const { binding, rows } = createDataset()
    const subject = 'ä'.repeat(400)
    analyticsEngine({ binding: 'OTHER' }).record(
      { type: 'bad-result', subject, reference: 'r', message: 'x' },
      { OTHER: binding },
    )
    expect(rows()).toMatchObject([{ subject: 'ä'.repeat(128) }])
  })

  it('writes to the binding of the platform', async () => {
    const app = openApp(createServer(), { telemetry: analyticsEngine() }, env)
    expect((await app.modern('tools/call', { name: 'echo' })).status).toBe(200)
    expect(() => env.MCP_ANALYTICS.writeDataPoint({ indexes: ['x'] })).not.toThrow()
  })

  it('does nothing without its binding', async () => {
    const app = openApp(createServer(), { telemetry: analyticsEngine() })
    expect((await app.modern('tools/call', { name: 'echo' })).status).toBe(200)
  })
})
