/** Tokens that are bound to a key of the client (RFC 9449). */
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../support/verifies.ts'
import { bodyOf, reasonsOf, refusalOf, refusalWith } from '../support/answers.ts'
import { AuthClient, statusWith, tokensOf } from '../support/client.ts'
import { advance, createBindings, openDeployment } from '../support/deployment.ts'
import { DpopKey } from '../support/dpop.ts'
import { answerCalls } from '../support/scoped-objects.ts'
import { MACHINE, SECRET } from '../support/static-clients.ts'

const INVALID_GRANT = { status: 400, error: 'invalid_grant' }
const DAY_MS = 86_400_000

async function open() {
  const server = openDeployment({ clients: [MACHINE] })
  const [key, thief] = [await DpopKey.create(), await DpopKey.create()]
  return { server, client: await AuthClient.register(server), key, thief }
}

describe('a proof at the token endpoint', () => {
  it('binds the access token of a code to its key', async () => {
    verifies('dpop/token-type', 'dpop/thumbprint')
    const { server, client, key } = await open()
    const code = await client.code()
    const body = await bodyOf(await client.redeem(code, {}, await key.proof()))
    expect(body.token_type).toBe('DPoP')
    const token = String(body.access_token)
    expect(decodeJwt(token).cnf).toEqual({ jkt: key.jkt })
    // A bound token is rejected as a bearer token.
    expect(await statusWith(server, token)).toBe(401)
  })

  it.each([
    ['for another method', { htm: 'GET' }],
    ['for another address', { htu: 'https://mcp.example.com/mcp' }],
  ])('is rejected with invalid_dpop_proof %s, and the code is not spent', async (_, claims) => {
    verifies('identity-assertions/proof-without-binding', 'dpop/claims-of-a-proof')
    verifies('dpop/proof-in-token-requests')
    const { client, key } = await open()
    const code = await client.code()
    const refused = await client.redeem(code, {}, await key.proof(claims))
    expect(await refusalOf(refused)).toEqual(refusalWith('invalid_dpop_proof'))
    expect((await client.redeem(code)).status).toBe(200)
  })

  it('is rejected with invalid_dpop_proof when it is no JWT', async () => {
    const { client } = await open()
    const refused = await client.redeem(await client.code(), {}, { dpop: 'made-up' })
    expect(await refusalOf(refused)).toEqual(refusalWith('invalid_dpop_proof'))
  })

  it('is rejected with invalid_dpop_proof when it was used before', async () => {
    const { client, key } = await open()
    const proof = await key.proof()
    const { refresh } = await tokensOf(await client.redeem(await client.code(), {}, proof))
    expect(await refusalOf(await client.refresh(refresh, {}, proof))).toEqual(
      refusalWith('invalid_dpop_proof'),
    )
  })
})

describe('a proof of a request that is rejected', () => {
  it('can be presented again', async () => {
    const { client, key } = await open()
    const proof = await key.proof()
    const code = await client.code()
    const attempts = [
      client.redeem('made-up', {}, proof),
      client.refresh('made-up', {}, proof),
      client.redeem(code, { code_verifier: 'x'.repeat(43) }, proof),
    ]
    for (const attempt of attempts) expect(await refusalOf(await attempt)).toEqual(INVALID_GRANT)
    expect((await client.redeem(code, {}, proof)).status).toBe(200)
  })

  it('writes nothing', async () => {
    const names: string[] = []
    const bindings = createBindings()
    const recording = answerCalls(bindings, ({ kind, key }, next) => {
      if (kind === 'keyring' || kind === 'redeemed') names.push(`${kind} ${key}`)
      return next()
    })
    const client = await AuthClient.register(openDeployment({}, { bindings: recording }))
    const { length } = names
    const key = await DpopKey.create()
    for (const token of ['made-up', 'e30.e30.AAAA']) {
      await client.refresh(token, {}, await key.proof())
      await client.redeem(token, {}, await key.proof())
    }
    expect(names.slice(length)).toEqual([])
    expect((await client.redeem(await client.code(), {}, await key.proof())).status).toBe(200)
    expect(names.length).toBeGreaterThan(length)
  })
})

