import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { bodyOf, refusalOf, refusalWith } from './support/answers.ts'
import { AuthClient, postForm, register, tokensOf } from './support/client.ts'
import { advance, openDeployment } from './support/deployment.ts'
import { DpopKey } from './support/dpop.ts'
import { basic, MACHINE, SECRET } from './support/static-clients.ts'

const DAY_MS = 86_400_000
const INACTIVE = { active: false }

async function open() {
  const server = openDeployment({ clients: [MACHINE] })
  const machine = new AuthClient(server, 'machine', SECRET)
  const introspect = async (token: string) =>
    bodyOf(await postForm(server, '/introspect', { token }, basic('machine')))
  return { server, machine, introspect }
}

describe('the introspection endpoint', () => {
  it('describes an access token of the client', async () => {
    verifies('token-introspection/all-token-types', 'token-introspection/active')
    const { machine, introspect } = await open()
    const { access } = await machine.tokens({ scope: 'read' })
    expect(await introspect(access)).toEqual({
      active: true,
      client_id: 'machine',
      sub: 'owner',
      aud: 'https://mcp.example.com/mcp',
      iss: 'https://mcp.example.com',
      scope: 'read',
      exp: 4_102_531_200,
      token_type: 'Bearer',
    })
  })

  it('describes an access token without a grant', async () => {
    const { machine, introspect } = await open()
    const { access } = await tokensOf(await machine.token({ grant_type: 'client_credentials' }))
    expect(await introspect(access)).toEqual({
      active: true,
      client_id: 'machine',
      sub: 'client:machine',
      aud: 'https://mcp.example.com/mcp',
      iss: 'https://mcp.example.com',
      scope: 'read write',
      exp: 4_102_448_400,
      token_type: 'Bearer',
    })
  })

  it('describes an access token that is bound to a key', async () => {
    verifies('dpop/introspected-type')
    const { machine, introspect } = await open()
    const key = await DpopKey.create()
    const credentials = { grant_type: 'client_credentials' }
    const { access } = await tokensOf(await machine.token(credentials, await key.proof()))
    expect(await introspect(access)).toMatchObject({
      active: true,
      token_type: 'DPoP',
      cnf: { jkt: key.jkt },
    })
  })

  it('describes a refresh token of the client', async () => {
    const { machine, introspect } = await open()
    const { refresh } = await machine.tokens({ scope: 'write' })
    expect(await introspect(refresh)).toEqual({
      active: true,
      client_id: 'machine',
      scope: 'write',
      // 60 days later.
      exp: 4_107_628_800,
      iss: 'https://mcp.example.com',
    })
  })

  it('does not use up a refresh token', async () => {
    const { machine, introspect } = await open()
    const { refresh } = await machine.tokens()
    await introspect(refresh)
    expect((await machine.refresh(refresh)).status).toBe(200)
  })

  it('reports a spent refresh token as active within the 30 seconds of its grace', async () => {
    const { machine, introspect } = await open()
    const { refresh } = await machine.tokens()
    await machine.refresh(refresh)
    advance(29_999)
    expect(await introspect(refresh)).toMatchObject({ active: true })
    advance(1)
    expect(await introspect(refresh)).toEqual(INACTIVE)
  })

  it.each(['access', 'refresh'] as const)(
    'reports the %s token of a revoked grant as inactive',
    async (kind) => {
      verifies('token-introspection/token-state')
      const { machine, introspect } = await open()
      const tokens = await machine.tokens()
      await machine.post('/revoke', { token: tokens.refresh })
      expect(await introspect(tokens[kind])).toEqual(INACTIVE)
    },
  )

  it.each(['access', 'refresh'] as const)(
    'reports the %s token of another client as inactive',
    async (kind) => {
      verifies('token-introspection/inactive')
      const { server, introspect } = await open()
      const tokens = await (await AuthClient.register(server)).tokens()
      expect(await introspect(tokens[kind])).toEqual(INACTIVE)
    },
  )

  it('reports tokens that have expired as inactive', async () => {
    const { machine, introspect } = await open()
    const { access, refresh } = await machine.tokens()
    advance(DAY_MS)
    expect(await introspect(access)).toEqual(INACTIVE)
    expect(await introspect(refresh)).toMatchObject({ active: true })
    advance(59 * DAY_MS)
    expect(await introspect(refresh)).toEqual(INACTIVE)
  })

  it.each(['made-up', 'e30.e30.AAAA'])('reports %j as inactive', async (token) => {
    const { introspect } = await open()
    expect(await introspect(token)).toEqual(INACTIVE)
  })

  it('rejects a public client with invalid_client', async () => {
    verifies('token-introspection/authorization')
    const { server } = await open()
    const client = await AuthClient.register(server)
    const { access } = await client.tokens()
    expect(await refusalOf(await client.post('/introspect', { token: access }))).toEqual({
      status: 401,
      error: 'invalid_client',
      challenge: 'Basic realm="https://mcp.example.com", charset="UTF-8"',
    })
  })

  it('rejects an empty form with invalid_request', async () => {
    verifies('token-introspection/token')
    const { server } = await open()
    expect(await refusalOf(await postForm(server, '/introspect', {}))).toEqual(
      refusalWith('invalid_request'),
    )
  })

  it('rejects a request without a token with invalid_request', async () => {
    const { server } = await open()
    expect(await refusalOf(await postForm(server, '/introspect', {}, basic('machine')))).toEqual(
      refusalWith('invalid_request'),
    )
  })

  it('serves a registered client that has a secret', async () => {
    const { server } = await open()
    const response = await register(server, { token_endpoint_auth_method: 'client_secret_basic' })
    const { client_id = '', client_secret } = await response.json<Record<string, string>>()
    const client = new AuthClient(server, client_id, client_secret)
    const { access } = await client.tokens()
    expect(await bodyOf(await client.post('/introspect', { token: access }))).toMatchObject({
      active: true,
      client_id,
    })
  })
})
