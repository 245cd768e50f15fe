/** The connection timeline of a server as text, in the words of the doctor. */

import { isJsonObject } from '../../../../src/protocol/json.ts'
import { timelineSummaryText } from '../../../inspector/src/timeline/timeline-text.ts'
import type { TimelineConnection, TimelineSummary } from '../../../inspector/src/timeline/views.ts'
import { explainedText } from '../../../inspector/src/timeline-texts/explained-text.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { isTime } from './is-time.ts'

/** Longer than any sentence of a verdict. */
const MAX_LENGTH = 2000

/** Undefined for a result of another shape, such as that of a later version. */
export function timelineResultText(result: unknown): string | undefined {
  const printed = printableDeep(result)
  if (!isJsonObject(printed)) return undefined
  const { connection, connections } = printed
  if (isConnection(connection)) return explainedText([connection])
  if (isListOf(connections, isSummary)) return timelineSummaryText(connections)
  return undefined
}

function printableDeep(value: unknown): unknown {
  if (typeof value === 'string') return printable(value, MAX_LENGTH)
  if (Array.isArray(value)) return value.map(printableDeep)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, printableDeep(one)]))
}

/** Whether it has the parts that the text is made of. */
function isSummary(value: unknown): value is TimelineSummary {
  return (
    isJsonObject(value) &&
    isJsonObject(value.client) &&
    isListOf(value.networks, isText) &&
    isTime(value.beganAt) &&
    isTime(value.lastAt) &&
    isJsonObject(value.verdict) &&
    isListOf([value.id, value.client.name, value.verdict.state, value.verdict.summary], isText)
  )
}

function isConnection(value: unknown): value is TimelineConnection {
  if (!isSummary(value)) return false
  const { verdict, steps } = value as Partial<TimelineConnection>
  return (
    isListOf(verdict?.findings, isJsonObject) &&
    isListOf(verdict?.checked, isJsonObject) &&
    isListOf(steps, isStep)
  )
}

const isStep = (value: unknown) =>
  isJsonObject(value) &&
  isTime(value.at) &&
  isJsonObject(value.details) &&
  isListOf(value.events, isJsonObject)

const isText = (value: unknown) => typeof value === 'string'

function isListOf<T>(value: unknown, is: (one: unknown) => one is T): value is readonly T[]
function isListOf(value: unknown, is: (one: unknown) => boolean): boolean
function isListOf(value: unknown, is: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is)
}
