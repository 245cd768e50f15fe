/** Sign-in with GitHub, and the organizations, teams and addresses of its users. */
import { beforeEach, describe, expect, it } from 'vitest'
import { RemoteError } from '../../../src/auth/fetch/remote-error.ts'
import { createGitHubLogin, type GitHubOptions } from '../../../src/auth/login/github.ts'
import { LoginError } from '../../../src/auth/login/login-error.ts'
import { CHALLENGE, NOW, REQUEST } from './upstream.ts'

const TOKEN = 'https://github.com/login/oauth/access_token'
const USER = 'https://api.github.com/user'
const REFUSED = new LoginError('Signing in with GitHub did not succeed. Please try again.')
const NOT_WORKING = new LoginError(
  'Signing in with GitHub is not possible at the moment. Please try again later.',
  { reason: 'unavailable' },
)
const MEMBERSHIPS = { emails: false, memberships: true }
const EMAILS = { emails: true, memberships: false }

let received: { readonly url: string; readonly init: RequestInit }[]
let answers: Record<string, () => Response>
/** Lists below the user, by path, without the query. A page that is not listed is empty. */
let pages: Record<string, readonly unknown[]>
let status: number

const issued = (scope = '') => Response.json({ access_token: 'gho_1', token_type: 'bearer', scope })

beforeEach(() => {
  received = []
  status = 200
  answers = {
    [TOKEN]: () => issued(),
    [USER]: () => Response.json({ id: 583231, login: 'octocat', name: 'Mona', email: null }),
  }
  pages = {
    '/memberships/orgs': [{ state: 'active', organization: { login: 'Acme', id: 9 } }],
    '/teams': [{ slug: 'admins', organization: { login: 'Acme', id: 9 } }],
    '/emails': [
      { email: 'ann@acme.com', verified: true },
      { email: 'eve@acme.com', verified: false },
    ],
  }
})

const platform = {
  now: () => NOW,
  async fetch(url: string, init: RequestInit) {
    received.push({ url, init })
    const answer = answers[url]
    if (answer !== undefined) return answer()
    const { origin, pathname, searchParams } = new URL(url)
    const items = pages[`${origin}${pathname}`.slice(USER.length)] ?? []
    const size = Number(searchParams.get('per_page'))
    const start = (Number(searchParams.get('page')) - 1) * size
    return Response.json(items.slice(start, start + size), { status })
  },
}

const login = (options: Partial<GitHubOptions> = {}) =>
  createGitHubLogin({ clientId: 'client-1', clientSecret: 's&cret', ...options }, platform)

const ANSWER = new URLSearchParams({ code: 'code-1', state: REQUEST.state })
const finish = (options: Partial<GitHubOptions> = {}, needs?: typeof EMAILS) =>
  login(options).finish(ANSWER, { ...REQUEST, needs }, {})
const begin = async (changes: object = {}, options: Partial<GitHubOptions> = {}) =>
  (await login(options).begin({ ...REQUEST, ...changes }, {})).searchParams
const listed = () => received.filter(({ url }) => url.startsWith(`${USER}/`))

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
    const tokens = {
      accessToken: 'gho_1',
      refreshToken: undefined,
      expiresAt: undefined,
      scope: '',
    }
    expect(await finish()).toEqual({
      id: 583231,
      subject: 'github:583231',
      name: 'Mona (octocat)',
      props: {
        upstream: tokens,
        claims: { id: 583231, login: 'octocat', name: 'Mona', email: null },
      },
    })
    answers[USER] = () => Response.json({ id: 1, login: 'ghost', name: null })
    expect((await finish()).name).toBe('ghost')
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

  it('rejects a user whom `admit` refuses', async () => {
    const admit = (user: { readonly id: number }) => user.id === 583231
    expect((await finish({ admit })).subject).toBe('github:583231')
    answers[USER] = () => Response.json({ id: 2, login: 'octocat' })
    await expect(finish({ admit })).rejects.toThrow('This account may not sign in here.')
  })

  it('rejects a token response with an error and status 200', async () => {
    const tokens = { access_token: 'gho_2', token_type: 'bearer' }
    answers[TOKEN] = () => Response.json({ error: 'bad_verification_code', ...tokens })
    await expect(finish()).rejects.toThrow(REFUSED)
  })

  it.each<[string, () => Response]>([
    ['a user without id', () => Response.json({ login: 'octocat' })],
    ['an id that is a string', () => Response.json({ id: '583231', login: 'octocat' })],
    ['the id 0', () => Response.json({ id: 0, login: 'octocat' })],
    ['an id that is no safe integer', () => Response.json({ id: 2 ** 53, login: 'octocat' })],
    ['a user without login', () => Response.json({ id: 1 })],
    ['status 401', () => Response.json({ message: 'Bad credentials' }, { status: 401 })],
    ['status 502', () => new Response(null, { status: 502 })],
    ['a redirect', () => Response.redirect('https://evil.example/', 302)],
  ])('rejects the sign-in when the GitHub API responds with %s', async (_, answer) => {
    answers[USER] = answer
    await expect(finish()).rejects.toThrow(NOT_WORKING)
  })

  it('reports a sign-in that the person cancelled', async () => {
    const answer = new URLSearchParams({ error: 'access_denied', state: REQUEST.state })
    const error = new LoginError('Signing in with GitHub was cancelled.')
    await expect(login().finish(answer, REQUEST, {})).rejects.toThrow(error)
    expect(received).toEqual([])
  })

  it('throws a LoginError when GitHub refuses to renew the upstream token', async () => {
    answers[TOKEN] = () => Response.json({ error: 'bad_refresh_token' })
    const props = { upstream: { accessToken: 'ghu_1', refreshToken: 'ghr_1', expiresAt: NOW } }
    await expect(login().refresh?.(props, {})).rejects.toThrow(LoginError)
  })
})

