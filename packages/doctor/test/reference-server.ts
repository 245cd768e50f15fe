/**
 * A correct MCP server in plain Node, of both eras, with sessions, and on demand with its own
 * authorization server that approves at once. A defect changes the answer to some requests.
 */
import { randomUUID } from 'node:crypto'
import {
  type Answer,
  CALL_RESULT,
  CORS,
  type Defect,
  html,
  json,
  type PlantedRequest,
  TOOL,
} from '../../faults/test/planted/plant.ts'
import { type Handler, startHttpServer, type TestServer } from './http-server.ts'

export interface ReferenceOptions {
  readonly isProtected?: boolean
  readonly defect?: Defect
}

export interface ReferenceServer extends TestServer {
  readonly url: string
}

export async function startReferenceServer({
  isProtected = false,
  defect = (_, next) => next(),
}: ReferenceOptions = {}): Promise<ReferenceServer> {
  const answer = createAnswer(isProtected)
  const handle: Handler = (request, origin) =>
    defect(request, () => answer(request, origin), origin)
  const server = await startHttpServer(handle)
  return { ...server, url: `${server.origin}/mcp` }
}

const PREFLIGHT: Answer = {
  status: 204,
  headers: {
    ...CORS,
    'access-control-allow-methods': 'GET, POST, DELETE, OPTIONS',
    'access-control-allow-headers':
      'authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name',
  },
}

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

function createAnswer(isProtected: boolean) {
  const sessions = new Set<string>()
  const tokens = new Set<string>()
  const clients = new Map<string, readonly string[]>()

  const rpc = ({ headers, json: message }: PlantedRequest): Answer => {
    const { id, method, params } = message as {
      id?: unknown
      method?: string
      params?: { protocolVersion?: string; _meta?: object }
    }
    const result = (value: object, more = {}) =>
      json({ jsonrpc: '2.0', id, result: value }, 200, more)
    const error = (status: number, code: number, text: string) =>
      json({ jsonrpc: '2.0', id: id ?? null, error: { code, message: text } }, status)
    const isModern = params?._meta !== undefined
    const sessionId = headers['mcp-session-id']
    if (method === 'initialize') {
      const asked = params?.protocolVersion ?? ''
      const session = randomUUID()
      sessions.add(session)
      const value = {
        protocolVersion: VERSIONS.includes(asked) ? asked : VERSIONS[0],
        capabilities: { tools: {} },
        serverInfo: { name: 'reference', version: '1.0.0' },
      }
      return result(value, { 'mcp-session-id': session })
    }
    if (typeof sessionId === 'string' && !sessions.has(sessionId)) {
      return error(404, -32001, 'Session not found')
    }
    if (id === undefined) return { status: 202, headers: CORS }
    const complete = isModern ? { resultType: 'complete' } : {}
    const cached = isModern ? { ttlMs: 0, cacheScope: 'private' } : {}
    switch (method) {
      case 'server/discover':
        return result({
          ...complete,
          ...cached,
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {} },
        })
      case 'tools/list':
        return result({ ...complete, ...cached, tools: [TOOL] })
      case 'tools/call':
        return result({ ...complete, ...CALL_RESULT })
      default:
        return error(isModern ? 404 : 200, -32601, 'Method not found')
    }
  }

  const endpoint = (request: PlantedRequest, origin: string): Answer => {
    const { method, headers } = request
    if (method === 'OPTIONS') return PREFLIGHT
    const token = headers.authorization?.replace('Bearer ', '') ?? ''
    if (isProtected && !tokens.has(token)) {
      const url = `${origin}/.well-known/oauth-protected-resource/mcp`
      const error = { code: -32600, message: 'Unauthorized' }
      const challenge = { 'www-authenticate': `Bearer resource_metadata="${url}"` }
      return json({ jsonrpc: '2.0', id: null, error }, 401, challenge)
    }
    switch (method) {
      case 'POST':
        return rpc(request)
      case 'DELETE':
        sessions.delete(String(headers['mcp-session-id']))
        return { status: 200, headers: CORS }
      case 'GET':
        return {
          status: 200,
          headers: { 'content-type': 'text/event-stream', ...CORS },
          stream: (response) => void response.write(': open\n\n'),
        }
      default:
        return json({}, 405, { allow: 'GET, POST, DELETE, OPTIONS' })
    }
  }

  const authorization = (request: PlantedRequest, origin: string): Answer | undefined => {
    const { path, query, headers, body, json: value } = request
    switch (path) {
      case '/.well-known/oauth-protected-resource/mcp':
        return json({
          resource: `${origin}/mcp`,
          authorization_servers: [origin],
          scopes_supported: ['read'],
        })
      case '/.well-known/oauth-authorization-server':
        return json({
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ['code'],
          grant_types_supported: ['authorization_code', 'refresh_token'],
          code_challenge_methods_supported: ['S256'],
          token_endpoint_auth_methods_supported: ['none'],
          authorization_response_iss_parameter_supported: true,
        })
      case '/register': {
        const clientId = randomUUID()
        clients.set(clientId, (value.redirect_uris as string[] | undefined) ?? [])
        return json({ ...value, client_id: clientId }, 201)
      }
      case '/authorize': {
        const redirectUri = query.get('redirect_uri') ?? ''
        if (!clients.get(query.get('client_id') ?? '')?.includes(redirectUri)) {
          return html(400, 'Unknown client')
        }
        const target = new URL(redirectUri)
        target.searchParams.set('code', randomUUID())
        target.searchParams.set('state', query.get('state') ?? '')
        target.searchParams.set('iss', origin)
        return { status: 302, headers: { location: target.href } }
      }
      case '/token': {
        const grant = new URLSearchParams(body)
        const [basicId = ''] = atob(headers.authorization?.replace('Basic ', '') ?? '').split(':')
        if (!clients.has(grant.get('client_id') ?? basicId)) {
          return json({ error: 'invalid_client' }, 401)
        }
        const token = randomUUID()
        tokens.add(token)
        return json({
          access_token: token,
          token_type: 'Bearer',
          expires_in: 86_400,
          refresh_token: grant.get('refresh_token') ?? randomUUID(),
          scope: 'read',
        })
      }
    }
  }

  return (request: PlantedRequest, origin: string): Answer | undefined => {
    if (request.path === '/mcp') return endpoint(request, origin)
    const answer = isProtected ? authorization(request, origin) : undefined
    return answer ?? json({ error: 'not_found' }, 404)
  }
}
