/** `ctx.auth.upstream.token()`: the provider's access token in a handler, renewed when it ends. */
import { describe, expect, it } from 'vitest'
import type { EmbeddedOptions } from '../../../src/auth/index.ts'
import { ToolError } from '../../../src/index.ts'
import { FullServer } from '../../support/full-server.ts'
import { reasonsOf } from './support/answers.ts'
import { AuthClient, tokensOf } from './support/client.ts'
import { advance, type Deployment, openDeployment, RESOURCE } from './support/deployment.ts'
import { OpenIdProvider } from './support/provider.ts'

const HOUR_MS = 3_600_000
const ENDED = 'Your sign-in at Example has ended. Connect this server again to sign in.'
const UNAVAILABLE = 'Example is not available at the moment. Try again later.'

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
async function open(options: Partial<EmbeddedOptions> = {}) {
  const provider = await OpenIdProvider.start()
  const all = { login: provider.login(), ...options }
  const server = openDeployment(all, { server: createServer() })
  /** Another isolate with the same objects. */
  const elsewhere = () =>
    openDeployment(
      { ...all, login: provider.login() },
      { server: createServer(), bindings: server.bindings },
    )
  const client = await AuthClient.register(server)
  const tokens = await tokensOf(await client.redeem(await provider.code(client)))
  const renewals = () => provider.forms.slice(1).map(({ refresh_token }) => refresh_token)
  return { provider, server, elsewhere, client, tokens, renewals }
}

async function call(server: Deployment, token: string, name = 'token'): Promise<string> {
  const response = await server.fetch(RESOURCE, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${token}`,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: {} },
    }),
  })
  if (response.status !== 200) return `status ${response.status}`
  const body = await response.text()
  const [, data = body] = /^data: (\{.*)$/m.exec(body) ?? []
  const { result } = JSON.parse(data)
  return `${result.isError ? 'error: ' : ''}${result.content[0].text}`
}

const refuse = (error: string) => () => Response.json({ error }, { status: 400 })

describe('ctx.auth.upstream.token()', () => {
  it('returns the token of the sign-in without asking the provider', async () => {
    const { server, tokens, renewals } = await open()
    expect(await call(server, tokens.access)).toBe('upstream-access-1')
    advance(HOUR_MS - 60_001)
    expect(await call(server, tokens.access)).toBe('upstream-access-1')
    expect(renewals()).toEqual([])
  })

  it('renews a token that ends within a minute, for all later calls and refreshes', async () => {
    const { server, elsewhere, client, tokens, renewals } = await open()
    advance(HOUR_MS - 60_000)
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
    expect(answers).toEqual([
      'upstream-access-2',
      'upstream-access-2',
      'upstream-access-2',
      '200',
      'upstream-access-2',
    ])
    expect(provider.forms).toHaveLength(2)
  })

  it('keeps what a hook of a concurrent refresh has stored', async () => {
    const provider = await OpenIdProvider.start()
    const hooks: EmbeddedOptions['hooks'] = {
      onIssue: ({ props }) => ({ props: { ...props, team: 'blue' } }),
    }
    const server = openDeployment({ login: provider.login(), hooks }, { server: createServer() })
    const client = await AuthClient.register(server)
    const { access } = await tokensOf(await client.redeem(await provider.code(client)))
    advance(HOUR_MS)
    expect(await call(server, access)).toBe('upstream-access-2')
    advance(30_000)
    expect(JSON.parse(await call(server, access, 'caller')).props).toMatchObject({
      team: 'blue',
      upstream: { accessToken: 'upstream-access-2' },
    })
  })

  it('is no part of the caller as text', async () => {
    const { server, tokens } = await open()
    expect(Object.keys(JSON.parse(await call(server, tokens.access, 'caller')))).toEqual([
      'subject',
      'clientId',
      'scopes',
      'issuer',
      'resource',
      'props',
    ])
  })
})

describe('a renewal for ctx.auth.upstream.token()', () => {
  it('that the provider refuses tells the person to sign in, and ends the grant', async () => {
    const { provider, server, client, tokens } = await open()
    advance(HOUR_MS)
    provider.answers.set('/token', refuse('invalid_grant'))
    expect(await call(server, tokens.access)).toBe(`error: ${ENDED}`)
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
      'cannot be reached',
      () => {
        throw new TypeError('Network connection lost')
      },
    ],
  ])('while the provider %s tells the person to wait, and keeps the grant', async (_, answer) => {
    const { provider, server, tokens, renewals } = await open()
    advance(HOUR_MS)
    provider.answers.set('/token', answer)
    expect(await call(server, tokens.access)).toBe(`error: ${UNAVAILABLE}`)
    expect(server.events).toContainEqual({ type: 'internal-error', error: expect.any(Error) })
    expect(JSON.stringify(server.events)).not.toContain('upstream-refresh')
    provider.answers.clear()
    expect(await call(server, tokens.access)).toBe('upstream-access-2')
    expect(renewals()).toEqual(['upstream-refresh-1'])
  })

  it('without a refresh token tells the person to sign in, and keeps the grant', async () => {
    const provider = await OpenIdProvider.start()
    provider.tokens = { refresh_token: undefined }
    const server = openDeployment({ login: provider.login() }, { server: createServer() })
    const client = await AuthClient.register(server)
    const { access } = await tokensOf(await client.redeem(await provider.code(client)))
    advance(HOUR_MS)
    expect(await call(server, access)).toBe(`error: ${ENDED}`)
    expect(await call(server, access, 'caller')).toContain('"subject":"ada"')
  })

  it('is not possible for a login without a provider', async () => {
    const server = openDeployment({}, { server: createServer() })
    const client = await AuthClient.register(server)
    const { access } = await client.tokens()
    expect(await call(server, access)).toContain('error: This server has no access token')
    expect(await call(server, access, 'reason')).toBe('none')
  })

  it('is not possible when a hook has dropped the upstream tokens', async () => {
    const { server, tokens } = await open({ hooks: { onIssue: () => ({ props: { own: true } }) } })
    expect(await call(server, tokens.access, 'reason')).toBe('none')
  })
})