describe('a proof that another isolate has accepted', () => {
  it('is rejected with invalid_dpop_proof, and ends the grant of the code', async () => {
    const { server, client, key } = await open()
    const elsewhere = client.at(openDeployment({}, { bindings: server.bindings }))
    const proof = await key.proof()
    const [first, second] = [await client.code(), await client.code()]
    expect((await client.redeem(first, {}, proof)).status).toBe(200)
    expect(await refusalOf(await elsewhere.redeem(second, {}, proof))).toEqual(
      refusalWith('invalid_dpop_proof'),
    )
    expect(await refusalOf(await client.redeem(second, {}, await key.proof()))).toEqual(
      INVALID_GRANT,
    )
  })

  it('is rejected for a refresh, which succeeds with a new proof', async () => {
    const { server, client, key } = await open()
    const elsewhere = client.at(openDeployment({}, { bindings: server.bindings }))
    const proof = await key.proof()
    const { refresh } = await tokensOf(await client.redeem(await client.code(), {}, proof))
    expect((await elsewhere.refresh(refresh, {}, proof)).status).toBe(400)
    expect((await elsewhere.refresh(refresh, {}, await key.proof())).status).toBe(200)
  })
})

describe('a code with dpop_jkt', () => {
  it('is rejected with invalid_grant without that proof, and not spent', async () => {
    verifies('dpop/code-binding')
    const { server, client, key, thief } = await open()
    const code = await client.code({ dpop_jkt: key.jkt })
    for (const headers of [{}, await thief.proof()]) {
      expect(await refusalOf(await client.redeem(code, {}, headers))).toEqual(INVALID_GRANT)
    }
    expect(reasonsOf(server)).toEqual(['code-dpop-key-mismatch', 'code-dpop-key-mismatch'])
    expect((await client.redeem(code, {}, await key.proof())).status).toBe(200)
  })
})

describe('a refresh token of a public client', () => {
  it('is bound to the key of the code', async () => {
    verifies('dpop/bound-refresh-tokens')
    const { server, client, key, thief } = await open()
    const { refresh } = await tokensOf(
      await client.redeem(await client.code(), {}, await key.proof()),
    )
    for (const headers of [{}, await thief.proof()]) {
      expect(await refusalOf(await client.refresh(refresh, {}, headers))).toEqual(INVALID_GRANT)
    }
    expect(reasonsOf(server)).toEqual([
      'refresh-token-dpop-key-mismatch',
      'refresh-token-dpop-key-mismatch',
    ])
    const body = await bodyOf(await client.refresh(refresh, {}, await key.proof()))
    expect(body.token_type).toBe('DPoP')
  })
})

describe('a client that has registered dpop_bound_access_tokens', () => {
  const REFUSED = { status: 400, error: 'invalid_dpop_proof' }

  it('receives no token without a proof, for a code and for a refresh', async () => {
    verifies('dpop/always-bound-clients')
    const { server, key } = await open()
    const client = await AuthClient.register(server, { dpop_bound_access_tokens: true })
    const code = await client.code()
    expect(await refusalOf(await client.redeem(code))).toEqual(REFUSED)
    const { refresh } = await tokensOf(await client.redeem(code, {}, await key.proof()))
    expect(await refusalOf(await client.refresh(refresh))).toEqual(REFUSED)
    expect((await client.refresh(refresh, {}, await key.proof())).status).toBe(200)
  })

  it('receives none without a proof when its registration has expired', async () => {
    const { server, key } = await open()
    const client = await AuthClient.register(server, {
      token_endpoint_auth_method: 'client_secret_post',
      dpop_bound_access_tokens: true,
    })
    const code = await client.code()
    let { refresh } = await tokensOf(await client.redeem(code, {}, await key.proof()))
    advance(50 * DAY_MS)
    refresh = (await tokensOf(await client.refresh(refresh, {}, await key.proof()))).refresh
    advance(50 * DAY_MS)
    expect(await refusalOf(await client.refresh(refresh))).toEqual(REFUSED)
    expect((await client.refresh(refresh, {}, await key.proof())).status).toBe(200)
  })

  it('may be one of the configuration, and then needs a proof for client credentials', async () => {
    const { key } = await open()
    const server = openDeployment({ clients: [{ ...MACHINE, dpopBound: true }] })
    const machine = new AuthClient(server, 'machine', SECRET)
    const credentials = { grant_type: 'client_credentials' }
    expect(await refusalOf(await machine.token(credentials))).toEqual(REFUSED)
    expect((await machine.token(credentials, await key.proof())).status).toBe(200)
  })
})
