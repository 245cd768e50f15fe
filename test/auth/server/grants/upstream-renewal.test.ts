/** Refreshes of grants whose person signed in elsewhere: the tokens of the provider are renewed. */
import { describe, expect, it, vi } from 'vitest'
import {
  type EmbeddedOptions,
  LoginError,
  ownLogin,
  type Person,
} from '../../../../src/auth/index.ts'
import { verifies } from '../../../support/verifies.ts'
import { reasonsOf } from '../support/answers.ts'
import { Browser } from '../support/browser.ts'
import { AuthClient, codeOf, statusWith, tokensOf } from '../support/client.ts'
import { advance, openDeployment } from '../support/deployment.ts'
import { expectRefusal } from '../support/flow.ts'
import { OpenIdProvider } from '../support/provider.ts'

const MINUTE_MS = 60_000
const KEYS = 'https://mcp.example.com/.well-known/jwks.json'

type OnRefresh = NonNullable<NonNullable<EmbeddedOptions['hooks']>['onRefresh']>

const refusal = (error: string, status: number) => Response.json({ error }, { status })

/** A grant whose provider token ends in an hour; it is renewed from 5 minutes before its end. */
async function open(onRefresh?: OnRefresh) {
  const provider = await OpenIdProvider.start()
  const optionsOf = () => ({
    login: provider.login(),
    hooks: { ...(onRefresh && { onRefresh }) },
  })
  const server = openDeployment(optionsOf())
  const client = await AuthClient.register(server)
  const tokens = await tokensOf(await client.redeem(await provider.code(client)))
  const renewals = () => provider.forms.slice(1)
  /** The client at another isolate. */
  const elsewhere = () => client.at(openDeployment(optionsOf(), { bindings: server.bindings }))
  return { provider, server, client, tokens, renewals, elsewhere }
}

describe('a refresh', () => {
  it('does not ask the provider while its token is good, nor when it is rejected here', async () => {
    const { server, client, tokens, renewals } = await open()
    advance(55 * MINUTE_MS - 1)
    const next = await tokensOf(await client.refresh(tokens.refresh))
    advance(1)
    await expectRefusal((await AuthClient.register(server)).refresh(next.refresh), 'invalid_grant')
    expect(renewals()).toEqual([])
  })

  it('renews the token of the provider, and keeps the new one for the next time', async () => {
    verifies('authorization-security-practices/third-party-token-renewal')
    const { client, tokens, renewals } = await open()
    advance(55 * MINUTE_MS)
    const next = await tokensOf(await client.refresh(tokens.refresh))
    advance(60 * MINUTE_MS)
    expect((await client.refresh(next.refresh)).status).toBe(200)
    expect(renewals()).toEqual([
      { grant_type: 'refresh_token', refresh_token: 'upstream-refresh-1' },
      { grant_type: 'refresh_token', refresh_token: 'upstream-refresh-2' },
    ])
  })

  it('shows the new tokens to onRefresh, whose props replace them', async () => {
    const seen: unknown[] = []
    const { client, tokens } = await open(({ props }) => {
      seen.push(props?.upstream)
      return { props: { own: true } }
    })
    advance(60 * MINUTE_MS)
    const next = await tokensOf(await client.refresh(tokens.refresh))
    await client.refresh(next.refresh)
    expect(seen).toEqual([expect.objectContaining({ accessToken: 'upstream-access-2' }), undefined])
  })

  it('is rejected with invalid_grant and ends the grant when the provider has ended it', async () => {
    verifies('authorization-security-practices/third-party-token-status')
    const { provider, server, client, tokens } = await open()
    advance(60 * MINUTE_MS)
    provider.answers.set('/token', () => refusal('invalid_grant', 400))
    await expectRefusal(client.refresh(tokens.refresh), 'invalid_grant')
    expect(reasonsOf(server)).toEqual(['upstream-sign-in-ended'])
    provider.answers.clear()
    expect(await statusWith(server, tokens.access)).toBe(401)
    await expectRefusal(client.refresh(tokens.refresh), 'invalid_grant')
  })

  it.each<[string, () => Response]>([
    ['answers 503', () => new Response(null, { status: 503 })],
    ['answers without JSON', () => new Response('<html>')],
    ['refuses the client of this server', () => refusal('invalid_client', 401)],
    ['answers with a temporary error', () => refusal('temporarily_unavailable', 400)],
    ['refuses the request', () => refusal('invalid_request', 400)],
    ['is asked too often', () => refusal('slow_down', 400)],
    [
      ...(['cannot be reached'] as const),
      () => {
        throw new TypeError('Network connection lost')
      },
    ],
  ])('is answered with 503 when the provider %s, and the token stays', async (_, answer) => {
    const { provider, server, client, tokens } = await open()
    advance(60 * MINUTE_MS)
    provider.answers.set('/token', answer)
    await expectRefusal(client.refresh(tokens.refresh), 'temporarily_unavailable', 503)
    expect(server.events.map(({ type }) => type)).toEqual(['internal-error', 'refusal'])
    provider.answers.clear()
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })
})

