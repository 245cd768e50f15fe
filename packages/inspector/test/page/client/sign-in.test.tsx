/** The sign-in of the page at the authorization server of its endpoint, and the return from it. */
import { render, screen, waitFor } from '@testing-library/preact'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { completeSignIn } from '../../../page/client/sign-in.ts'
import { rememberTokens, tokens } from '../../../page/client/tokens.ts'
import { SignIn } from '../../../page/try/sign-in.tsx'
import { press, textOf, type } from '../support/controls.ts'
import { challenge, type McpRequest, never, playServer } from '../support/played-server.ts'
import { callsOf, openTry, resultsOf } from '../try/open-try.tsx'

const { origin } = location
const REQUEST = {
  endpoint: '/mcp',
  method: 'tools/call',
  params: { name: 'make', arguments: { text: 'twice' } },
  values: { text: 'twice' },
}
const INSUFFICIENT = 'Bearer error="insufficient_scope", scope="read write"'

const RESOURCE = { resource: `${origin}/mcp`, authorization_servers: [origin] }
const SERVER = {
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  code_challenge_methods_supported: ['S256'],
}

type Answers = NonNullable<Parameters<typeof playServer>[0]['answers']>

function playAuthorization(answers: Answers = {}, results: object = {}) {
  return playServer({
    answers: {
      '/.well-known/oauth-protected-resource/mcp': RESOURCE,
      '/.well-known/oauth-authorization-server': SERVER,
      '/register': { client_id: 'c1' },
      '/token': { access_token: 't1', refresh_token: 'r1' },
      ...answers,
    },
    resultOf: resultsOf({ ...results }),
  })
}

let left: string[]

beforeEach(() => {
  left = []
  sessionStorage.clear()
  vi.spyOn(location, 'assign').mockImplementation((url) => void left.push(String(url)))
})

const open = (header = 'Bearer', request?: typeof REQUEST) =>
  render(<SignIn endpoint="/mcp" challenge={header} request={request} />)

const heading = () => textOf(screen.getByRole('heading', { level: 2 }))

describe('the sign-in', () => {
  it.each([
    ['Bearer', undefined, 'Sign in', /^The endpoint requires a token/, 'Sign in'],
    ['', undefined, 'Sign in', /^The endpoint requires a token/, 'Sign in'],
    ['Bearer error="invalid_token", scope="x"', undefined, 'Sign in', /requires/, 'Sign in'],
    [
      INSUFFICIENT,
      undefined,
      'Consent to more',
      /^This request needs read write, which your token does not have\.$/,
      'Consent',
    ],
    [INSUFFICIENT, REQUEST, 'Consent to more', /It is sent again when/, 'Consent'],
  ])('for the challenge %j says what is missing', (header, request, title, text, button) => {
    open(header, request)
    expect(heading()).toBe(title)
    expect(textOf(document.querySelector('.sign-in p'))).toMatch(text)
    expect(screen.getByRole('button', { name: button })).toBeTruthy()
  })

  it('registers the page, and leaves it for the page of the server', async () => {
    const bodies: unknown[] = []
    playAuthorization({
      '/register': async (request: Request) => {
        bodies.push(await request.json())
        return { client_id: 'c1' }
      },
    })
    open(INSUFFICIENT)
    press('Consent')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Signing in…' }).disabled).toBe(
      true,
    )
    await waitFor(() => expect(left).toHaveLength(1))
    expect(bodies).toMatchObject([
      {
        client_name: 'Edgeway inspector',
        redirect_uris: [`${origin}/inspect/callback`],
        application_type: 'native',
      },
    ])
    const url = new URL(left[0] ?? '')
    expect(url.pathname).toBe('/authorize')
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'c1',
      redirect_uri: `${origin}/inspect/callback`,
      resource: `${origin}/mcp`,
      scope: 'read write',
    })
  })

  it.each<[string, Answers, string | RegExp]>([
    [
      'the server is another one',
      {
        '/.well-known/oauth-protected-resource/mcp': {
          ...RESOURCE,
          authorization_servers: ['https://login.example'],
        },
      },
      'The authorization server is at https://login.example. This page may connect to its own server alone: get an access token there and enter it here.',
    ],
    ['a refused registration', { '/register': 403 }, 'The registration endpoint refused: 403'],
    ['a fault', { '/register': new TypeError('fetch failed') }, 'fetch failed'],
  ])('that fails says why: %s', async (_, answers, text) => {
    playAuthorization(answers)
    open()
    press('Sign in')
    expect(textOf(await screen.findByRole('alert'))).toBe(`The sign-in failed${text}`)
    expect(left).toEqual([])
    expect(sessionStorage.length).toBe(0)
    playAuthorization({ '/register': never })
    press('Sign in')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('reads no metadata of another origin', async () => {
    const { requested } = playAuthorization({ '/.well-known/oauth-protected-resource/mcp': 404 })
    open('Bearer resource_metadata="https://other.example/metadata"')
    press('Sign in')
    expect(textOf(await screen.findByRole('alert'))).toContain(
      `The metadata is at https://other.example/metadata, and this page is at ${origin}.`,
    )
    expect(requested.every((each) => each.startsWith('GET /.well-known/'))).toBe(true)
  })
})

