/** Renewal of upstream tokens. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../../src/auth/login/login.ts'
import { LoginError } from '../../../src/auth/login/login-error.ts'
import { createOidcLogin } from '../../../src/auth/login/oidc.ts'
import { createPair, createUpstream, ISSUER, NOW, refusal, type Upstream } from './upstream.ts'

type Props = NonNullable<Person['props']>

let pair: Awaited<ReturnType<typeof createPair>>
let upstream: Upstream

beforeAll(async () => {
  pair = await createPair()
})

beforeEach(() => {
  upstream = createUpstream(pair)
})

const login = () =>
  createOidcLogin({ issuer: ISSUER, clientId: 'client-1', clientSecret: 's&cret' }, upstream)

const propsWith = (changes: Readonly<Record<string, unknown>> = {}): Props => ({
  claims: { sub: 'user-1' },
  own: 'of the author',
  upstream: {
    accessToken: 'access-1',
    refreshToken: 'refresh-1',
    expiresAt: NOW + 60_000,
    scope: 'openid',
    ...changes,
  },
})

const renew = (props: Props) => login().refresh?.(props, {})

const respondWith = (answer: () => Response | Promise<Response>) =>
  upstream.twist({ answer: (path) => (path === '/token' ? answer() : undefined) })

describe('upstream tokens that are about to expire', () => {
  it('are renewed without changing the other props', async () => {
    expect(await renew(propsWith())).toEqual({
      claims: { sub: 'user-1' },
      own: 'of the author',
      upstream: {
        accessToken: 'access-2',
        refreshToken: 'refresh-2',
        expiresAt: Date.UTC(2026, 10, 21, 13),
        scope: 'openid profile email',
      },
    })
    expect(Object.fromEntries(upstream.received.at(-1)?.form ?? [])).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-1',
    })
  })

  it('keep refresh token and scope that the response omits', async () => {
    upstream.twist({ tokens: { refresh_token: undefined, scope: undefined, expires_in: '60' } })
    expect((await renew(propsWith()))?.upstream).toEqual({
      accessToken: 'access-2',
      refreshToken: 'refresh-1',
      expiresAt: NOW + 60_000,
      scope: 'openid',
    })
  })

  it('are renewed once for concurrent refreshes', async () => {
    const own = login()
    const renewed = await Promise.all(
      Array.from({ length: 10 }, () => own.refresh?.(propsWith(), {})),
    )
    expect(upstream.received.filter(({ url }) => url === `${ISSUER}/token`)).toHaveLength(1)
    expect(new Set(renewed.map((props) => JSON.stringify(props?.upstream))).size).toBe(1)
  })

  it('are renewed separately for different refresh tokens', async () => {
    const own = login()
    const [first, second] = await Promise.allSettled([
      own.refresh?.(propsWith(), {}),
      own.refresh?.(propsWith({ refreshToken: 'refresh-of-another' }), {}),
    ])
    expect(first.status).toBe('fulfilled')
    expect(second.status).toBe('rejected')
  })
})

describe('the renewal of upstream tokens', () => {
  it.each<[string, Props]>([
    ['a token that lasts longer than five minutes', propsWith({ expiresAt: NOW + 5 * 60_000 + 1 })],
    ['a token without expiry', propsWith({ expiresAt: undefined })],
    ['a token without a refresh token', propsWith({ refreshToken: undefined })],
    ['props of the author', { mine: true }],
    ['a string as props.upstream', { upstream: 'mine' }],
    ['null as props.upstream', { upstream: null }],
  ])('is skipped for %s', async (_, props) => {
    expect(await renew(props)).toBeUndefined()
    expect(upstream.received).toEqual([])
  })
})

describe('a failed renewal', () => {
  it('throws a LoginError when the upstream has revoked the refresh token', async () => {
    await expect(renew(propsWith({ refreshToken: 'revoked' }))).rejects.toThrow(LoginError)
  })

  it.each<[string, () => Response | Promise<Response>]>([
    ['status 503', () => new Response(null, { status: 503 })],
    ['a network error', () => Promise.reject(new TypeError('refused'))],
    ['HTML', () => new Response('<html>')],
    ['invalid_client', () => refusal('invalid_client', 401)],
    ['invalid_request', () => refusal('invalid_request')],
    ['slow_down', () => refusal('slow_down')],
  ])('throws another error than LoginError after %s', async (_, answer) => {
    respondWith(answer)
    const failure: unknown = await renew(propsWith())?.catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(LoginError)
  })
})
