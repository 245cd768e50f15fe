/** Upstream's tokens, renewed when one of ours is refreshed. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LoginError, type Person } from '../../../src/auth/login/login.ts'
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

const says = (answer: () => Response | Promise<Response>) =>
  upstream.twist({ answer: (path) => (path === '/token' ? answer() : undefined) })

describe('tokens that are about to end', () => {
  it('are renewed, and everything else stays', async () => {
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

  it('keep what upstream leaves out', async () => {
    upstream.twist({ tokens: { refresh_token: undefined, scope: undefined, expires_in: '60' } })
    expect((await renew(propsWith()))?.upstream).toEqual({
      accessToken: 'access-2',
      refreshToken: 'refresh-1',
      expiresAt: NOW + 60_000,
      scope: 'openid',
    })
  })

  it('are renewed once where several ask at the same time', async () => {
    const own = login()
    const renewed = await Promise.all(
      Array.from({ length: 10 }, () => own.refresh?.(propsWith(), {})),
    )
    expect(upstream.received.filter(({ url }) => url === `${ISSUER}/token`)).toHaveLength(1)
    expect(new Set(renewed.map((props) => JSON.stringify(props?.upstream))).size).toBe(1)
  })

  it('are not shared by those who have another', async () => {
    const own = login()
    const [first, second] = await Promise.allSettled([
      own.refresh?.(propsWith(), {}),
      own.refresh?.(propsWith({ refreshToken: 'refresh-of-another' }), {}),
    ])
    expect(first.status).toBe('fulfilled')
    expect(second.status).toBe('rejected')
  })
})

describe('nothing is renewed', () => {
  it.each<[string, Props]>([
    ['that lasts', propsWith({ expiresAt: NOW + 5 * 60_000 + 1 })],
    ['that has no end', propsWith({ expiresAt: undefined })],
    ['without a refresh token', propsWith({ refreshToken: undefined })],
    ['of an author', { mine: true }],
    ['of an author under the same name', { upstream: 'mine' }],
    ['that is null', { upstream: null }],
  ])('%s', async (_, props) => {
    expect(await renew(props)).toBeUndefined()
    expect(upstream.received).toEqual([])
  })
})

describe('upstream', () => {
  it('ends the connection by refusing its token', async () => {
    await expect(renew(propsWith({ refreshToken: 'revoked' }))).rejects.toThrow(LoginError)
  })

  it.each<[string, () => Response | Promise<Response>]>([
    ['a fault', () => new Response(null, { status: 503 })],
    ['no answer', () => Promise.reject(new TypeError('refused'))],
    ['HTML', () => new Response('<html>')],
    ['a wrong secret of ours', () => refusal('invalid_client', 401)],
    ['a request it does not take', () => refusal('invalid_request')],
    ['too many requests', () => refusal('slow_down')],
  ])('does not end it with %s', async (_, answer) => {
    says(answer)
    const failure: unknown = await renew(propsWith())?.catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(failure).not.toBeInstanceOf(LoginError)
  })
})
