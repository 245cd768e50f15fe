/** The requests of the page to the MCP endpoint. */
import { describe, expect, it } from 'vitest'
import { SignInRequired, sendRequest } from '../../../page/client/endpoint.ts'
import { forgetTokens, rememberTokens, tokens } from '../../../page/client/tokens.ts'
import { challenge, type McpRequest, playServer } from '../support/played-server.ts'

const META = 'io.modelcontextprotocol/'

const open = (resultOf: (request: McpRequest) => unknown = () => ({ ok: true })) =>
  playServer({ resultOf })

async function sent(method: string, params: object, options = {}) {
  const { calls } = open()
  await sendRequest('/mcp', method, { ...params }, options)
  return calls[0] as McpRequest
}

describe('a request to the endpoint', () => {
  it('returns the result, and names its revision and its method in headers', async () => {
    const { calls } = open()
    expect(await sendRequest('/acme/mcp', 'tools/list', {})).toEqual({ ok: true })
    const [call] = calls
    expect(call?.path).toBe('/acme/mcp')
    expect(call?.headers.get('mcp-protocol-version')).toBe('2026-07-28')
    expect(call?.headers.get('mcp-method')).toBe('tools/list')
    expect(call?.headers.get('accept')).toBe('application/json, text/event-stream')
    expect(call?.headers.has('mcp-name')).toBe(false)
    expect(call?.headers.has('authorization')).toBe(false)
  })

  it('says what the page is and what it can do', async () => {
    const { params } = await sent('ping', { a: 1 })
    expect(params).toEqual({
      a: 1,
      _meta: {
        [`${META}protocolVersion`]: '2026-07-28',
        [`${META}clientInfo`]: {
          name: 'edgeway-inspector',
          title: 'Edgeway inspector',
          version: '1.0.0',
        },
        [`${META}clientCapabilities`]: {
          elicitation: { form: {}, url: {} },
          sampling: {},
          roots: {},
          extensions: {
            [`${META}tasks`]: {},
            [`${META}ui`]: { mimeTypes: ['text/html;profile=mcp-app'] },
          },
        },
      },
    })
  })

  it('asks for progress and log messages where they are shown', async () => {
    const { id, params } = await sent('ping', {}, { onNotification: () => undefined })
    expect(params._meta).toMatchObject({ progressToken: id, [`${META}logLevel`]: 'debug' })
  })

  it.each([
    [{ name: 'echo' }, 'echo'],
    [{ uri: 'note://a' }, 'note://a'],
    [{ taskId: 't1' }, 't1'],
    [{ name: 7 }, null],
  ])('with %j has the name %s', async (params, name) => {
    expect((await sent('x', params)).headers.get('mcp-name')).toBe(name)
  })

  it('has another id than the one before', async () => {
    const { calls } = open()
    await sendRequest('/mcp', 'a', {})
    await sendRequest('/mcp', 'b', {})
    expect(Number(calls[1]?.id) - Number(calls[0]?.id)).toBe(1)
  })
})

describe('a request that needs a sign-in', () => {
  const HEADER = 'Bearer error="insufficient_scope", scope="write"'

  it.each([
    [401, 'Bearer', 'Bearer'],
    [403, HEADER, HEADER],
  ])('is refused with the challenge of a %i', async (status, header, expected) => {
    open(() => challenge(status, header))
    const error = await sendRequest('/mcp', 'ping', {}).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SignInRequired)
    expect((error as SignInRequired).challenge).toBe(expected)
  })

  it('may have no challenge', async () => {
    open(() => new Response(null, { status: 401 }))
    await expect(sendRequest('/mcp', 'ping', {})).rejects.toMatchObject({ challenge: '' })
  })

  it.each(['Bearer error="invalid_token"', undefined])(
    'is none that is refused with a 403 and the challenge %s',
    async (header) => {
      const headers: Record<string, string> = header ? { 'www-authenticate': header } : {}
      open(() => new Response(null, { status: 403, headers }))
      await expect(sendRequest('/mcp', 'ping', {})).rejects.toMatchObject({ name: 'McpError' })
    },
  )

  it('keeps a token that lacks a scope', async () => {
    rememberTokens({ accessToken: 'a' })
    open(() => challenge(403, HEADER))
    await expect(sendRequest('/mcp', 'ping', {})).rejects.toThrow(SignInRequired)
    expect(tokens.value).toEqual({ accessToken: 'a' })
  })
})