describe('concurrent refreshes of one token', () => {
  it('in two isolates keep the upstream tokens of the one that upstream accepted', async () => {
    const seen: unknown[] = []
    // The example of the guide, which returns the props that it has received.
    const { provider, client, tokens, elsewhere } = await open(({ props }) => {
      const upstream = props?.upstream as { accessToken: string } | undefined
      seen.push(upstream?.accessToken)
      return { props: { ...props } }
    })
    advance(60 * MINUTE_MS)
    // The provider accepts its refresh token once, and answers the second isolate first.
    const second = Promise.withResolvers<void>()
    let requests = 0
    provider.answers.set('/token', () => {
      requests += 1
      if (requests > 1) return refusal('invalid_grant', 400)
      second.resolve()
      const renewed = { access_token: 'renewed', refresh_token: 'upstream-refresh-2' }
      return Response.json({ ...renewed, token_type: 'Bearer', expires_in: 3600 })
    })
    const other = elsewhere()
    const winner = client.refresh(tokens.refresh)
    await second.promise
    const loser = other.refresh(tokens.refresh)
    const [one, two] = [await tokensOf(await winner), await tokensOf(await loser)]
    expect(two.refresh).toBe(one.refresh)
    expect(seen).toEqual(['renewed', 'renewed'])
    await client.refresh(one.refresh)
    expect(seen).toEqual(['renewed', 'renewed', 'renewed'])
  })

  it('do not overwrite the props of the first with those of a slower hook', async () => {
    const slow = Promise.withResolvers<void>()
    const props: unknown[] = []
    const hooks: EmbeddedOptions['hooks'] = {
      onIssue: () => ({ props: { writer: 'onIssue' } }),
      onRefresh: async ({ props: known }) => {
        const writer = props.push(known)
        if (writer === 1) await slow.promise
        return { props: { writer } }
      },
    }
    const client = await AuthClient.register(openDeployment({ hooks }))
    const { refresh } = await client.tokens()
    const first = client.refresh(refresh)
    await vi.waitUntil(() => props.length === 1)
    const second = await tokensOf(await client.refresh(refresh))
    slow.resolve()
    expect((await tokensOf(await first)).refresh).toBe(second.refresh)
    await client.refresh(second.refresh)
    expect(props).toEqual([{ writer: 'onIssue' }, { writer: 'onIssue' }, { writer: 2 }])
  })
})

