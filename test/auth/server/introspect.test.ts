/** What the endpoints for programs say of tokens, and how tokens are revoked there. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { bodyOf, refusalOf } from './support/answers.ts'
import { AuthClient, postForm, statusWith, tokensOf } from './support/client.ts'
import { advance } from './support/deployment.ts'
import { DpopKey } from './support/dpop.ts'
import { expectRefusal, open } from './support/flow.ts'
import { basic } from './support/static-clients.ts'

const DAY_MS = 86_400_000
const INACTIVE = { active: false }
const CREDENTIALS = { grant_type: 'client_credentials' }

/** A configured client, a registered one, and tokens of both. */
async function openBoth() {
  const { server, client: machine } = await open({ kind: 'static' })
  const other = await AuthClient.register(server)
  const tokens = { machine: await machine.tokens(), other: await other.tokens() }
  const introspect = async (token: string) => bodyOf(await machine.post('/introspect', { token }))
  const revoke = async (token: string, by = other) => bodyOf(await by.post('/revoke', { token }))
  const service = async (headers = {}) =>
    (await tokensOf(await machine.token(CREDENTIALS, headers))).access
  return { server, machine, other, tokens, introspect, revoke, service }
}

describe('the introspection endpoint', () => {
  const ACTIVE = {
    active: true,
    client_id: 'machine',
    iss: 'https://mcp.example.com',
    scope: 'read write',
  }
  const ACCESS = { ...ACTIVE, aud: 'https://mcp.example.com/mcp', token_type: 'Bearer' }

  it('describes access tokens with and without a grant, and refresh tokens', async () => {
    verifies('token-introspection/all-token-types', 'token-introspection/active')
    const { tokens, introspect, service } = await openBoth()
    const { access, refresh } = tokens.machine
    expect(await introspect(access)).toEqual({ ...ACCESS, sub: 'owner', exp: 4_102_531_200 })
    const own = { ...ACCESS, sub: 'client:machine', exp: 4_102_448_400 }
    expect(await introspect(await service())).toEqual(own)
    // 60 days later.
    expect(await introspect(refresh)).toEqual({ ...ACTIVE, exp: 4_107_628_800 })
  })

  it('describes an access token that is bound to a key', async () => {
    verifies('dpop/introspected-type')
    const { introspect, service } = await openBoth()
    const key = await DpopKey.create()
    const bound = { active: true, token_type: 'DPoP', cnf: { jkt: key.jkt } }
    expect(await introspect(await service(await key.proof()))).toMatchObject(bound)
  })

  it('reports a spent refresh token as active within its grace, and uses up none', async () => {
    const { machine, tokens, introspect } = await openBoth()
    const { refresh } = tokens.machine
    await introspect(refresh)
    expect((await machine.refresh(refresh)).status).toBe(200)
    advance(29_999)
    expect(await introspect(refresh)).toMatchObject({ active: true })
    advance(1)
    expect(await introspect(refresh)).toEqual(INACTIVE)
  })

  it('reports foreign, made-up and revoked tokens as inactive', async () => {
    verifies('token-introspection/token-state', 'token-introspection/inactive')
    const { machine, tokens, introspect, revoke } = await openBoth()
    for (const token of [tokens.other.access, tokens.other.refresh, 'made-up', 'e30.e30.AAAA']) {
      expect(await introspect(token)).toEqual(INACTIVE)
    }
    await revoke(tokens.machine.refresh, machine)
    for (const token of Object.values(tokens.machine).slice(0, 2)) {
      expect(await introspect(token)).toEqual(INACTIVE)
    }
  })

  it('reports tokens that have expired as inactive', async () => {
    const { tokens, introspect } = await openBoth()
    const { access, refresh } = tokens.machine
    advance(DAY_MS)
    expect(await introspect(access)).toEqual(INACTIVE)
    expect(await introspect(refresh)).toMatchObject({ active: true })
    advance(59 * DAY_MS)
    expect(await introspect(refresh)).toEqual(INACTIVE)
  })

  it('rejects a public client, and a request without a token', async () => {
    verifies('token-introspection/authorization', 'token-introspection/token')
    const { server, other, tokens } = await openBoth()
    expect(
      await refusalOf(await other.post('/introspect', { token: tokens.other.access })),
    ).toEqual({
      status: 401,
      error: 'invalid_client',
      challenge: 'Basic realm="https://mcp.example.com", charset="UTF-8"',
    })
    await expectRefusal(postForm(server, '/introspect', {}), 'invalid_request')
    await expectRefusal(postForm(server, '/introspect', {}, basic('machine')), 'invalid_request')
  })

  it('serves a registered client that has a secret', async () => {
    const { client } = await open({ kind: 'secret' })
    const { access } = await client.tokens()
    const body = await bodyOf(await client.post('/introspect', { token: access }))
    expect(body).toMatchObject({ active: true, client_id: client.id })
  })
})