describe('a token that the endpoint refuses', () => {
  const RENEWAL = {
    refreshToken: 'r1',
    clientId: 'c1',
    tokenEndpoint: new URL('/token', location.origin).href,
    resource: 'https://server.example/mcp',
  }
  const STORED = { accessToken: 'old', renewal: RENEWAL }

  /** The endpoint accepts the token `new` alone. */
  function openProtected(token: unknown) {
    const grants: string[] = []
    const answerToken = async (request: Request) => {
      grants.push(await request.text())
      return token
    }
    const recorded = playServer({
      answers: { '/token': answerToken },
      resultOf: ({ headers }) =>
        headers.get('authorization') === 'Bearer new' ? { ok: true } : challenge(401, 'Bearer'),
    })
    return { ...recorded, grants }
  }

  it('is renewed, and the request is sent again', async () => {
    rememberTokens(STORED)
    const { calls, grants } = openProtected({ access_token: 'new', refresh_token: 'r2' })
    expect(await sendRequest('/mcp', 'ping', {})).toEqual({ ok: true })
    expect(calls.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer old',
      'Bearer new',
    ])
    expect(Object.fromEntries(new URLSearchParams(grants[0]))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'r1',
      client_id: 'c1',
      resource: RENEWAL.resource,
    })
    const renewed = { accessToken: 'new', renewal: { ...RENEWAL, refreshToken: 'r2' } }
    expect(tokens.value).toEqual(renewed)
    expect(JSON.parse(sessionStorage.getItem('edgeway-inspector-tokens') ?? '')).toEqual(renewed)
  })

  it('keeps its refresh token where the answer has no other', async () => {
    rememberTokens(STORED)
    openProtected({ access_token: 'new' })
    await sendRequest('/mcp', 'ping', {})
    expect(tokens.value?.renewal?.refreshToken).toBe('r1')
  })

  it('is renewed once for requests at the same time', async () => {
    rememberTokens(STORED)
    const { grants } = openProtected({ access_token: 'new' })
    await Promise.all([sendRequest('/mcp', 'a', {}), sendRequest('/mcp', 'b', {})])
    expect(grants).toHaveLength(1)
  })

  it('is renewed again when the next one is refused', async () => {
    rememberTokens(STORED)
    const { grants } = openProtected({ access_token: 'new' })
    await sendRequest('/mcp', 'a', {})
    rememberTokens(STORED)
    await sendRequest('/mcp', 'b', {})
    expect(grants).toHaveLength(2)
  })

  it.each([
    ['has no refresh token', { accessToken: 'old' }, 400],
    ['has a refresh token that has ended', STORED, new Response('{}', { status: 400 })],
  ])('is forgotten where it %s', async (_, stored, token) => {
    rememberTokens(stored)
    openProtected(token)
    await expect(sendRequest('/mcp', 'ping', {})).rejects.toThrow(SignInRequired)
    expect(tokens.value).toBeUndefined()
    expect(sessionStorage.getItem('edgeway-inspector-tokens')).toBeNull()
  })

  it.each([429, 500, 503])('is kept where it may be renewed later: %i', async (status) => {
    rememberTokens(STORED)
    openProtected(status)
    await expect(sendRequest('/mcp', 'ping', {})).rejects.toThrow(
      `The token endpoint refused: ${status}`,
    )
    expect(tokens.value).toEqual(STORED)
  })

  it('is forgotten where the renewed one is refused too', async () => {
    rememberTokens(STORED)
    const { calls } = openProtected({ access_token: 'other' })
    await expect(sendRequest('/mcp', 'ping', {})).rejects.toThrow(SignInRequired)
    expect([calls.length, tokens.value]).toEqual([2, undefined])
  })

  it('was replaced meanwhile: the request is sent with the one of now', async () => {
    rememberTokens(STORED)
    const { calls, grants } = openProtected({ access_token: 'unused' })
    const sending = sendRequest('/mcp', 'ping', {})
    rememberTokens({ accessToken: 'new' })
    expect(await sending).toEqual({ ok: true })
    expect([calls.length, grants]).toEqual([2, []])
    forgetTokens()
  })
})