describe('github() with an allow-list', () => {
  it.each([
    ['', undefined, undefined],
    ['user:email', EMAILS, undefined],
    ['repo read:org', MEMBERSHIPS, ['repo', 'read:org']],
  ])(
    'requests the scopes "%s" that the list needs, beside those of the options',
    async (...row) => {
      const [scope, needs, scopes] = row
      expect((await begin({ needs }, { ...(scopes && { scopes }) })).get('scope')).toBe(scope)
    },
  )

  it.each([
    ['a person who was refused', { selectAccount: true }, 'select_account'],
    ['a new sign-in', { maxAgeSeconds: 0 }, 'select_account'],
    ['a sign-in of the last minute', { maxAgeSeconds: 60 }, null],
  ])('for %s: offers another account or not', async (_, changes, prompt) => {
    expect((await begin(changes)).get('prompt')).toBe(prompt)
  })

  it('reads active memberships and teams, in lower case, or verified addresses', async () => {
    const invited = { state: 'pending', organization: { login: 'invited', id: 10 } }
    pages['/memberships/orgs'] = [...(pages['/memberships/orgs'] ?? []), invited]
    const { organizations, groups, emails } = await finish({}, MEMBERSHIPS)
    expect(organizations).toEqual([{ name: 'Acme', id: 9 }])
    expect([groups, emails]).toEqual([['acme/admins'], undefined])
    expect((await finish({}, EMAILS)).emails).toEqual(['ann@acme.com'])
  })

  it('reads what the granted scopes allow, for scopesOf, and else nothing', async () => {
    await finish()
    expect(listed()).toEqual([])
    answers[TOKEN] = () => issued('read:org,user:email')
    expect(await finish()).toMatchObject({ emails: ['ann@acme.com'], groups: ['acme/admins'] })
  })

  it('reads several pages, and at most six of each list', async () => {
    const many = (length: number) =>
      Array.from({ length }, (_, index) => {
        const organization = { login: `o${index + 1}`, id: index + 1 }
        return { state: 'active', organization }
      })
    pages['/memberships/orgs'] = many(60)
    expect((await finish({}, MEMBERSHIPS)).organizations).toHaveLength(60)
    received = []
    pages['/memberships/orgs'] = many(1000)
    expect((await finish({}, MEMBERSHIPS)).organizations).toHaveLength(300)
    expect(listed().filter(({ url }) => url.includes('/memberships/'))).toHaveLength(6)
  })

  it.each<[string, number, string, readonly unknown[]]>([
    ['403', 403, '', []],
    ['503', 503, '', []],
    ['a membership without an organization', 200, '/memberships/orgs', [{ state: 'active' }]],
    ['a list of texts', 200, '/memberships/orgs', ['acme']],
    ['a team without a slug', 200, '/teams', [{ organization: { login: 'a', id: 1 } }]],
    ['a text as id', 200, '/teams', [{ slug: 's', organization: { login: 'a', id: '1' } }]],
  ])('lets no one in when GitHub responds with %s', async (_, code, path, items) => {
    status = code
    if (path !== '') pages[path] = items
    await expect(finish({}, MEMBERSHIPS)).rejects.toThrow(LoginError)
  })
})

describe('the attributes of a GitHub user at a refresh', () => {
  const props = { upstream: { accessToken: 'gho_1' }, claims: { id: 1 } }
  const attributes = () => login().attributes?.(props, MEMBERSHIPS, {})

  it('are those that GitHub has now, and not known where a hook has dropped the token', async () => {
    pages = {}
    expect(await attributes()).toEqual({ id: 1, organizations: [], groups: [] })
    expect(await login().attributes?.({ own: true }, MEMBERSHIPS, {})).toBeUndefined()
  })

  it.each([
    [401, LoginError],
    [403, RemoteError],
    [404, RemoteError],
    [500, RemoteError],
  ])('with status %i throw an error that ends the sign-in with 401 alone', async (code, type) => {
    status = code
    const failure: unknown = await attributes()?.catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(type)
    expect(failure instanceof LoginError).toBe(code === 401)
  })
})
