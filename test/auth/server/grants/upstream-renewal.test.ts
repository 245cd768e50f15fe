/** Refreshes of grants whose person signed in elsewhere: the tokens of the provider are renewed. */
import { describe, expect, it } from 'vitest'
import { LoginError, ownLogin, type Person } from '../../../../src/index.ts'
import { reasonsOf, refusalOf } from '../support/answers.ts'
import { Browser } from '../support/browser.ts'
import { AuthClient, codeOf, statusWith, type Tokens, tokensOf } from '../support/client.ts'
import { advance, type Deployment, openDeployment } from '../support/deployment.ts'
import { OpenIdProvider } from '../support/provider.ts'

const MINUTE_MS = 60_000
const INVALID_GRANT = { status: 400, error: 'invalid_grant' }

/** A grant whose provider token ends in an hour; it is renewed from 5 minutes before its end. */
async function open() {
  const provider = await OpenIdProvider.start()
  const server = openDeployment({ login: provider.login() })
  const client = await AuthClient.register(server)
  const tokens = await tokensOf(await client.redeem(await provider.code(client)))
  const renewals = () => provider.forms.slice(1)
  return { provider, server, client, tokens, renewals }
}

describe('a refresh', () => {
  it('does not ask the provider while its token is good', async () => {
    const { client, tokens, renewals } = await open()
    advance(55 * MINUTE_MS - 1)
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
    expect(renewals()).toEqual([])
  })

  it('renews the token of the provider, and keeps the new one for the next time', async () => {
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
    const provider = await OpenIdProvider.start()
    const seen: unknown[] = []
    const server = openDeployment({
      login: provider.login(),
      hooks: {
        onRefresh: ({ props }) => {
          seen.push(props?.upstream)
          return { props: { own: true } }
        },
      },
    })
    const client = await AuthClient.register(server)
    const { refresh } = await tokensOf(await client.redeem(await provider.code(client)))
    advance(60 * MINUTE_MS)
    const next = await tokensOf(await client.refresh(refresh))
    await client.refresh(next.refresh)
    expect(seen).toEqual([expect.objectContaining({ accessToken: 'upstream-access-2' }), undefined])
  })

  it('does not ask the provider when it is rejected here', async () => {
    const { server, tokens, renewals } = await open()
    advance(60 * MINUTE_MS)
    const other = await AuthClient.register(server)
    expect(await refusalOf(await other.refresh(tokens.refresh))).toEqual(INVALID_GRANT)
    expect(renewals()).toEqual([])
  })

  it('is rejected with invalid_grant and ends the grant when the provider has ended it', async () => {
    const { provider, server, client, tokens } = await open()
    advance(60 * MINUTE_MS)
    provider.answers.set('/token', () => Response.json({ error: 'invalid_grant' }, { status: 400 }))
    expect(await refusalOf(await client.refresh(tokens.refresh))).toEqual(INVALID_GRANT)
    expect(reasonsOf(server)).toEqual(['upstream-sign-in-ended'])
    provider.answers.clear()
    expect(await statusWith(server, tokens.access)).toBe(401)
    expect(await refusalOf(await client.refresh(tokens.refresh))).toEqual(INVALID_GRANT)
  })

  it('is answered with 500 server_error when the provider is down, and the token stays', async () => {
    const { provider, client, tokens } = await open()
    advance(60 * MINUTE_MS)
    provider.answers.set('/token', () => new Response(null, { status: 503 }))
    expect(await refusalOf(await client.refresh(tokens.refresh))).toEqual({
      status: 500,
      error: 'server_error',
    })
    provider.answers.clear()
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })
})

describe('a login of the author', () => {
  type Refresh = NonNullable<Parameters<typeof ownLogin>[0]['refresh']>

  /** A grant of a person with these props, and a refresh that a test writes. */
  async function openOwn(props: Person['props'], refresh?: Refresh) {
    const server: Deployment = openDeployment({
      login: ownLogin({
        name: 'Elsewhere',
        begin: async ({ state }) => new URL(`https://elsewhere.example/?state=${state}`),
        finish: async () => ({ subject: 'ada', name: 'Ada', props }),
        ...(refresh && { refresh }),
      }),
    })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const { location } = await browser.decide(await client.authorize(browser), 'approve')
    const { search } = new URL(location ?? '')
    const code = codeOf(await browser.get(`/authorize/callback${search}`))
    return { client, tokens: await tokensOf(await client.redeem(code)) }
  }

  it('without a refresh leaves the props as they are', async () => {
    const { client, tokens } = await openOwn({ a: 1 })
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })

  it('is not asked for a person without props', async () => {
    const { client, tokens } = await openOwn(undefined, async () => {
      throw new LoginError('This must not be called')
    })
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })

  it('is not asked again for a token that was spent a moment ago', async () => {
    let calls = 0
    const { client, tokens } = await openOwn({ a: 1 }, async (props) => {
      calls += 1
      return props
    })
    const first = await tokensOf(await client.refresh(tokens.refresh))
    const again = await tokensOf(await client.refresh(tokens.refresh))
    expect(again.refresh).toBe(first.refresh)
    expect(calls).toBe(1)
  })

  it('may serve one of two concurrent refreshes: the other one still receives the successor', async () => {
    let winner: Tokens | undefined
    const opened: { client?: AuthClient; tokens?: Tokens } = {}
    const { client, tokens } = await openOwn({ a: 1 }, async (props) => {
      // Within the first refresh the same token is refreshed once more, and that one succeeds.
      const { client, tokens } = opened
      if (client === undefined || tokens === undefined) return props
      opened.client = undefined
      winner = await tokensOf(await client.refresh(tokens.refresh))
      throw new LoginError('The token of the provider was spent')
    })
    Object.assign(opened, { client, tokens })
    const loser = await tokensOf(await client.refresh(tokens.refresh))
    expect(winner?.refresh).toBe(loser.refresh)
    expect((await client.refresh(loser.refresh)).status).toBe(200)
  })
})
