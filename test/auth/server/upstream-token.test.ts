/** `ctx.auth.upstream.token()`: the provider's access token in a handler, renewed when it ends. */
import { describe, expect, it } from 'vitest'
import type { EmbeddedOptions } from '../../../src/auth/index.ts'
import { ToolError } from '../../../src/index.ts'
import { FullServer } from '../../support/full-server.ts'
import { reasonsOf } from './support/answers.ts'
import { callTool } from './support/api-keys.ts'
import { AuthClient, tokensOf } from './support/client.ts'
import { advance, type Deployment, openDeployment } from './support/deployment.ts'
import { OpenIdProvider } from './support/provider.ts'

const HOUR_MS = 3_600_000
const ENDED = 'error: Your sign-in at Example has ended. Connect this server again to sign in.'
const UNAVAILABLE = 'error: Example is not available at the moment. Try again later.'

function createServer(): FullServer {
  const server = new FullServer({ name: 'notes', version: '1.0.0' })
  server.registerTool('token', {}, async (ctx) => ctx.auth?.upstream.token() ?? 'anonymous')
  server.registerTool('reason', {}, async (ctx) => {
    const error: unknown = await ctx.auth?.upstream.token().catch((thrown: unknown) => thrown)
    return error instanceof ToolError ? String(error.reason) : 'no error'
  })
  server.registerTool('caller', {}, (ctx) => JSON.stringify(ctx.auth))
  return server
}

/** A grant whose upstream token ends in an hour. */
async function open(options: Partial<EmbeddedOptions> = {}, issued: OpenIdProvider['tokens'] = {}) {
  const provider = await OpenIdProvider.start()
  provider.tokens = issued
  const isolate = (bindings?: Deployment['bindings']) =>
    openDeployment(
      { login: provider.login(), ...options },
      { server: createServer(), ...(bindings && { bindings }) },
    )
  const server = isolate()
  const client = await AuthClient.register(server)
  const tokens = await tokensOf(await client.redeem(await provider.code(client)))
  const renewals = () => provider.forms.slice(1).map(({ refresh_token }) => refresh_token)
  return { provider, server, elsewhere: () => isolate(server.bindings), client, tokens, renewals }
}

