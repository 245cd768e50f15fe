/** Whether a server does what a work asks of it, before any of it is measured. */
import type { Lane } from '../lanes/lane.ts'
import { ENDPOINT_PATH, type LoadRequest, RETRY_ID } from '../load/request.ts'
import { type Admission, admit, NO_ADMISSION } from './admission.ts'
import { parseAnswer } from './answer.ts'
import type { Work } from './works.ts'

/** Asks once, in as many rounds as it takes. @throws {Error} unless every answer is right */
export async function checkAnswer(work: Work, lane: Lane, url: string): Promise<string> {
  const fail = ({ status, text }: Answer) => {
    throw new Error(`${lane.name} answers ${work.name} with ${status}: ${text.slice(0, 400)}`)
  }
  const admission = await admit(work, lane, url)
  const first = await post(url, work.request(lane, admission))
  if (work.retry === undefined) {
    if (first.result === undefined || !work.isRight(first.result, lane)) fail(first)
    // What is not looked at would cost nothing, and be worth nothing.
    for (const foreign of foreignAdmissions(work, lane, admission)) {
      const answer = await post(url, work.request(lane, foreign))
      if (answer.result !== undefined) fail(answer)
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

/** What a server must not let in. */
function foreignAdmissions(work: Work, lane: Lane, admission: Admission): readonly Admission[] {
  const { sessionId, accessToken, refreshToken } = admission
  if (work.needsTokens) {
    const forged = { accessToken: forge(accessToken), refreshToken: forge(refreshToken) }
    return [{ ...admission, ...forged }, NO_ADMISSION]
  }
  if (!work.needsSession || lane.takesAnySessionId) return []
  return [{ ...admission, sessionId: forge(sessionId) }]
}

interface Answer {
  readonly status: number
  readonly text: string
  readonly result: Readonly<Record<string, unknown>> | undefined
}

async function post(
  endpoint: string,
  { path = ENDPOINT_PATH, status = 200, headers, body }: LoadRequest,
  id?: number,
): Promise<Answer> {
  const url = new URL(path, endpoint)
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  const parse = () => (path === ENDPOINT_PATH ? parseAnswer(text, id) : JSON.parse(text))
  const result = response.status === status ? parse() : undefined
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
