/** Obtains the session id, the task or the tokens that the client of a scenario needs. */
import { randomUUID } from 'node:crypto'
import type { Lane } from '../lanes/lane.ts'
import { connectAccount } from '../load/connect-account.ts'
import { authorizedCall, modernTask, sessionTask } from '../load/request.ts'
import { openSession } from '../load/session.ts'
import { obtainTokens, type Tokens } from '../load/tokens.ts'
import { parseResult } from './json-rpc-result.ts'

export interface ClientNeeds {
  /** Each connection has a session of its own, opened before every turn. */
  readonly needsSession?: true
  /** Each connection has a principal with a task of its own that waits, created before every turn. */
  readonly needsTask?: true
  /** Each connection has tokens of its own, obtained before the first turn. */
  readonly needsTokens?: true
  /** Each app with tokens is admitted to an account of the person. */
  readonly needsAccount?: true
}

/** A field that the scenario does not need is the empty string. */
export interface ClientState extends Tokens {
  readonly sessionId: string
  /** The principal of the task. */
  readonly principal: string
  readonly taskId: string
}

export const EMPTY_CLIENT_STATE: ClientState = {
  sessionId: '',
  principal: '',
  taskId: '',
  clientId: '',
  accessToken: '',
  refreshToken: '',
}

/** Opens a session, creates a task or obtains tokens. @throws {Error} when the server issues none */
export async function prepareClient(
  { needsSession, needsTask, needsTokens, needsAccount }: ClientNeeds,
  lane: Lane,
  url: string,
): Promise<ClientState> {
  if (needsTokens) {
    const tokens = await obtainTokens(new URL(url).origin)
    if (needsAccount) await connectAccount(url, authorizedCall(tokens.accessToken))
    return { ...EMPTY_CLIENT_STATE, ...tokens }
  }
  if (needsTask) return waitingTask(lane, url)
  if (needsSession) return { ...EMPTY_CLIENT_STATE, sessionId: await sessionIdFrom(lane, url) }
  return EMPTY_CLIENT_STATE
}

async function sessionIdFrom(lane: Lane, url: string): Promise<string> {
  const sessionId = await openSession(url, lane.sessionRevision)
  if (sessionId !== undefined) return sessionId
  if (!lane.acceptsAnySessionId) throw new Error(`${lane.name} issues no session id`)
  return randomUUID()
}

/** A task that waits, in a session of its own where tasks need one. */
async function waitingTask(lane: Lane, url: string): Promise<ClientState> {
  const { hasExperimentalTasks, sessionRevision } = lane
  const sessionId = hasExperimentalTasks ? await sessionIdFrom(lane, url) : ''
  const principal = randomUUID()
  const { headers, body } = hasExperimentalTasks
    ? sessionTask(sessionRevision, sessionId, 'wait')
    : modernTask('wait', principal)
  const response = await fetch(url, { method: 'POST', headers: { ...headers }, body })
  const text = await response.text()
  const taskId = taskIdOf(parseResult(text) ?? {})
  if (taskId === undefined) throw new Error(`${lane.name} creates no task: ${text.slice(0, 400)}`)
  return { ...EMPTY_CLIENT_STATE, sessionId, principal, taskId }
}

/** The id in the response to a call, in either revision; undefined when it became no task. */
export function taskIdOf(result: Readonly<Record<string, unknown>>): string | undefined {
  const { taskId } = (result.task ?? result) as { readonly taskId?: unknown }
  return typeof taskId === 'string' && taskId !== '' ? taskId : undefined
}