async function call(server: Deployment, token: string, name = 'token'): Promise<string> {
  const response = await callTool(server, token, name)
  if (response.status !== 200) return `status ${response.status}`
  const body = await response.text()
  const [, data = body] = /^data: (\{.*)$/m.exec(body) ?? []
  const { result } = JSON.parse(data)
  return `${result.isError ? 'error: ' : ''}${result.content[0].text}`
}

const refuse = (error: string) => () => Response.json({ error }, { status: 400 })

describe('ctx.auth.upstream.token()', () => {
  it('renews a token that ends within a minute, for all later calls and refreshes', async () => {
    const { server, elsewhere, client, tokens, renewals } = await open()
    advance(HOUR_MS - 60_001)
    expect(await call(server, tokens.access)).toBe('upstream-access-1')
    expect(renewals()).toEqual([])
    advance(1)
    expect(await call(server, tokens.access)).toBe('upstream-access-2')
    expect(await call(server, tokens.access)).toBe('upstream-access-2')
    expect(await call(elsewhere(), tokens.access)).toBe('upstream-access-2')
    const next = await tokensOf(await client.refresh(tokens.refresh))
    expect(await call(server, next.access)).toBe('upstream-access-2')
    expect(renewals()).toEqual(['upstream-refresh-1'])
    advance(HOUR_MS)
    expect(await call(server, next.access)).toBe('upstream-access-3')
    expect(renewals()).toEqual(['upstream-refresh-1', 'upstream-refresh-2'])
  })

  it('asks the provider once for concurrent calls in two isolates and a refresh', async () => {
    const { provider, server, elsewhere, client, tokens, renewals } = await open()
    const other = elsewhere()
    await call(other, tokens.access)
    advance(HOUR_MS)
    const answers = await Promise.all([
      call(server, tokens.access),
      call(server, tokens.access),
      call(other, tokens.access),
      client.refresh(tokens.refresh).then(({ status }) => String(status)),
      call(other, tokens.access),
    ])
    expect(renewals()).toEqual(['upstream-refresh-1'])
    const renewed = 'upstream-access-2'
    expect(answers).toEqual([renewed, renewed, renewed, '200', renewed])
    expect(provider.forms).toHaveLength(2)
  })

  it('keeps what a hook of a concurrent refresh has stored', async () => {
    const onIssue: NonNullable<EmbeddedOptions['hooks']>['onIssue'] = ({ props }) => ({
      props: { ...props, team: 'blue' },
    })
    const { server, tokens } = await open({ hooks: { onIssue } })
    advance(HOUR_MS)
    expect(await call(server, tokens.access)).toBe('upstream-access-2')
    advance(30_000)
    expect(JSON.parse(await call(server, tokens.access, 'caller')).props).toMatchObject({
      team: 'blue',
      upstream: { accessToken: 'upstream-access-2' },
    })
  })

  it('is no part of the caller as text', async () => {
    const { server, tokens } = await open()
    const caller = JSON.parse(await call(server, tokens.access, 'caller'))
    const names = ['subject', 'clientId', 'scopes', 'issuer', 'resource', 'props']
    expect(Object.keys(caller)).toEqual(names)
  })
})

describe('a renewal for ctx.auth.upstream.token()', () => {
  it('that the provider refuses tells the person to sign in, and ends the grant', async () => {
    const { provider, server, client, tokens } = await open()
    advance(HOUR_MS)
    provider.answers.set('/token', refuse('invalid_grant'))
    expect(await call(server, tokens.access)).toBe(ENDED)
    expect(reasonsOf(server)).toEqual(['upstream-sign-in-ended'])
    advance(30_000)
    expect(await call(server, tokens.access)).toBe('status 401')
    expect((await client.refresh(tokens.refresh)).status).toBe(400)
  })

  it.each<[string, () => Response]>([
    ['answers 503', () => new Response(null, { status: 503 })],
    ['answers without JSON', () => new Response('<html>')],
    ['refuses the client of this server', refuse('invalid_client')],
    [
      ...(['cannot be reached'] as const),
      () => {
        throw new TypeError('Network connection lost')
      },
    ],
  ])('while the provider %s tells the person to wait, and keeps the grant', async (_, answer) => {
    const { provider, server, tokens, renewals } = await open()
    advance(HOUR_MS)
    provider.answers.set('/token', answer)
    expect(await call(server, tokens.access)).toBe(UNAVAILABLE)
    expect(server.events).toContainEqual({ type: 'internal-error', error: expect.any(Error) })
    expect(JSON.stringify(server.events)).not.toContain('upstream-refresh')
    provider.answers.clear()
    expect(await call(server, tokens.access)).toBe('upstream-access-2')
    expect(renewals()).toEqual(['upstream-refresh-1'])
  })

  it('without a refresh token tells the person to sign in, and keeps the grant', async () => {
    const { server, tokens } = await open({}, { refresh_token: undefined })
    advance(HOUR_MS)
    expect(await call(server, tokens.access)).toBe(ENDED)
    expect(await call(server, tokens.access, 'caller')).toContain('"subject":"ada"')
  })

  it('is not possible for a login without a provider, nor when a hook has dropped the tokens', async () => {
    const server = openDeployment({}, { server: createServer() })
    const { access } = await (await AuthClient.register(server)).tokens()
    expect(await call(server, access)).toContain('error: This server has no access token')
    expect(await call(server, access, 'reason')).toBe('none')
    const dropped = await open({ hooks: { onIssue: () => ({ props: { own: true } }) } })
    expect(await call(dropped.server, dropped.tokens.access, 'reason')).toBe('none')
  })
})
