/** Refusals, leniencies and failures as entries, with the words of the timeline. */
import type { TelemetryEvent } from '../../ports/telemetry.ts'
import { stepEventOf } from '../timeline/recording.ts'
import type { DecisionEntry } from './traffic-entry.ts'

/** Undefined for any other event. */
export function decisionOf(event: TelemetryEvent): DecisionEntry | undefined {
  const step = stepEventOf(event)
  if (step === undefined) return undefined
  const { type, name, message } = step
  return {
    kind: type,
    name,
    status: 'status' in event && typeof event.status === 'number' ? event.status : null,
    text: message,
  }
}

/** @param name `token-missing`, or the error of the challenge */
export function refusedToken(name: string): DecisionEntry {
  const text =
    name === 'token-missing' ? 'An access token is required' : 'The access token is not accepted'
  return { kind: 'refusal', name, status: null, text }
}
