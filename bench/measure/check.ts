/** Whether a server does what a work asks of it, before any of it is measured. */
import type { Lane } from '../lanes/lanes.ts'
import { type JsonRpcRequest, RETRY_ID } from '../load/request.ts'
import { parseAnswer } from './answer.ts'
import { sessionFor } from './sessions.ts'
import type { Work } from './works.ts'

/** Asks once, in as many rounds as it takes. @throws {Error} unless every answer is right */
export async function checkAnswer(work: Work, lane: Lane, url: string): Promise<string> {
  const fail = ({ status, text }: Answer) => {
    throw new Error(`${lane.name} answers ${work.name} with ${status}: ${text.slice(0, 400)}`)
  }
  const sessionId = await sessionFor(work, lane, url)
  const first = await post(url, work.request(lane, sessionId))
  if (work.retry === undefined) {
    if (first.result === undefined || !work.isRight(first.result, lane)) fail(first)
    if (work.needsSession && !lane.takesAnySessionId) {
      // A session that is not looked for would cost nothing, and be worth nothing.
      const foreign = await post(url, work.request(lane, forge(sessionId)))
      if (foreign.result !== undefined) fail(foreign)
    }
    return first.text
  }
  const state = first.result?.requestState
  if (typeof state !== 'string' || !isQuestion(first.result)) return fail(first)
  const last = await post(url, work.retry(state), RETRY_ID)
  if (last.result === undefined || !work.isRight(last.result, lane)) fail(last)
  // A state that is not checked would cost nothing, and be worth nothing.
  const forged = await post(url, work.retry(forge(state)), RETRY_ID)
  if (forged.result !== undefined) fail(forged)
  return last.text
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly result: Readonly<Record<string, unknown>> | undefined
}

async function post(url: string, { headers, body }: JsonRpcRequest, id?: number): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  const result = response.status === 200 ? parseAnswer(text, id) : undefined
  return { status: response.status, text, result }
}

function isQuestion(result: Readonly<Record<string, unknown>> | undefined): boolean {
  const asked = JSON.stringify(result?.inputRequests)
  return (
    result?.resultType === 'input_required' &&
    asked?.startsWith('{"confirm":{"method":"elicitation/create"') &&
    asked.includes('"Return hello?"')
  )
}

/** The same state or id with one character in its middle replaced. */
function forge(text: string): string {
  const middle = Math.floor(text.length / 2)
  return `${text.slice(0, middle)}${text[middle] === 'A' ? 'B' : 'A'}${text.slice(middle + 1)}`
}
