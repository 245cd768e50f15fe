/** Renewal of upstream tokens. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Person } from '../../../src/auth/login/login.ts'
import { createOidcLogin } from '../../../src/auth/login/oidc.ts'
import { createPair, createUpstream, ISSUER, NOW, type Upstream } from './upstream.ts'

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
