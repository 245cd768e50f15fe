/** What is asked of a server, and what a right answer to it is. */
import type { Definition, Lane, WorkName } from '../lanes/lane.ts'
import { clientCredentials, REDIRECT_URIS, refresh, register } from '../load/oauth-request.ts'
import {
  authorizedCall,
  initialize,
  type LoadRequest,
  modernAsk,
  modernAskAnswered,
  modernCall,
  modernList,
  sessionCall,
  sessionList,
  statelessCall,
} from '../load/request.ts'
import type { Admission, Needs } from './admission.ts'

export interface Work extends Needs {
  readonly name: WorkName
  readonly title: string
  readonly definition: Definition
  /** It leaves so much behind that no other work shares its server. */
  readonly needsOwnServer?: true
  readonly request: (lane: Lane, admission: Admission) => LoadRequest
  /** The second round of a work that is asked something: both are one unit. */
  readonly retry?: (requestState: string) => LoadRequest
  /** The next request of a connection, where it needs the refresh token that the last one gave. */
  readonly next?: (clientId: string, refreshToken: string) => LoadRequest
  /** Whether the result is what was asked for. */
  readonly isRight: (result: Readonly<Record<string, unknown>>, lane: Lane) => boolean
}

export const WORKS: readonly Work[] = [
  {
    name: 'call',
    title: 'modern `tools/call`, 1 tool',
    definition: 'one-tool',
    request: () => modernCall,
    isRight: saysHello,
  },
  {
    name: 'call-100',
    title: 'modern `tools/call`, 100 tools',
    definition: 'hundred-tools',
    request: () => modernCall,
    isRight: saysHello,
  },
  {
    name: 'ask',
    title: 'modern `tools/call` that asks once, both rounds',
    definition: 'asking',
    request: () => modernAsk,
    retry: modernAskAnswered,
    isRight: saysHello,
  },
  {
    name: 'stateless-call',
    title: '2025 `tools/call`, no session, 1 tool',
    definition: 'one-tool',
    request: ({ sessionRevision }) => statelessCall(sessionRevision),
    isRight: saysHello,
  },
  {
    name: 'stateless-initialize',
    title: '`initialize`, no session, 1 tool',
    definition: 'one-tool',
    request: ({ sessionRevision }) => initialize(sessionRevision),
    isRight: introducesItself,
  },
  {
    name: 'list',
    title: 'modern `tools/list`, 100 tools',
    definition: 'hundred-tools',
    request: () => modernList,
    isRight: listsHundred,
  },
  {
    name: 'initialize',
    title: '`initialize`, a new session each, 1 tool',
    definition: 'session-one-tool',
    needsOwnServer: true,
    request: ({ sessionRevision }) => initialize(sessionRevision),
    isRight: introducesItself,
  },
  {
    name: 'session-call',
    title: '`tools/call` on a session, 1 tool',
    definition: 'session-one-tool',
    needsSession: true,
    request: ({ sessionRevision }, { sessionId }) => sessionCall(sessionRevision, sessionId),
    isRight: saysHello,
  },
  {
    name: 'session-list',
    title: '`tools/list` on a session, 100 tools',
    definition: 'session-hundred-tools',
    needsSession: true,
    request: ({ sessionRevision }, { sessionId }) => sessionList(sessionRevision, sessionId),
    isRight: listsHundred,
  },
  {
    name: 'authorized-call',
    title: 'modern `tools/call`, 1 tool, with an access token',
    definition: 'authorized',
    needsTokens: true,
    request: (_, { accessToken }) => authorizedCall(accessToken),
    isRight: saysHello,
  },
  {
    name: 'token',
    title: '`/token`, client credentials',
    definition: 'authorized',
    request: () => clientCredentials,
    isRight: (body) => isTokenAnswer(body),
  },
  {
    name: 'refresh',
    title: '`/token`, refresh token',
    definition: 'authorized',
    needsTokens: true,
    request: (_, { clientId, refreshToken }) => refresh(clientId, refreshToken),
    next: refresh,
    isRight: (body) => isTokenAnswer(body) && typeof body.refresh_token === 'string',
  },
  {
    name: 'register',
    title: '`/register`, a public client',
    definition: 'authorized',
    request: () => register,
    isRight: ({ client_id, redirect_uris }) =>
      typeof client_id === 'string' &&
      client_id !== '' &&
      JSON.stringify(redirect_uris) === JSON.stringify(REDIRECT_URIS),
  },
]

function isTokenAnswer(body: Readonly<Record<string, unknown>>): boolean {
  const { access_token, token_type, scope } = body
  const isSigned = typeof access_token === 'string' && access_token.split('.').length === 3
  return isSigned && token_type === 'Bearer' && scope === 'read'
}

function saysHello({ content, isError }: Readonly<Record<string, unknown>>): boolean {
  return isError !== true && JSON.stringify(content) === '[{"type":"text","text":"hello"}]'
}

function introducesItself(
  { protocolVersion, serverInfo }: Readonly<Record<string, unknown>>,
  { sessionRevision }: Lane,
): boolean {
  return (
    protocolVersion === sessionRevision && JSON.stringify(serverInfo)?.includes('"bench"') === true
  )
}

function listsHundred({ tools }: Readonly<Record<string, unknown>>): boolean {
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
