/** Defects of sessions. */
import { withAnswer } from '../defects.ts'
import { type Defect, json } from '../reference-server.ts'
import { type Row, rejectsModern, WITH_SESSION } from './row.ts'

const unknownSession = json(
  { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } },
  404,
)

const WITH_LAST_ID = ['VS Code', 'Cursor', 'Gemini CLI', 'Inspector']

/** Sends another session id with each response to POST, and refuses some ids. */
function withNewIds(isRefused: (id: string) => boolean): Defect {
  let responses = 0
  return (request, next) => {
    const id = request.headers['mcp-session-id']
    if (request.method !== 'POST') return next()
    if (typeof id === 'string' && isRefused(id)) return unknownSession
    // The reference server serves a request without an id.
    delete request.headers['mcp-session-id']
    const answer = next()
    const newId = `${++responses}-${request.json.method}`
    return answer && { ...answer, headers: { ...answer.headers, 'mcp-session-id': newId } }
  }
}

export const SESSION_ROWS: readonly Row[] = [
  {
    fault: 'session-id-invalid',
    when: 'the session id has a space',
    defect: (request, next) => {
      const isInitialize = request.json.method === 'initialize'
      if (request.headers['mcp-session-id'] === 'session 1') {
        delete request.headers['mcp-session-id']
      }
      const answer = next()
      const headers = { ...answer?.headers, 'mcp-session-id': 'session 1' }
      return isInitialize && answer !== undefined ? { ...answer, headers } : answer
    },
    at: WITH_SESSION,
    fix: /UUID/,
  },
  {
    fault: 'session-not-found-at-once',
    when: 'sessions are not shared between processes',
    defect: (request, next) =>
      request.headers['mcp-session-id'] !== undefined && request.json.method === 'tools/list'
        ? json(
            { jsonrpc: '2.0', id: 1, error: { code: -32001, message: 'Session not found' } },
            404,
          )
        : next(),
    breaks: WITH_SESSION,
    fix: /every process/,
  },
  {
    fault: 'session-required',
    when: 'a request without a session id is refused',
    defect: (request, next) =>
      rejectsModern(
        request,
        () =>
          request.json.method === 'tools/list' && request.headers['mcp-session-id'] === undefined
            ? json(
                { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'No session' } },
                400,
              )
            : next(),
        '',
      ) as ReturnType<typeof next>,
    at: ['Claude (web)', 'Claude Desktop'],
    fix: /without Mcp-Session-Id/,
  },
  {
    fault: 'session-lost-not-404',
    when: 'a request of an ended session is answered with 400',
    defect: (request, next) => {
      const answer = next()
      return answer?.status === 404 && request.path === '/mcp' ? { ...answer, status: 400 } : answer
    },
    at: WITH_SESSION,
    fix: /404/,
  },
  {
    fault: 'session-lost-not-404',
    when: 'sessions cannot be ended and an unknown one is answered with 400',
    defect: (request, next) => {
      if (request.method === 'DELETE') return json({ error: 'no' }, 405, { allow: 'GET, POST' })
      const answer = next()
      return answer?.status === 404 && request.path === '/mcp' ? { ...answer, status: 400 } : answer
    },
    at: WITH_SESSION,
    fix: /404/,
  },
  {
    fault: 'error-not-json',
    when: 'an unknown session is answered with text',
    defect: withAnswer('/mcp', (answer) =>
      answer.status === 404 && String(answer.body).includes('Session')
        ? { ...answer, body: 'Session not found' }
        : answer,
    ),
    breaks: ['Codex'],
    fix: /JSON-RPC error/,
  },
  {
    fault: 'session-not-found-at-once',
    when: 'no request but initialize finds the session',
    defect: (request, next) =>
      request.headers['mcp-session-id'] === undefined ? next() : unknownSession,
    breaks: WITH_SESSION,
    fix: /every process/,
  },
  {
    fault: 'session-id-changed',
    when: 'every response has a new session id and every id is accepted',
    defect: withNewIds(() => false),
    at: WITH_LAST_ID,
    fix: /once, in the response to initialize/,
  },
  {
    fault: 'session-id-replaced',
    when: 'every response has a new session id and only that of initialize is accepted',
    defect: withNewIds((id) => !id.endsWith('initialize')),
    breaks: WITH_LAST_ID,
    fix: /accept it until the session ends/,
  },
  {
    fault: 'session-id-replaced',
    when: 'every response has a new session id and that of initialize is accepted once',
    defect: (() => {
      const used = new Set<string>()
      return withNewIds((id) => used.size === used.add(id).size)
    })(),
    breaks: WITH_SESSION,
    fix: /accept it until the session ends/,
  },
]