describe('the revocation endpoint', () => {
  it.each(['refresh', 'access'] as const)('ends the grant of the %s token', async (kind) => {
    verifies('token-revocation/refresh-tokens')
    const { server, other, tokens, revoke } = await openBoth()
    expect(await revoke(tokens.other[kind])).toEqual({})
    // The isolate that revokes drops its cached grant check: the frozen clock has not moved.
    expect(await statusWith(server, tokens.other.access)).toBe(401)
    await expectRefusal(other.refresh(tokens.other.refresh), 'invalid_grant')
    for (const token of [tokens.other.refresh, tokens.other.access]) {
      expect(await revoke(token)).toEqual({})
    }
  })

  it('ends the grant of a refresh token that was spent before', async () => {
    const { other, tokens, revoke } = await openBoth()
    const next = await tokensOf(await other.refresh(tokens.other.refresh))
    await revoke(tokens.other.refresh)
    await expectRefusal(other.refresh(next.refresh), 'invalid_grant')
  })

  it('serves a client that authenticates, and ignores token_type_hint', async () => {
    verifies('token-revocation/all-token-types')
    const { server, machine, tokens } = await openBoth()
    const fields = { token: tokens.machine.access, token_type_hint: 'refresh_token' }
    expect((await machine.post('/revoke', fields)).status).toBe(200)
    expect(await statusWith(server, tokens.machine.access)).toBe(401)
  })

  it.each(['refresh', 'access'] as const)(
    'answers 200 to another client that presents the %s token, and ends nothing',
    async (kind) => {
      const { server, machine, other, tokens, revoke } = await openBoth()
      expect(await revoke(tokens.other[kind], machine)).toEqual({})
      advance(30_000)
      expect(await statusWith(server, tokens.other.access)).toBe(200)
      expect((await other.refresh(tokens.other.refresh)).status).toBe(200)
    },
  )

  it.each(['made-up', 'e30.e30.AAAA', 'x'.repeat(20_000)])(
    'answers 200 to a token of another server',
    async (token) => {
      expect(await (await openBoth()).revoke(token)).toEqual({})
    },
  )

  it('answers 200 to an access token that has expired, and leaves its grant', async () => {
    const { other, tokens, revoke } = await openBoth()
    advance(DAY_MS)
    expect(await revoke(tokens.other.access)).toEqual({})
    expect((await other.refresh(tokens.other.refresh)).status).toBe(200)
  })

  it('rejects an access token without a grant, but not to another client', async () => {
    const { server, machine, revoke, service } = await openBoth()
    const token = await service()
    await expectRefusal(machine.post('/revoke', { token }), 'unsupported_token_type')
    expect(await revoke(token)).toEqual({})
    expect(await statusWith(server, token)).toBe(200)
  })

  it.each([undefined, ''])('rejects the token %j with invalid_request', async (token) => {
    verifies('token-revocation/token')
    await expectRefusal((await openBoth()).other.post('/revoke', { token }), 'invalid_request')
  })
})
