/** Verifies a server's responses to a scenario before the scenario is measured. */
import type { Lane } from '../lanes/lane.ts'
import { ENDPOINT_PATH, type LoadRequest, RETRY_ID } from '../load/request.ts'
import { type ClientState, EMPTY_CLIENT_STATE, prepareClient } from './client-state.ts'
import { parseResult } from './json-rpc-result.ts'
import type { Scenario } from './scenarios.ts'

/**
 * Sends the scenario's requests once, and again with invalid credentials or state, which the server
 * must reject: a server that omits a check would be measured too cheap.
 *
 * @returns the body of the last response
 * @throws {Error} for a wrong response and for invalid credentials that are accepted
 */
export async function checkResponses(scenario: Scenario, lane: Lane, url: string): Promise<string> {
  const fail = ({ status, text }: Received) => {
    throw new Error(`${lane.name} answers ${scenario.name} with ${status}: ${text.slice(0, 400)}`)
  }
  const client = await prepareClient(scenario, lane, url)
  const first = await post(url, scenario.request(lane, client))
  if (scenario.retry === undefined) {
    if (first.result === undefined || !scenario.isCorrect(first.result, lane)) fail(first)
    for (const invalid of invalidClientStates(scenario, lane, client)) {
      const response = await post(url, scenario.request(lane, invalid))
      if (response.result !== undefined) fail(response)
    }
    return first.text
  }
  const state = first.result?.requestState
  if (typeof state !== 'string' || !isElicitation(first.result)) return fail(first)
  const last = await post(url, scenario.retry(state), RETRY_ID)
  if (last.result === undefined || !scenario.isCorrect(last.result, lane)) fail(last)
  const forged = await post(url, scenario.retry(forge(state)), RETRY_ID)
  if (forged.result !== undefined) fail(forged)
  return last.text
}

/** Session ids, task ids and tokens that the server must reject. */
function invalidClientStates(
  { name, needsTokens, needsSession }: Scenario,
  lane: Lane,
  client: ClientState,
): readonly ClientState[] {
  const { sessionId, taskId, accessToken, refreshToken } = client
  if (name === 'task-get') return [{ ...client, taskId: forge(taskId) }]
  if (needsTokens) {
    const forged = { accessToken: forge(accessToken), refreshToken: forge(refreshToken) }
    return [{ ...client, ...forged }, EMPTY_CLIENT_STATE]
  }
  if (!needsSession || lane.acceptsAnySessionId) return []
  return [{ ...client, sessionId: forge(sessionId) }]
}

interface Received {
  readonly status: number
  readonly text: string
  readonly result: Readonly<Record<string, unknown>> | undefined
}

async function post(
  endpoint: string,
  { path = ENDPOINT_PATH, status = 200, headers, body }: LoadRequest,
  id?: number,
): Promise<Received> {
  const url = new URL(path, endpoint)
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  const parse = () => (path === ENDPOINT_PATH ? parseResult(text, id) : JSON.parse(text))
  const result = response.status === status ? parse() : undefined
  return { status: response.status, text, result }
}

function isElicitation(result: Readonly<Record<string, unknown>> | undefined): boolean {
  const requests = JSON.stringify(result?.inputRequests)
  return (
    result?.resultType === 'input_required' &&
    requests?.startsWith('{"confirm":{"method":"elicitation/create"') &&
    requests.includes('"Return hello?"')
  )
}

/** Replaces one character in the middle. */
function forge(text: string): string {
  const middle = Math.floor(text.length / 2)
  return `${text.slice(0, middle)}${text[middle] === 'A' ? 'B' : 'A'}${text.slice(middle + 1)}`
}
