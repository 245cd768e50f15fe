/** The claims and lifetimes of access tokens. */
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { bodyOf } from './support/answers.ts'
import { AuthClient, statusWith, tokensOf } from './support/client.ts'
import { advance, NOW_SECONDS, openDeployment } from './support/deployment.ts'
import { MACHINE, SECRET } from './support/static-clients.ts'

const DAY_MS = 86_400_000
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

describe('an access token of a grant', () => {
  it('has the claims of RFC 9068, and the grant with its sealed key', async () => {
    verifies('oauth-2-1-security/encrypted-contents', 'bearer-tokens/token-encryption')
    verifies('jwt-access-tokens/signed', 'jwt-access-tokens/type', 'jwt-access-tokens/claims')
    verifies('jwt-access-tokens/claims-have-meaning')
    const client = await AuthClient.register(openDeployment())
    const { access } = await client.tokens()
    expect(decodeProtectedHeader(access)).toEqual({
      alg: 'ES256',
      typ: 'at+jwt',
      kid: expect.stringMatching(/./),
    })
    expect(decodeJwt(access)).toEqual({
      iss: 'https://mcp.example.com',
      sub: 'owner',
      aud: 'https://mcp.example.com/mcp',
      iat: 4_102_444_800,
      exp: 4_102_531_200,
      jti: expect.stringMatching(UUID),
      client_id: client.id,
      scope: 'read write',
      gid: expect.stringMatching(/./),
      gk: expect.stringMatching(/^[\w.-]+$/),
    })
  })

  it('keeps the id of the grant over a refresh and has a jti of its own', async () => {
    const client = await AuthClient.register(openDeployment())
    const { access, refresh } = await client.tokens()
    const next = decodeJwt((await tokensOf(await client.refresh(refresh))).access)
    expect(next.gid).toBe(decodeJwt(access).gid)
    expect(next.jti).not.toBe(decodeJwt(access).jti)
  })

  it('expires after accessTtlMs, in whole seconds', async () => {
    verifies('authorization-security-practices/third-party-token-lifecycle')
    const server = openDeployment({ limits: { accessTtlMs: 2_999 } })
    const client = await AuthClient.register(server)
    const { access } = await client.tokens()
    expect(decodeJwt(access).exp).toBe(NOW_SECONDS + 2)
    advance(1_999)
    expect(await statusWith(server, access)).toBe(200)
    advance(1)
    expect(await statusWith(server, access)).toBe(401)
  })

  it('expires with its grant when that ends before accessTtlMs', async () => {
    const client = await AuthClient.register(openDeployment())
    const { refresh } = await client.tokens()
    let latest = refresh
    for (let days = 50; days < 365; days += 50) {
      advance(50 * DAY_MS)
      latest = (await tokensOf(await client.refresh(latest))).refresh
    }
    advance(15 * DAY_MS - 5_000)
    const body = await bodyOf(await client.refresh(latest))
    expect(body.expires_in).toBe(5)
    expect(decodeJwt(String(body.access_token)).exp).toBe(NOW_SECONDS + 365 * 86_400)
  })

  it('lives for one second at least', async () => {
    const client = await AuthClient.register(openDeployment({ limits: { accessTtlMs: 1 } }))
    const body = await bodyOf(await client.redeem(await client.code()))
    expect(body.expires_in).toBe(1)
    expect(decodeJwt(String(body.access_token)).exp).toBe(NOW_SECONDS + 1)
  })
})

describe('an access token without a grant', () => {
  const open = (serviceAccessTtlMs?: number) => {
    const limits = serviceAccessTtlMs === undefined ? {} : { serviceAccessTtlMs }
    return new AuthClient(openDeployment({ clients: [MACHINE], limits }), 'machine', SECRET)
  }

  it('names the client as its subject and no grant', async () => {
    const body = await bodyOf(await open().token({ grant_type: 'client_credentials' }))
    expect(decodeJwt(String(body.access_token))).toEqual({
      iss: 'https://mcp.example.com',
      sub: 'client:machine',
      aud: 'https://mcp.example.com/mcp',
      iat: 4_102_444_800,
      exp: 4_102_448_400,
      jti: expect.stringMatching(UUID),
      client_id: 'machine',
      scope: 'read write',
    })
  })

  it('lives for one second at least', async () => {
    const body = await bodyOf(await open(1).token({ grant_type: 'client_credentials' }))
    expect(body.expires_in).toBe(1)
  })
})
