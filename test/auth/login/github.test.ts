/** Signing in with GitHub. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createGitHubLogin, type GitHubOptions } from '../../../src/auth/login/github.ts'
import { LoginError } from '../../../src/auth/login/login.ts'
import { CHALLENGE, NOW, REQUEST } from './upstream.ts'

const TOKEN = 'https://github.com/login/oauth/access_token'
const USER = 'https://api.github.com/user'
const REFUSED = 'Signing in with GitHub did not succeed: start again'
const NOT_WORKING = 'Signing in with GitHub does not work at the moment: try again later'

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
  it('begins with state and PKCE', async () => {
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

  it('knows people by their number, which names may change', async () => {
    expect(await finish()).toEqual({
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

  it('exchanges the code with the verifier, and asks whose token it got', async () => {
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

  it('shows the login where there is no name', async () => {
    answers[USER] = () => Response.json({ id: 1, login: 'ghost', name: null })
    expect((await finish()).name).toBe('ghost')
  })

  it('lets in whom the author admits', async () => {
    const admit = (user: { readonly login: string }) => user.login === 'octocat'
    expect((await finish({ admit })).subject).toBe('github:583231')
    answers[USER] = () => Response.json({ id: 2, login: 'impostor' })
    await expect(finish({ admit })).rejects.toThrow('This account may not sign in here')
  })

  it('takes a refusal for one, though its status is 200', async () => {
    answers[TOKEN] = () =>
      Response.json({ error: 'bad_verification_code', access_token: 'gho_2', token_type: 'bearer' })
    await expect(finish()).rejects.toThrow(new LoginError(REFUSED))
  })

  it.each<[string, unknown]>([
    ['no number', { login: 'octocat' }],
    ['a number in words', { id: '583231', login: 'octocat' }],
    ['the number nought', { id: 0, login: 'octocat' }],
    ['a number that is not exact', { id: 2 ** 53, login: 'octocat' }],
    ['no login', { id: 1 }],
  ])('lets nobody in with %s', async (_, user) => {
    answers[USER] = () => Response.json(user)
    await expect(finish()).rejects.toThrow(new LoginError(NOT_WORKING))
  })

  it.each([
    ['a refusal', () => Response.json({ message: 'Bad credentials' }, { status: 401 })],
    ['a fault', () => new Response(null, { status: 502 })],
    ['a redirect', () => Response.redirect('https://evil.example/', 302)],
  ])('lets nobody in where its API answers with %s', async (_, answer) => {
    answers[USER] = answer
    await expect(finish()).rejects.toThrow(new LoginError(NOT_WORKING))
  })

  it('tells when a person has cancelled', async () => {
    const answer = new URLSearchParams({ error: 'access_denied', state: REQUEST.state })
    await expect(login().finish(answer, REQUEST, {})).rejects.toThrow(
      new LoginError('Signing in with GitHub was cancelled'),
    )
    expect(received).toEqual([])
  })

  it('ends a connection whose token GitHub refuses to renew', async () => {
    answers[TOKEN] = () => Response.json({ error: 'bad_refresh_token' })
    const props = { upstream: { accessToken: 'ghu_1', refreshToken: 'ghr_1', expiresAt: NOW } }
    await expect(login().refresh?.(props, {})).rejects.toThrow(LoginError)
  })
})
