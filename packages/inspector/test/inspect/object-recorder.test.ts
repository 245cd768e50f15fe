/** The status of tasks in the traffic, which their objects report outside of any request. */
import { describe, expect, it } from 'vitest'
import { Recorder } from '../../../../src/dispatch/recorder.ts'
import type { RequestReader } from '../../../../src/ports/request-observer.ts'
import type { TelemetryEvent } from '../../../../src/ports/telemetry.ts'
import { TrafficWriter } from '../../src/inspector/traffic-writer.ts'
import { observeObject } from '../../src/inspector/watched-request.ts'
import type { StoredTraffic } from '../../src/objects/traffic/port.ts'

const EVENT = {
  type: 'task',
  status: 'input_required',
  isWaiting: true,
  name: 'book',
  task: '0123456789abcdef',
  ageMs: 5,
} as const

/** A recorder over a store that is watched until a time. */
function open(until: number) {
  const stored: StoredTraffic[] = []
  const reported: TelemetryEvent[] = []
  const lease = { until, subjects: [] }
  const writer = new TrafficWriter({
    lease: async () => lease,
    append: async (entries) => {
      stored.push(...entries)
      return lease
    },
    read: async () => undefined,
    leave: async () => undefined,
  })
  const telemetry = {
    report: (event: TelemetryEvent) => reported.push(event),
    recordsRequests: false,
    recordsSpans: false,
    enter: () => undefined,
    flush: () => undefined,
  }
  const reader: RequestReader = {
    begin: () => undefined,
    resume: (exchange, _env, background) => observeObject(writer, exchange, background),
  }
  const recorder = new Recorder(telemetry, [reader], () => true)
  const background: Promise<unknown>[] = []
  return {
    reported,
    async record() {
      recorder.reportInObject(EVENT, {}, (work) => void background.push(work))
      while (background.length > 0) await background.shift()
      return stored
    },
  }
}

describe('the recorder of objects', () => {
  it('stores the status of a task while the traffic is watched, and reports it to telemetry', async () => {
    const { record, reported } = open(Date.now() + 60_000)
    const [entry, ...others] = await record()
    expect(others).toEqual([])
    expect(JSON.parse(entry?.entry ?? '')).toEqual({
      at: expect.any(Number),
      exchange: EVENT.task,
      kind: 'task',
      task: EVENT.task,
      tool: 'book',
      status: 'input_required',
    })
    expect(reported).toEqual([EVENT])
  })

  it('stores nothing while nothing reads the traffic', async () => {
    const { record, reported } = open(0)
    expect(await record()).toEqual([])
    expect(reported).toEqual([EVENT])
  })
})
