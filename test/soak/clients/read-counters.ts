/** Reads durable counters of the fixture server, many in one POST. */
import type { Message } from '../../faults/sessions/message.ts'
import { readText } from '../../faults/sessions/send.ts'
import { toolCall } from '../../faults/sessions/session.ts'
import { textOfResult } from '../calls.ts'
import { type Caller, nextId } from './client.ts'

/** The number of messages that one batch may have. */
const MAX_BATCH = 50

/** Returns the values in the order of the counters. No kill is under way. */
export async function readCounters(
  url: string,
  caller: Caller,
  counters: readonly string[],
): Promise<readonly number[]> {
  const values: number[] = []
  for (let at = 0; at < counters.length; at += MAX_BATCH) {
    values.push(...(await readBatch(url, caller, counters.slice(at, at + MAX_BATCH))))
  }
  return values
}

async function readBatch(
  url: string,
  caller: Caller,
  counters: readonly string[],
): Promise<readonly number[]> {
  const calls = counters.map((name) => ({ name, id: nextId() }))
  const response = await caller.fetch(
    new Request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-03-26',
      },
      body: JSON.stringify(calls.map(({ name, id }) => toolCall('read_count', { name }, id))),
    }),
  )
  const answers: readonly Message[] = JSON.parse(await readText(response))
  return calls.map(({ name, id }) => {
    const answer = answers.find((one) => one.id === id)
    const value = answer && JSON.parse(textOfResult(answer) ?? '{}').value
    if (typeof value !== 'number') throw new Error(`read_count of ${name} answered no value`)
    return value
  })
}
