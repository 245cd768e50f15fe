/**
 * The sink of an app without the option `telemetry`: the console. Once a test has connected with
 * `edgeway/testing`, it writes errors alone, with their messages: a test has no data of callers to protect.
 */
import type { RecordingSink, TelemetryEvent } from '../ports/telemetry.ts'
import { consoleSink } from './console-sink.ts'

const ERRORS: readonly TelemetryEvent['type'][] = [
  'handler-error',
  'internal-error',
  'bad-result',
  'journal-order-changed',
  'ask-unsent',
]

/** Of this isolate: an app that a test connects to was created elsewhere. */
let isUnderTest = false

export function writeForTests(): void {
  isUnderTest = true
}

export function createDefaultSink(): RecordingSink {
  const deployed = consoleSink()
  const tested = consoleSink({ format: 'text', errorMessages: true })
  return {
    requests: false,
    spans: false,
    record: (event, env) => {
      if (!isUnderTest) return deployed.record(event, env)
      if (ERRORS.includes(event.type)) return tested.record(event, env)
    },
  }
}
