import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { bodyOf, messageOf, refusalOf } from './support/answers.ts'
import { AuthClient, statusWith, tokensOf } from './support/client.ts'
import { advance, openDeployment } from './support/deployment.ts'
import { basic, MACHINE, SECRET } from './support/static-clients.ts'

const DAY_MS = 86_400_000
const UNKNOWN = { status: 401, error: 'invalid_client' }

/** A client whose registration has expired, with a grant that it has refreshed meanwhile. */
async function open(metadata: object = {}) {
  const server = openDeployment()
  const client = await AuthClient.register(server, metadata)
  const first = await client.tokens()
  advance(50 * DAY_MS)
  const tokens = await tokensOf(await client.refresh(first.refresh))
  advance(50 * DAY_MS)
  return { server, client, tokens }
}

describe('a client whose registration has expired', () => {
  it('refreshes its live grant', async () => {
    const { server, client, tokens } = await open()
    const next = await tokensOf(await client.refresh(tokens.refresh))
    expect(await statusWith(server, next.access)).toBe(200)
    expect((await client.refresh(next.refresh)).status).toBe(200)
  })

  it('revokes its live grant', async () => {
    const { server, client, tokens } = await open()
    const next = await tokensOf(await client.refresh(tokens.refresh))
    expect((await client.post('/revoke', { token: next.refresh })).status).toBe(200)
    expect(await statusWith(server, next.access)).toBe(401)
  })

  it('must present its secret', async () => {
    const { server, client, tokens } = await open({
      token_endpoint_auth_method: 'client_secret_post',
    })
    for (const secret of [undefined, 'wrong']) {
      const impostor = new AuthClient(server, client.id, secret)
      expect((await impostor.refresh(tokens.refresh)).status).toBe(401)
    }
    expect(await bodyOf(await client.post('/introspect', { token: tokens.refresh }))).toMatchObject(
      {
        active: true,
      },
    )
    expect((await client.refresh(tokens.refresh)).status).toBe(200)
  })

  it('signs its assertions with the keys that it has registered', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
    const server = openDeployment()
    const client = await AuthClient.register(server, {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'k' }] },
    })
    const credentials = async (key = privateKey) => ({
      client_id: undefined,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await new SignJWT({
        ...{ iss: client.id, sub: client.id, aud: 'https://mcp.example.com' },
        ...{ jti: crypto.randomUUID(), exp: Math.floor(Date.now() / 1000) + 60 },
      })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .sign(key),
    })
    const first = await tokensOf(await client.redeem(await client.code(), await credentials()))
    advance(50 * DAY_MS)
    const tokens = await tokensOf(await client.refresh(first.refresh, await credentials()))
    advance(50 * DAY_MS)
    const other = await generateKeyPair('ES256')
    const forged = await client.refresh(tokens.refresh, await credentials(other.privateKey))
    expect(await refusalOf(forged)).toEqual(UNKNOWN)
    expect((await client.refresh(tokens.refresh, await credentials())).status).toBe(200)
  })

  it('is unknown with the refresh token of another client, and with one that was made up', async () => {
    const { server, client, tokens } = await open()
    const other = await AuthClient.register(server)
    expect(await refusalOf(await client.refresh((await other.tokens()).refresh))).toEqual(UNKNOWN)
    expect(await refusalOf(await client.refresh('made-up'))).toEqual(UNKNOWN)
    expect((await other.refresh(tokens.refresh)).status).toBe(400)
  })

  it('is unknown once its grant was revoked', async () => {
    const { client, tokens } = await open()
    await client.post('/revoke', { token: tokens.refresh })
    expect(await refusalOf(await client.refresh(tokens.refresh))).toEqual(UNKNOWN)
  })

  it('cannot request a new authorization', async () => {
    const { client } = await open()
    expect(messageOf(await client.authorize())).toBe(400)
  })
})

it('a configured client that the author has removed cannot use its live grants', async () => {
  const before = openDeployment({ clients: [MACHINE] })
  const machine = new AuthClient(before, MACHINE.id, SECRET)
  const { refresh } = await machine.tokens()
  const after = openDeployment({}, { bindings: before.bindings })
  const fields = { client_id: undefined, client_secret: undefined }
  const refused = await machine.at(after).refresh(refresh, fields, basic(MACHINE.id))
  expect(await refusalOf(refused)).toMatchObject(UNKNOWN)
})
