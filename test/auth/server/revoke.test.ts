import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { bodyOf, refusalOf, refusalWith } from './support/answers.ts'
import { AuthClient, statusWith, tokensOf } from './support/client.ts'
import { advance, openDeployment } from './support/deployment.ts'
import { MACHINE, SECRET } from './support/static-clients.ts'

const INVALID_GRANT = { status: 400, error: 'invalid_grant' }

async function open() {
  const server = openDeployment({ clients: [MACHINE] })
  const client = await AuthClient.register(server)
  const machine = new AuthClient(server, 'machine', SECRET)
  return { server, client, machine, tokens: await client.tokens() }
}

describe('the revocation endpoint', () => {
  it.each(['refresh', 'access'] as const)('ends the grant of the %s token', async (kind) => {
    verifies('token-revocation/refresh-tokens')
    const { server, client, tokens } = await open()
    const revoked = await client.post('/revoke', { token: tokens[kind] })
    expect(await bodyOf(revoked)).toEqual({})
    // The isolate that revokes drops its cached grant check: the frozen clock has not moved.
    expect(await statusWith(server, tokens.access)).toBe(401)
    expect(await refusalOf(await client.refresh(tokens.refresh))).toEqual(INVALID_GRANT)
  })

  it('ends the grant of a refresh token that was spent before', async () => {
    const { client, tokens } = await open()
    const next = await tokensOf(await client.refresh(tokens.refresh))
    expect((await client.post('/revoke', { token: tokens.refresh })).status).toBe(200)
    expect(await refusalOf(await client.refresh(next.refresh))).toEqual(INVALID_GRANT)
  })

  it('serves a client that authenticates', async () => {
    const { server, machine } = await open()
    const { access } = await machine.tokens()
    expect((await machine.post('/revoke', { token: access })).status).toBe(200)
    expect(await statusWith(server, access)).toBe(401)
  })

  it('ignores token_type_hint', async () => {
    verifies('token-revocation/all-token-types')
    const { server, client, tokens } = await open()
    const fields = { token: tokens.access, token_type_hint: 'refresh_token' }
    expect((await client.post('/revoke', fields)).status).toBe(200)
    expect(await statusWith(server, tokens.access)).toBe(401)
  })

  it.each(['refresh', 'access'] as const)(
    'answers 200 to another client that presents the %s token, and ends nothing',
    async (kind) => {
      verifies('token-revocation/guessing')
      const { server, machine, client, tokens } = await open()
      expect(await bodyOf(await machine.post('/revoke', { token: tokens[kind] }))).toEqual({})
      advance(30_000)
      expect(await statusWith(server, tokens.access)).toBe(200)
      expect((await client.refresh(tokens.refresh)).status).toBe(200)
    },
  )

  it.each(['made-up', 'e30.e30.AAAA', 'x'.repeat(20_000)])(
    'answers 200 to a token of another server',
    async (token) => {
      const { client } = await open()
      expect(await bodyOf(await client.post('/revoke', { token }))).toEqual({})
    },
  )

  it('answers 200 to a token that was revoked before', async () => {
    const { client, tokens } = await open()
    for (const token of [tokens.refresh, tokens.refresh, tokens.access]) {
      expect(await bodyOf(await client.post('/revoke', { token }))).toEqual({})
    }
  })

  it('answers 200 to an access token that has expired, and leaves its grant', async () => {
    const { client, tokens } = await open()
    advance(86_400_000)
    expect(await bodyOf(await client.post('/revoke', { token: tokens.access }))).toEqual({})
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })

  it('rejects an access token without a grant with unsupported_token_type', async () => {
    const { server, machine } = await open()
    const issued = await machine.token({ grant_type: 'client_credentials' })
    const { access } = await tokensOf(issued)
    expect(await refusalOf(await machine.post('/revoke', { token: access }))).toEqual(
      refusalWith('unsupported_token_type'),
    )
    expect(await statusWith(server, access)).toBe(200)
  })

  it('answers 200 to an access token without a grant of another client', async () => {
    const { machine, client } = await open()
    const { access } = await tokensOf(await machine.token({ grant_type: 'client_credentials' }))
    expect(await bodyOf(await client.post('/revoke', { token: access }))).toEqual({})
  })

  it.each([
    ['without a token', undefined],
    ['with an empty token', ''],
  ])('rejects a request %s with invalid_request', async (_, token) => {
    verifies('token-revocation/token')
    const { client } = await open()
    expect(await refusalOf(await client.post('/revoke', { token }))).toEqual(
      refusalWith('invalid_request'),
    )
  })
})
