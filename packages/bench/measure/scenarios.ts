/** The scenarios: the requests that are sent, and the check of a correct response. */
import type { EntryName, Lane, ScenarioName } from '../lanes/lane.ts'
import { clientCredentials, REDIRECT_URIS, refresh, register } from '../load/oauth-request.ts'
import {
  authorizedCall,
  initialize,
  type LoadRequest,
  modernAsk,
  modernAskRetry,
  modernCall,
  modernList,
  modernTask,
  modernTaskGet,
  sessionCall,
  sessionList,
  sessionTask,
  sessionTaskGet,
  statelessCall,
} from '../load/request.ts'
import { type ClientNeeds, type ClientState, taskIdOf } from './client-state.ts'

export interface Scenario extends ClientNeeds {
  readonly name: ScenarioName
  readonly title: string
  readonly entry: EntryName
  /** The scenario leaves state behind that would slow down the others on the same server. */
  readonly needsOwnServer?: true
  readonly request: (lane: Lane, client: ClientState) => LoadRequest
  /** The request that carries the `requestState` of the first response. Both count as one. */
  readonly retry?: (requestState: string) => LoadRequest
  /** The next request of a connection, when it needs the refresh token of the last response. */
  readonly next?: (clientId: string, refreshToken: string) => LoadRequest
  readonly isCorrect: (result: Readonly<Record<string, unknown>>, lane: Lane) => boolean
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'call',
    title: 'modern `tools/call`, 1 tool',
    entry: 'one-tool',
    request: () => modernCall,
    isCorrect: isEchoResult,
  },
  {
    name: 'call-100',
    title: 'modern `tools/call`, 100 tools',
    entry: 'hundred-tools',
    request: () => modernCall,
    isCorrect: isEchoResult,
  },
  {
    name: 'ask',
    title: 'modern `tools/call` with one elicitation, both round trips',
    entry: 'asking',
    request: () => modernAsk,
    retry: modernAskRetry,
    isCorrect: isEchoResult,
  },
  {
    name: 'state-get',
    title: 'modern `tools/call` that reads a state handle',
    entry: 'state-get',
    request: () => modernCall,
    isCorrect: isEchoResult,
  },
  {
    name: 'state-update',
    title: 'modern `tools/call` that compares and swaps the value of a state handle',
    entry: 'state-update',
    request: () => modernCall,
    isCorrect: isEchoResult,
  },
  {
    name: 'stateless-call',
    title: '2025 `tools/call`, no session, 1 tool',
    entry: 'one-tool',
    request: ({ sessionRevision }) => statelessCall(sessionRevision),
    isCorrect: isEchoResult,
  },
  {
    name: 'stateless-initialize',
    title: '`initialize`, no session, 1 tool',
    entry: 'one-tool',
    request: ({ sessionRevision }) => initialize(sessionRevision),
    isCorrect: isInitializeResult,
  },
  {
    name: 'list',
    title: 'modern `tools/list`, 100 tools',
    entry: 'hundred-tools',
    request: () => modernList,
    isCorrect: isListOfHundredTools,
  },
  {
    name: 'initialize',
    title: '`initialize`, a new session each, 1 tool',
    entry: 'session-one-tool',
    needsOwnServer: true,
    request: ({ sessionRevision }) => initialize(sessionRevision),
    isCorrect: isInitializeResult,
  },
  {
    name: 'session-call',
    title: '`tools/call` in a session, 1 tool',
    entry: 'session-one-tool',
    needsSession: true,
    request: ({ sessionRevision }, { sessionId }) => sessionCall(sessionRevision, sessionId),
    isCorrect: isEchoResult,
  },
  {
    name: 'session-list',
    title: '`tools/list` in a session, 100 tools',
    entry: 'session-hundred-tools',
    needsSession: true,
    request: ({ sessionRevision }, { sessionId }) => sessionList(sessionRevision, sessionId),
    isCorrect: isListOfHundredTools,
  },
  {
    name: 'task',
    title: 'create and finish a task of 1 step',
    entry: 'task',
    needsOwnServer: true,
    // Its principal, and the session that experimental tasks need.
    needsTask: true,
    request: ({ hasExperimentalTasks, sessionRevision }, { sessionId, principal }) =>
      hasExperimentalTasks
        ? sessionTask(sessionRevision, sessionId, 'work')
        : modernTask('work', principal),
    isCorrect: (result) => taskIdOf(result) !== undefined,
  },
  {
    name: 'task-get',
    title: '`tasks/get` of a task that waits',
    entry: 'task',
    needsTask: true,
    request: ({ hasExperimentalTasks, sessionRevision }, { sessionId, principal, taskId }) =>
      hasExperimentalTasks
        ? sessionTaskGet(sessionRevision, sessionId, taskId)
        : modernTaskGet(taskId, principal),
    isCorrect: ({ taskId, status }) => typeof taskId === 'string' && status === 'working',
  },
  {
    name: 'authorized-call',
    title: 'modern `tools/call`, 1 tool, with an access token',
    entry: 'authorized',
    needsTokens: true,
    request: (_, { accessToken }) => authorizedCall(accessToken),
    isCorrect: isEchoResult,
  },
  {
    name: 'connected-call',
    title: 'modern `tools/call` that takes the token of a connected account',
    entry: 'connected',
    needsTokens: true,
    needsAccount: true,
    request: (_, { accessToken }) => authorizedCall(accessToken),
    isCorrect: ({ isError, content }) =>
      isError !== true && JSON.stringify(content).includes('hello'),
  },
  {
    name: 'token',
    title: '`/token`, client credentials',
    entry: 'authorized',
    request: () => clientCredentials,
    isCorrect: isTokenResponse,
  },
  {
    name: 'refresh',
    title: '`/token`, refresh token',
    entry: 'authorized',
    needsTokens: true,
    request: (_, { clientId, refreshToken }) => refresh(clientId, refreshToken),
    next: refresh,
    isCorrect: (body) => isTokenResponse(body) && typeof body.refresh_token === 'string',
  },
  {
    name: 'register',
    title: '`/register`, a public client',
    entry: 'authorized',
    request: () => register,
    isCorrect: ({ client_id, redirect_uris }) =>
      typeof client_id === 'string' &&
      client_id !== '' &&
      JSON.stringify(redirect_uris) === JSON.stringify(REDIRECT_URIS),
  },
]

function isTokenResponse(body: Readonly<Record<string, unknown>>): boolean {
  const { access_token, token_type, scope } = body
  const isSigned = typeof access_token === 'string' && access_token.split('.').length === 3
  return isSigned && token_type === 'Bearer' && scope === 'read'
}

function isEchoResult({ content, isError }: Readonly<Record<string, unknown>>): boolean {
  return isError !== true && JSON.stringify(content) === '[{"type":"text","text":"hello"}]'
}

function isInitializeResult(
  { protocolVersion, serverInfo }: Readonly<Record<string, unknown>>,
  { sessionRevision }: Lane,
): boolean {
  return (
    protocolVersion === sessionRevision && JSON.stringify(serverInfo)?.includes('"bench"') === true
  )
}

function isListOfHundredTools({ tools }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(tools) && tools.length === 100 && tools.every(isComplete)
}

function isComplete(tool: Readonly<Record<string, unknown>>): boolean {
  const schema = tool.inputSchema as { type?: unknown; properties?: object } | undefined
  return (
    typeof tool.name === 'string' &&
    typeof tool.description === 'string' &&
    schema?.type === 'object' &&
    Object.keys(schema.properties ?? {}).length > 0
  )
}
