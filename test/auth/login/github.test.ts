/** Sign-in with GitHub. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createGitHubLogin, type GitHubOptions } from '../../../src/auth/login/github.ts'
import { LoginError } from '../../../src/auth/login/login-error.ts'
import { CHALLENGE, NOW, REQUEST } from './upstream.ts'

const TOKEN = 'https://github.com/login/oauth/access_token'
const USER = 'https://api.github.com/user'
const REFUSED = 'Signing in with GitHub did not succeed. Please try again.'
const NOT_WORKING = 'Signing in with GitHub is not possible at the moment. Please try again later.'

let received: { readonly url: string; readonly init: RequestInit }[]
let answers: Record<string, () => Response>

beforeEach(() => {
  received = []
  answers = {
    [TOKEN]: () => Response.json({ access_token: 'gho_1', token_type: 'bearer', scope: '' }),
    [USER]: () => Response.json({ id: 583231, login: 'octocat', name: 'Mona', email: null }),
  }
})

const platform = {
  now: () => NOW,
  fetch: async (url: string, init: RequestInit) => {
    received.push({ url, init })
    return answers[url]?.() ?? new Response(null, { status: 404 })
  },
}

const login = (options: Partial<GitHubOptions> = {}) =>
  createGitHubLogin({ clientId: 'client-1', clientSecret: 's&cret', ...options }, platform)

const ANSWER = new URLSearchParams({ code: 'code-1', state: REQUEST.state })
const finish = (options: Partial<GitHubOptions> = {}) => login(options).finish(ANSWER, REQUEST, {})

describe('github()', () => {
  it('redirects to GitHub with state and PKCE challenge', async () => {
    const url = await login({ scopes: ['read:user', 'repo'] }).begin(REQUEST, {})
    expect(url.origin + url.pathname).toBe('https://github.com/login/oauth/authorize')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'client-1',
      redirect_uri: 'https://mcp.example.com/authorize/callback',
      scope: 'read:user repo',
      state: 'sealed-state',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    })
  })

  it('derives the subject from the numeric id of the user', async () => {
    expect(await finish()).toEqual({
      id: 583231,
      subject: 'github:583231',
      name: 'Mona (octocat)',
      props: {
        upstream: {
          accessToken: 'gho_1',
          refreshToken: undefined,
          expiresAt: undefined,
          scope: '',
        },
        claims: { id: 583231, login: 'octocat', name: 'Mona', email: null },
      },
    })
  })

  it('exchanges the code with the PKCE verifier and fetches the user of the token', async () => {
    await finish()
    const [exchange, user] = received
    expect(Object.fromEntries(new URLSearchParams(String(exchange?.init.body)))).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: 'https://mcp.example.com/authorize/callback',
      code_verifier: REQUEST.codeVerifier,
      client_id: 'client-1',
      client_secret: 's&cret',
    })
    expect(new Headers(exchange?.init.headers).get('accept')).toBe('application/json')
    const headers = new Headers(user?.init.headers)
    expect(headers.get('authorization')).toBe('Bearer gho_1')
    expect(headers.get('user-agent')).toBe('Edgeway')
  })

  it('uses the login as the display name when the user has no name', async () => {
    answers[USER] = () => Response.json({ id: 1, login: 'ghost', name: null })
    expect((await finish()).name).toBe('ghost')
  })

  it('rejects a user whom `admit` refuses', async () => {
    const admit = (user: { readonly id: number }) => user.id === 583231
    expect((await finish({ admit })).subject).toBe('github:583231')
    answers[USER] = () => Response.json({ id: 2, login: 'octocat' })
    await expect(finish({ admit })).rejects.toThrow('This account may not sign in here.')
  })

  it('rejects a token response with an error and status 200', async () => {
    answers[TOKEN] = () =>
      Response.json({ error: 'bad_verification_code', access_token: 'gho_2', token_type: 'bearer' })
    await expect(finish()).rejects.toThrow(new LoginError(REFUSED))
  })

  it.each<[string, unknown]>([
    ['no id', { login: 'octocat' }],
    ['an id that is a string', { id: '583231', login: 'octocat' }],
    ['the id 0', { id: 0, login: 'octocat' }],
    ['an id that is no safe integer', { id: 2 ** 53, login: 'octocat' }],
    ['no login', { id: 1 }],
  ])('rejects a user with %s', async (_, user) => {
    answers[USER] = () => Response.json(user)
    await expect(finish()).rejects.toThrow(new LoginError(NOT_WORKING, { reason: 'unavailable' }))
  })

  it.each([
    ['status 401', () => Response.json({ message: 'Bad credentials' }, { status: 401 })],
    ['status 502', () => new Response(null, { status: 502 })],
    ['a redirect', () => Response.redirect('https://evil.example/', 302)],
  ])('rejects the sign-in when the GitHub API responds with %s', async (_, answer) => {
    answers[USER] = answer
    await expect(finish()).rejects.toThrow(new LoginError(NOT_WORKING, { reason: 'unavailable' }))
  })

  it('reports a sign-in that the person cancelled', async () => {
    const answer = new URLSearchParams({ error: 'access_denied', state: REQUEST.state })
    await expect(login().finish(answer, REQUEST, {})).rejects.toThrow(
      new LoginError('Signing in with GitHub was cancelled.'),
    )
    expect(received).toEqual([])
  })

  it('throws a LoginError when GitHub refuses to renew the upstream token', async () => {
    answers[TOKEN] = () => Response.json({ error: 'bad_refresh_token' })
    const props = { upstream: { accessToken: 'ghu_1', refreshToken: 'ghr_1', expiresAt: NOW } }
    await expect(login().refresh?.(props, {})).rejects.toThrow(LoginError)
  })
})
