/** Sign-in with Google, Cloudflare Access and a login of the author. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type CloudflareAccessOptions,
  createCloudflareAccessLogin,
} from '../../../src/auth/login/cloudflare-access.ts'
import { createGoogleLogin, type GoogleOptions } from '../../../src/auth/login/google.ts'
import { notAllowed } from '../../../src/auth/login/login-error.ts'
import { ownLogin } from '../../../src/auth/login/own-login.ts'
import { createPair, createUpstream, REQUEST, type Upstream } from './upstream.ts'

let pair: Awaited<ReturnType<typeof createPair>>

beforeAll(async () => {
  pair = await createPair()
})

describe('google()', () => {
  let upstream: Upstream

  beforeEach(() => {
    upstream = createUpstream(pair, 'https://accounts.google.com')
  })

  const login = (options: Partial<GoogleOptions> = {}) =>
    createGoogleLogin({ clientId: 'client-1', clientSecret: 's&cret', ...options }, upstream)

  it('derives the subject from the Google account id', async () => {
    const person = await login().finish(upstream.answer(), REQUEST, {})
    expect(person.subject).toBe('google:user-1')
    expect(login().name).toBe('Google')
  })

  it('requests a refresh token only with `offline: true`', async () => {
    const plain = await login().begin(REQUEST, {})
    expect(plain.searchParams.has('access_type')).toBe(false)
    expect(plain.searchParams.has('prompt')).toBe(false)
    const offline = await login({ offline: true }).begin(REQUEST, {})
    expect(offline.searchParams.get('access_type')).toBe('offline')
    expect(offline.searchParams.get('prompt')).toBe('consent')
  })

  it.each([
    [0, 'select_account'],
    [600, null],
  ])(
    'lets the person choose an account for a sign-in of at most %s s',
    async (maxAgeSeconds, prompt) => {
      const { searchParams } = await login().begin({ ...REQUEST, maxAgeSeconds }, {})
      expect(searchParams.get('prompt')).toBe(prompt)
      expect(searchParams.has('max_age')).toBe(false)
    },
  )

  it('does not compare the time of the sign-in, because Google cannot be asked for a new one', async () => {
    upstream.twist({ claims: { auth_time: 1 } })
    const request = { ...REQUEST, maxAgeSeconds: 0 }
    expect((await login().finish(upstream.answer(), request, {})).subject).toBe('google:user-1')
  })

  it('accepts only id tokens of the Workspace domain', async () => {
    const own = login({ hostedDomain: 'example.com' })
    expect((await own.begin(REQUEST, {})).searchParams.get('hd')).toBe('example.com')
    await expect(own.finish(upstream.answer(), REQUEST, {})).rejects.toThrow(
      notAllowed('Only accounts of example.com may sign in here.'),
    )
    upstream = createUpstream(pair, 'https://accounts.google.com')
    upstream.twist({ claims: { hd: 'example.com' } })
    const person = await login({ hostedDomain: 'example.com' }).finish(
      upstream.answer(),
      REQUEST,
      {},
    )
    expect(person.subject).toBe('google:user-1')
  })

  it('rejects a person whom `admit` refuses', async () => {
    upstream.twist({ claims: { hd: 'example.com' } })
    const own = login({ hostedDomain: 'example.com', admit: () => false })
    const finished = own.finish(upstream.answer(), REQUEST, {})
    await expect(finished).rejects.toThrow('This account may not sign in here.')
  })
})

describe('cloudflareAccess()', () => {
  const ISSUER = 'https://acme.cloudflareaccess.com/cdn-cgi/access/sso/oidc/client-1'

  const login = (upstream: Upstream, options: Partial<CloudflareAccessOptions> = {}) =>
    createCloudflareAccessLogin(
      { teamDomain: 'acme', clientId: 'client-1', clientSecret: 's&cret', ...options },
      upstream,
    )

  it.each(['acme', 'acme.cloudflareaccess.com'])(
    'uses the issuer of the Access application with the team domain %s',
    async (teamDomain) => {
      const upstream = createUpstream(pair, ISSUER)
      const person = await login(upstream, { teamDomain }).finish(upstream.answer(), REQUEST, {})
      expect(person.subject).toBe('access:user-1')
      expect(upstream.received[0]?.url).toBe(`${ISSUER}/.well-known/openid-configuration`)
    },
  )

  it('throws a TypeError for a malformed team domain or client id', () => {
    const upstream = createUpstream(pair, ISSUER)
    expect(() => login(upstream, { teamDomain: 'https://acme.cloudflareaccess.com' })).toThrow(
      TypeError,
    )
    expect(() => login(upstream, { teamDomain: '' })).toThrow(TypeError)
    expect(() => login(upstream, { clientId: '../other' })).toThrow(TypeError)
  })
})

describe('ownLogin()', () => {
  const parts = {
    name: 'Example',
    begin: async () => new URL('https://login.example.com/'),
    finish: async () => ({ subject: 'user-1', name: undefined, props: undefined }),
  }

  it('calls the functions of the author', async () => {
    const login = ownLogin(parts)
    expect(login.kind).toBe('redirect')
    expect((await login.begin(REQUEST, {})).href).toBe('https://login.example.com/')
    expect((await login.finish(new URLSearchParams(), REQUEST, {})).subject).toBe('user-1')
    expect(login).not.toHaveProperty('refresh')
  })

  it('calls the `refresh` of the author', async () => {
    const login = ownLogin({ ...parts, refresh: async () => ({ renewed: true }) })
    expect(await login.refresh?.({}, {})).toEqual({ renewed: true })
  })

  it('rejects a person with an empty subject', async () => {
    const finish = async () => ({ subject: '', name: undefined, props: undefined })
    const login = ownLogin({ ...parts, finish })
    await expect(login.finish(new URLSearchParams(), REQUEST, {})).rejects.toThrow(TypeError)
  })

  it('throws a TypeError for an empty name', () => {
    expect(() => ownLogin({ ...parts, name: '' })).toThrow(TypeError)
  })
})

describe('the attributes of google()', () => {
  const attributesOf = async (claims: Readonly<Record<string, unknown>>) => {
    const upstream = createUpstream(pair, 'https://accounts.google.com')
    upstream.twist({ claims })
    const google = createGoogleLogin({ clientId: 'client-1', clientSecret: 's&cret' }, upstream)
    const { emails, organizations } = await google.finish(upstream.answer(), REQUEST, {})
    return { emails, organizations }
  }

  const ACME = { email: 'ann@acme.com', email_verified: true, hd: 'acme.com' }
  it.each<[string, readonly string[], object]>([
    ['of a Workspace account', ['ann@acme.com'], ACME],
    ['of Gmail', ['ann@gmail.com'], { email: 'ann@gmail.com', email_verified: true }],
    ['that Google does not host', [], { ...ACME, hd: undefined }],
    ['that only ends like Gmail', [], { email: 'ann@notgmail.com', email_verified: true }],
    ['that is not verified', [], { ...ACME, email_verified: false }],
    ['with a domain that is no text', [], { ...ACME, hd: true }],
  ])('of an address %s have the addresses %j', async (_, emails, claims) => {
    expect((await attributesOf({ ...claims })).emails).toEqual(emails)
  })

  it('have the Workspace domain as organization, and none without it', async () => {
    expect((await attributesOf({ hd: 'acme.com' })).organizations).toEqual([{ name: 'acme.com' }])
    expect((await attributesOf({})).organizations).toEqual([])
  })
})