describe('a login of the author', () => {
  type Refresh = NonNullable<Parameters<typeof ownLogin>[0]['refresh']>

  /** A grant of a person with these props, and a refresh that a test writes. */
  async function openOwn(
    refresh?: Refresh,
    props: Person['props'] | null = { a: 1 },
    onRefresh?: OnRefresh,
  ) {
    const options = {
      hooks: { ...(onRefresh && { onRefresh }) },
      login: ownLogin({
        name: 'Elsewhere',
        begin: async ({ state }) => new URL(`https://elsewhere.example/?state=${state}`),
        finish: async () => ({ subject: 'ada', name: 'Ada', props: props ?? undefined }),
        ...(refresh && { refresh }),
      }),
    }
    const server = openDeployment(options)
    const elsewhere = () => openDeployment(options, { bindings: server.bindings })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const { location } = await browser.decide(await client.authorize(browser), 'approve')
    const { search } = new URL(location ?? '')
    const code = codeOf(await browser.get(`/authorize/callback${search}`))
    return { client, tokens: await tokensOf(await client.redeem(code)), elsewhere }
  }

  const neverAsked: Refresh = async () => {
    throw new LoginError('This must not be called')
  }

  it.each<[string, Refresh | undefined, Person['props'] | null]>([
    ['without a refresh leaves the props as they are', undefined, { a: 1 }],
    ['is not asked for a person without props', neverAsked, null],
  ])('%s', async (_, refresh, props) => {
    const { client, tokens } = await openOwn(refresh, props)
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })

  it('keeps the grant when it throws a LoginError with the reason unavailable', async () => {
    let isDown = true
    const { client, tokens } = await openOwn(async (props) => {
      if (isDown) throw new LoginError('Later', { reason: 'unavailable' })
      return props
    })
    expect((await client.refresh(tokens.refresh)).status).toBe(503)
    isDown = false
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })

  it('is asked at once after a refresh that was refused, and not for a token that was spent a moment ago', async () => {
    let calls = 0
    const { client, tokens } = await openOwn(async (props) => {
      calls += 1
      return props
    })
    const other = await AuthClient.register(client.server)
    await expectRefusal(other.refresh(tokens.refresh), 'invalid_grant')
    expect(calls).toBe(0)
    const startedAt = performance.now()
    const first = await tokensOf(await client.refresh(tokens.refresh))
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    const again = await tokensOf(await client.refresh(tokens.refresh))
    expect(again.refresh).toBe(first.refresh)
    expect(calls).toBe(1)
  })

  it('is asked once by two concurrent refreshes in two isolates', async () => {
    const answer = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    let calls = 0
    const { client, tokens, elsewhere } = await openOwn(async (props) => {
      calls += 1
      asked.resolve()
      await answer.promise
      return { ...props, a: calls }
    })
    const other = client.at(elsewhere())
    // An isolate reads revocations before its first call of an account.
    await other.server.fetch(KEYS)
    const one = client.refresh(tokens.refresh)
    await asked.promise
    const two = other.refresh(tokens.refresh)
    answer.resolve()
    const [first, second] = [await tokensOf(await one), await tokensOf(await two)]
    expect(second.refresh).toBe(first.refresh)
    expect(calls).toBe(1)
    expect((await client.refresh(first.refresh)).status).toBe(200)
    expect(calls).toBe(2)
  })

  it('is asked once by two concurrent refreshes, also while the hook of the first one runs', async () => {
    const hook = Promise.withResolvers<void>()
    let calls = 0
    let hooked = 0
    const refresh: Refresh = async (props) => {
      calls += 1
      return { ...props, a: calls }
    }
    const { client, tokens, elsewhere } = await openOwn(refresh, { a: 1 }, async () => {
      hooked += 1
      if (hooked === 1) await hook.promise
      return {}
    })
    const other = client.at(elsewhere())
    await other.server.fetch(KEYS)
    const one = client.refresh(tokens.refresh)
    await vi.waitUntil(() => hooked === 1)
    const two = other.refresh(tokens.refresh)
    // Time in which the second one has looked for the lease.
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect([calls, hooked]).toEqual([1, 1])
    hook.resolve()
    const [first, second] = [await tokensOf(await one), await tokensOf(await two)]
    expect(second.refresh).toBe(first.refresh)
    expect(calls).toBe(1)
  })
})
