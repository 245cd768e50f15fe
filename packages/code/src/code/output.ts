/** The result of the tool: what the code has returned, its console output, and what it has called, cut for the client. */

import { ToolError } from '../../../../src/index.ts'
import { clientResultBytes } from '../../../../src/internal.ts'
import { tryParseJson } from '../../../../src/platform/try-parse.ts'
import { countedNames } from './advice.ts'
import type { CodeEnd } from './execution.ts'

/** For a client whose limit is not known, in bytes of UTF-8: about 10,000 tokens. */
const DEFAULT_BYTES = 40_000

/** What the members around result and logs take. */
const FRAME_BYTES = 600

/** The part of the limit that is left for the console output of code with a long result. */
const LOG_SHARE = 0.25

/** Between two lines of the console output. */
const SEPARATOR_BYTES = 1

export interface CodeResult {
  readonly result?: unknown
  readonly logs?: readonly string[]
  readonly calls: number
  /** What was left out. */
  readonly cut?: string
}

export const OUTPUT_SCHEMA = {
  type: 'object',
  properties: {
    result: { description: 'What the code returned. A text when it was cut' },
    logs: { type: 'array', items: { type: 'string' }, description: 'The console output' },
    calls: { type: 'integer', minimum: 0, description: 'How many tools the code called' },
    cut: { type: 'string', description: 'What was left out, because the client cannot read it' },
  },
  required: ['calls'],
}

/** The bytes of UTF-8 that a client passes on to its model. */
export const bytesFor = (client: string | undefined) => clientResultBytes(client) ?? DEFAULT_BYTES

/** @throws {ToolError} with the error of code that has failed */
export function toCodeResult(end: CodeEnd, maxBytes: number): CodeResult {
  const { result, resultLength, error, calls } = end
  const room = maxBytes - FRAME_BYTES
  if (error !== undefined) throw new ToolError(failureText(end, room))
  const shown = cutText(result ?? '', room)
  const isWhole = result === undefined || (shown === result && resultLength === result.length)
  const logRoom = Math.max(room - bytesOf(shown), Math.floor(room * LOG_SHARE))
  const rest = isWhole ? shown : cutText(shown, room - Math.floor(room * LOG_SHARE))
  const logs = cutLogs(end.logs, logRoom)
  const logsLeft = end.logsCut + lengthOf(end.logs) - lengthOf(logs)
  const notes = [
    ...(isWhole ? [] : [cutNote('result', rest.length, resultLength)]),
    ...(logsLeft > 0 ? [`${logsLeft} characters of the console output are left out.`] : []),
    ...(result === undefined && end.logs.length === 0
      ? ['The code returned nothing. End it with return.']
      : []),
    ...(end.unawaited.length > 0
      ? [
          `The code ended without awaiting ${countedNames(end.unawaited)}: write await before each call.`,
        ]
      : []),
  ]
  return {
    ...(result === undefined ? undefined : { result: isWhole ? tryParseJson(result) : rest }),
    ...(logs.length === 0 ? undefined : { logs }),
    calls: calls.length,
    ...(notes.length === 0 ? undefined : { cut: notes.join(' ') }),
  }
}

const cutNote = (what: string, shown: number, whole: number) =>
  `The first ${shown} of ${whole} characters of the ${what} are shown. Return less: select, count or summarize in the code.`

function failureText({ error = '', advice, line, logs, calls }: CodeEnd, room: number): string {
  const at = line === undefined ? '' : ` (line ${line})`
  const called = calls.length === 0 ? '' : `\nIt had called: ${countedNames(calls)}`
  const shownLogs = cutLogs(logs, Math.floor(room * LOG_SHARE))
  const printed = shownLogs.length === 0 ? '' : `\nConsole output:\n${shownLogs.join('\n')}`
  const next = advice === undefined ? '' : `\n${advice}`
  return `${cutText(error, Math.floor(room / 2))}${at}${next}${cutText(called, 2_000)}${printed}`
}

/** The first lines that fit, the last of them cut. */
function cutLogs(logs: readonly string[], room: number): string[] {
  const shown: string[] = []
  let left = room
  for (const line of logs) {
    const text = cutText(line, left)
    if (bytesOf(text) > left || (text === '' && line !== '')) break
    shown.push(text)
    left -= bytesOf(text) + SEPARATOR_BYTES
    if (text !== line) break
  }
  return shown
}

/** In characters: that of each line with its end. */
const lengthOf = (logs: readonly string[]) => logs.reduce((sum, { length }) => sum + length + 1, 0)

const HIGH_SURROGATE = /[\ud800-\udbff]$/

/** The longest beginning, but for one character, whose JSON text has at most so many bytes; the empty text where none has. */
export function cutText(text: string, room: number): string {
  // Each character takes at least one byte.
  let most = Math.min(text.length, Math.max(0, room))
  let least = most === text.length && bytesOf(text) <= room ? most : 0
  // The difference is halved each time, for any text.
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (bytesOf(text.slice(0, middle)) <= room) least = middle
    else most = middle - 1
  }
  const shown = text.slice(0, least)
  // A surrogate pair is not divided.
  return shown !== text && HIGH_SURROGATE.test(shown) ? shown.slice(0, -1) : shown
}

/** A text is sent in JSON, where quotes and line ends take more. */
const bytesOf = (text: string) => new TextEncoder().encode(JSON.stringify(text)).byteLength