describe('the return from a sign-in', () => {
  async function leave(request?: typeof REQUEST) {
    playAuthorization()
    history.replaceState(null, '', '/inspect#/try/tools/make')
    open('Bearer', request)
    press('Sign in')
    await waitFor(() => expect(left).toHaveLength(1))
    return new URL(left[0] ?? '').searchParams.get('state')
  }
  const returnWith = (query: string) => {
    history.replaceState(null, '', `/inspect/callback?${query}`)
    return completeSignIn()
  }

  it('stores the tokens, and restores the address without the code', async () => {
    const state = await leave()
    expect(await returnWith(`code=abc&state=${state}`)).toBe(true)
    expect(location.href).toBe(`${origin}/inspect#/try/tools/make`)
    expect(tokens.value).toEqual({
      accessToken: 't1',
      renewal: {
        refreshToken: 'r1',
        clientId: 'c1',
        tokenEndpoint: `${origin}/token`,
        resource: `${origin}/mcp`,
      },
    })
  })

  it('sends the request that needed it again, once, with its form as it was', async () => {
    const state = await leave(REQUEST)
    const properties = { text: { type: 'string' } }
    await returnWith(`code=abc&state=${state}`)
    const { calls } = openTry({
      path: '/tools/make',
      results: {
        'server/discover': { capabilities: { tools: {} } },
        'tools/list': { tools: [{ name: 'make', inputSchema: { type: 'object', properties } }] },
      },
    })
    await screen.findByText(/^Done/)
    expect(callsOf({ calls }, 'tools/call').map(({ params }) => params.arguments)).toEqual([
      { text: 'twice' },
    ])
    expect(screen.getByLabelText<HTMLTextAreaElement>('text').value).toBe('twice')
  })

  it.each([
    ['another state', 'code=abc&state=other'],
    ['an error', 'error=access_denied'],
  ])('with %s stores no token', async (_, query) => {
    const state = await leave()
    await expect(returnWith(query.replace(/^error/, `state=${state}&error`))).rejects.toThrow()
    expect(tokens.value).toBeUndefined()
    expect(location.search).toBe('')
  })

  it('that was begun by another page stores no token', async () => {
    await expect(returnWith('code=stolen&state=x')).rejects.toThrow('begun by another page')
    expect(location.href).toBe(`${origin}/inspect`)
  })

  it('is used once', async () => {
    const state = await leave()
    await returnWith(`code=abc&state=${state}`)
    await expect(returnWith(`code=abc&state=${state}`)).rejects.toThrow('begun by another page')
  })

  it('is none at another address', async () => {
    history.replaceState(null, '', '/inspect?code=abc')
    expect(await completeSignIn()).toBe(false)
    expect(location.search).toBe('?code=abc')
  })
})

describe('an endpoint that requires a token', () => {
  const isAllowed = ({ headers }: McpRequest) => headers.get('authorization') === 'Bearer key'
  const openProtected = () =>
    openTry({
      results: {
        'server/discover': (request: McpRequest) =>
          isAllowed(request) ? { capabilities: {} } : challenge(401, 'Bearer'),
      },
    })

  it('takes one that the person has, and forgets it on sign-out', async () => {
    openProtected()
    await screen.findByRole('heading', { name: 'Sign in' })
    expect(screen.queryByRole('button', { name: 'Sign out' })).toBeNull()
    type('Access token or API key', ' key ')
    press('Use it')
    await screen.findByText('server/discover')
    expect(tokens.value).toEqual({ accessToken: 'key' })
    press('Sign out')
    await screen.findByRole('heading', { name: 'Sign in' })
    expect(tokens.value).toBeUndefined()
  })

  it('asks for a sign-in during a call, and keeps the call', async () => {
    rememberTokens({ accessToken: 'key' })
    openTry({
      path: '/tools/make',
      results: {
        'server/discover': { capabilities: { tools: {} } },
        'tools/list': { tools: [{ name: 'make' }] },
        'tools/call': () => challenge(403, INSUFFICIENT),
      },
    })
    await screen.findByRole('heading', { level: 2, name: 'make' })
    press('Call the tool')
    await screen.findByText('Sign in to continue')
    expect(screen.getByRole('heading', { name: 'Consent to more' })).toBeTruthy()
    expect(screen.getByText(/It is sent again when you have consented/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Cancel the call' })).toBeNull()
  })
})
