/** The claims and lifetimes of access tokens. */
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { bodyOf } from './support/answers.ts'
import { statusWith, tokensOf } from './support/client.ts'
import { advance, NOW_SECONDS } from './support/deployment.ts'
import { issue, open } from './support/flow.ts'

const DAY_MS = 86_400_000
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const CREDENTIALS = { grant_type: 'client_credentials' }
const CLAIMS = {
  iss: 'https://mcp.example.com',
  aud: 'https://mcp.example.com/mcp',
  iat: NOW_SECONDS,
  jti: expect.stringMatching(UUID),
  scope: 'read write',
}

describe('an access token of a grant', () => {
  it('has the claims of RFC 9068, and the grant with its sealed key', async () => {
    verifies('oauth-2-1-security/encrypted-contents', 'bearer-tokens/token-encryption')
    verifies('jwt-access-tokens/signed', 'jwt-access-tokens/type', 'jwt-access-tokens/claims')
    verifies('jwt-access-tokens/claims-have-meaning')
    const { client, response } = await issue()
    const { access, refresh } = await tokensOf(response)
    const kid = expect.stringMatching(/./)
    expect(decodeProtectedHeader(access)).toEqual({ alg: 'ES256', typ: 'at+jwt', kid })
    expect(decodeJwt(access)).toEqual({
      ...{ ...CLAIMS, sub: 'owner', client_id: client.id, exp: 4_102_531_200 },
      gid: expect.stringMatching(/./),
      gk: expect.stringMatching(/^[\w.-]+$/),
    })
    const next = decodeJwt((await tokensOf(await client.refresh(refresh))).access)
    expect(next.gid).toBe(decodeJwt(access).gid)
    expect(next.jti).not.toBe(decodeJwt(access).jti)
  })

  it('expires after accessTtlMs, in whole seconds', async () => {
    verifies('authorization-security-practices/third-party-token-lifecycle')
    const { server, client } = await open({ limits: { accessTtlMs: 2_999 } })
    const { access } = await client.tokens()
    expect(decodeJwt(access).exp).toBe(NOW_SECONDS + 2)
    advance(1_999)
    expect(await statusWith(server, access)).toBe(200)
    advance(1)
    expect(await statusWith(server, access)).toBe(401)
  })

  it('expires with its grant when that ends before accessTtlMs', async () => {
    const { client } = await open()
    let { refresh } = await client.tokens()
    for (let days = 50; days < 365; days += 50) {
      advance(50 * DAY_MS)
      refresh = (await tokensOf(await client.refresh(refresh))).refresh
    }
    advance(15 * DAY_MS - 5_000)
    const body = await bodyOf(await client.refresh(refresh))
    expect(body.expires_in).toBe(5)
    expect(decodeJwt(String(body.access_token)).exp).toBe(NOW_SECONDS + 365 * 86_400)
  })

  it('lives for one second at least, also without a grant', async () => {
    const { client } = await open({
      kind: 'static',
      limits: { accessTtlMs: 1, serviceAccessTtlMs: 1 },
    })
    const redeemed = await client.redeem(await client.code())
    for (const response of [redeemed, await client.token(CREDENTIALS)]) {
      const body = await bodyOf(response)
      expect(body.expires_in).toBe(1)
      expect(decodeJwt(String(body.access_token)).exp).toBe(NOW_SECONDS + 1)
    }
  })
})

it('an access token without a grant names the client as its subject and no grant', async () => {
  const { client } = await open({ kind: 'static' })
  const { access } = await tokensOf(await client.token(CREDENTIALS))
  const own = { sub: 'client:machine', client_id: 'machine', exp: 4_102_448_400 }
  expect(decodeJwt(access)).toEqual({ ...CLAIMS, ...own })
})
