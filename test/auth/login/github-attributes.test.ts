/** The organizations, teams and addresses of a GitHub user. */
import { beforeEach, describe, expect, it } from 'vitest'
import { RemoteError } from '../../../src/auth/fetch/remote-error.ts'
import { createGitHubLogin, type GitHubOptions } from '../../../src/auth/login/github.ts'
import { LoginError } from '../../../src/auth/login/login-error.ts'
import { NOW, REQUEST } from './upstream.ts'

const API = 'https://api.github.com/user'
const MEMBERSHIPS = { emails: false, memberships: true }
const EMAILS = { emails: true, memberships: false }

let received: string[]
/** By path, without the query. A page that is not listed is empty. */
let pages: Record<string, readonly unknown[]>
let status: number
let scope: string

beforeEach(() => {
  received = []
  status = 200
  scope = ''
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
  async fetch(text: string) {
    received.push(text)
    if (text === 'https://github.com/login/oauth/access_token') {
      return Response.json({ access_token: 'gho_1', token_type: 'bearer', scope })
    }
    const { origin, pathname, searchParams } = new URL(text)
    const path = `${origin}${pathname}`.slice(API.length)
    if (path === '') return Response.json({ id: 1, login: 'ann' })
    const items = pages[path] ?? []
    const size = Number(searchParams.get('per_page'))
    const start = (Number(searchParams.get('page')) - 1) * size
    return Response.json(items.slice(start, start + size), { status })
  },
}

const login = (options: Partial<GitHubOptions> = {}) =>
  createGitHubLogin({ clientId: 'client-1', clientSecret: 'secret', ...options }, platform)

const ANSWER = new URLSearchParams({ code: 'code-1', state: REQUEST.state })
const finish = (needs?: typeof EMAILS) => login().finish(ANSWER, { ...REQUEST, needs }, {})
const scopesOf = async (needs?: typeof EMAILS, scopes?: string[]) =>
  (await login({ scopes }).begin({ ...REQUEST, needs }, {})).searchParams.get('scope')

describe('github() with an allow-list', () => {
  it('requests the scopes that the list needs, beside those of the options', async () => {
    expect(await scopesOf()).toBe('')
    expect(await scopesOf(EMAILS)).toBe('user:email')
    expect(await scopesOf(MEMBERSHIPS, ['repo', 'read:org'])).toBe('repo read:org')
  })

  it('offers another account to a person who was refused', async () => {
    const url = await login().begin({ ...REQUEST, selectAccount: true }, {})
    expect(url.searchParams.get('prompt')).toBe('select_account')
  })

  it('offers another account where a new sign-in is asked for', async () => {
    const url = await login().begin({ ...REQUEST, maxAgeSeconds: 0 }, {})
    expect(url.searchParams.get('prompt')).toBe('select_account')
    const later = await login().begin({ ...REQUEST, maxAgeSeconds: 60 }, {})
    expect(later.searchParams.has('prompt')).toBe(false)
  })

  it('reads active memberships and teams, in lower case', async () => {
    pages['/memberships/orgs'] = [
      { state: 'active', organization: { login: 'Acme', id: 9 } },
      { state: 'pending', organization: { login: 'invited', id: 10 } },
    ]
    const { organizations, groups, emails } = await finish(MEMBERSHIPS)
    expect(organizations).toEqual([{ name: 'Acme', id: 9 }])
    expect(groups).toEqual(['acme/admins'])
    expect(emails).toBeUndefined()
  })

  it('reads verified addresses only', async () => {
    expect((await finish(EMAILS)).emails).toEqual(['ann@acme.com'])
  })

  it('reads what the granted scopes allow, for scopesOf', async () => {
    scope = 'read:org,user:email'
    expect(await finish()).toMatchObject({ emails: ['ann@acme.com'], groups: ['acme/admins'] })
  })

  it('reads nothing that no list and no scope asks for', async () => {
    await finish()
    expect(received.filter((url) => url.startsWith(`${API}/`))).toEqual([])
  })

  it('reads several pages, and at most six of each list', async () => {
    const membership = (id: number) => ({ state: 'active', organization: { login: `o${id}`, id } })
    pages['/memberships/orgs'] = Array.from({ length: 60 }, (_, index) => membership(index + 1))
    expect((await finish(MEMBERSHIPS)).organizations).toHaveLength(60)
    received = []
    pages['/memberships/orgs'] = Array.from({ length: 1000 }, (_, index) => membership(index + 1))
    expect((await finish(MEMBERSHIPS)).organizations).toHaveLength(300)
    expect(received.filter((url) => url.includes('/memberships/'))).toHaveLength(6)
  })

  it.each<[string, () => void]>([
    ['403', () => answerWith(403)],
    ['503', () => answerWith(503)],
    [
      'a membership without an organization',
      () => replace('/memberships/orgs', [{ state: 'active' }]),
    ],
    ['a list of texts', () => replace('/memberships/orgs', ['acme'])],
    ['a team without a slug', () => replace('/teams', [{ organization: { login: 'a', id: 1 } }])],
    [
      'an id that is a text',
      () => replace('/teams', [{ slug: 's', organization: { login: 'a', id: '1' } }]),
    ],
  ])('lets no one in when GitHub responds with %s', async (_, prepare) => {
    prepare()
    await expect(finish(MEMBERSHIPS)).rejects.toThrow(LoginError)
  })
})

describe('the attributes of a GitHub user at a refresh', () => {
  const props = { upstream: { accessToken: 'gho_1' }, claims: { id: 1 } }
  const attributes = () => login().attributes?.(props, MEMBERSHIPS, {})

  it('are those that GitHub has now', async () => {
    pages['/memberships/orgs'] = []
    pages['/teams'] = []
    expect(await attributes()).toEqual({ id: 1, organizations: [], groups: [] })
  })

  it('end the sign-in when the person has revoked the token', async () => {
    status = 401
    await expect(attributes()).rejects.toThrow(LoginError)
  })

  it.each([403, 404, 500])(
    'are unavailable with status %i, which does not end it',
    async (code) => {
      status = code
      const failure: unknown = await attributes()?.catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(RemoteError)
    },
  )

  it('are not known where a hook has dropped the token', async () => {
    expect(await login().attributes?.({ own: true }, MEMBERSHIPS, {})).toBeUndefined()
  })
})

function replace(path: string, items: readonly unknown[]): void {
  pages[path] = items
}

function answerWith(code: number): void {
  status = code
}
