/** Tokens that are bound to a key of the client (RFC 9449). */
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifies } from '../../../support/verifies.ts'
import { bodyOf, reasonsOf } from '../support/answers.ts'
import { AuthClient, type ClientHeaders, statusWith, tokensOf } from '../support/client.ts'
import { advance, createBindings, openDeployment } from '../support/deployment.ts'
import { DpopKey } from '../support/dpop.ts'
import { expectRefusal, open as openFlow, type Setting } from '../support/flow.ts'
import { answerCalls } from '../support/scoped-objects.ts'
import { MACHINE, SECRET } from '../support/static-clients.ts'

const DAY_MS = 86_400_000

async function open(setting: Setting = {}) {
  const opened = await openFlow(setting)
  const { client, server } = opened
  const [key, thief] = [await DpopKey.create(), await DpopKey.create()]
  const redeem = (code: string, headers: ClientHeaders = {}, by = client) =>
    by.redeem(code, {}, headers)
  const refresh = (token: string, headers: ClientHeaders = {}, by = client) =>
    by.refresh(token, {}, headers)
  const bound = async () => tokensOf(await redeem(await client.code(), await key.proof()))
  const elsewhere = () => client.at(openDeployment({}, { bindings: server.bindings }))
  return { ...opened, key, thief, redeem, refresh, bound, elsewhere }
}

describe('a proof at the token endpoint', () => {
  it('binds the access token of a code to its key', async () => {
    verifies('dpop/proof-in-token-requests', 'dpop/thumbprint')
    const { server, client, key, redeem } = await open()
    const body = await bodyOf(await redeem(await client.code(), await key.proof()))
    expect(body.token_type).toBe('DPoP')
    const token = String(body.access_token)
    expect(decodeJwt(token).cnf).toEqual({ jkt: key.jkt })
    // A bound token is rejected as a bearer token.
    expect(await statusWith(server, token)).toBe(401)
  })

  it.each([
    ['for another method', { htm: 'GET' }],
    ['for another address', { htu: 'https://mcp.example.com/mcp' }],
    ['that is no JWT', undefined],
  ])('%s is rejected with invalid_dpop_proof, and the code is not spent', async (_, claims) => {
    verifies('identity-assertions/proof-without-binding')
    const { client, key, redeem } = await open()
    const code = await client.code()
    const proof = claims === undefined ? { dpop: 'made-up' } : await key.proof(claims)
    await expectRefusal(redeem(code, proof), 'invalid_dpop_proof')
    expect((await redeem(code)).status).toBe(200)
  })

  it('can be presented again after a request that was rejected, and once after one that was not', async () => {
    const { client, key, redeem, refresh } = await open()
    const proof = await key.proof()
    const code = await client.code()
    await expectRefusal(redeem('made-up', proof), 'invalid_grant')
    await expectRefusal(refresh('made-up', proof), 'invalid_grant')
    const wrong = client.redeem(code, { code_verifier: 'x'.repeat(43) }, proof)
    await expectRefusal(wrong, 'invalid_grant')
    const tokens = await tokensOf(await redeem(code, proof))
    await expectRefusal(refresh(tokens.refresh, proof), 'invalid_dpop_proof')
  })

  it('of a request that is rejected writes nothing', async () => {
    const names: string[] = []
    const bindings = answerCalls(createBindings(), ({ kind, key }, next) => {
      if (kind === 'keyring' || kind === 'redeemed') names.push(`${kind} ${key}`)
      return next()
    })
    const { client, key, redeem, refresh } = await open({ bindings })
    const { length } = names
    for (const token of ['made-up', 'e30.e30.AAAA']) {
      await refresh(token, await key.proof())
      await redeem(token, await key.proof())
    }
    expect(names.slice(length)).toEqual([])
    expect((await redeem(await client.code(), await key.proof())).status).toBe(200)
    expect(names.length).toBeGreaterThan(length)
  })

  it('that another isolate has accepted is rejected, and ends the grant of a code alone', async () => {
    const { client, key, redeem, refresh, elsewhere } = await open()
    const proof = await key.proof()
    const [first, second] = [await client.code(), await client.code()]
    const tokens = await tokensOf(await redeem(first, proof))
    await expectRefusal(redeem(second, proof, elsewhere()), 'invalid_dpop_proof')
    await expectRefusal(redeem(second, await key.proof()), 'invalid_grant')
    expect((await refresh(tokens.refresh, proof, elsewhere())).status).toBe(400)
    expect((await refresh(tokens.refresh, await key.proof(), elsewhere())).status).toBe(200)
  })
})

it('a code with dpop_jkt is rejected with invalid_grant without that proof, and not spent', async () => {
  verifies('dpop/code-binding')
  const { server, client, key, thief, redeem } = await open()
  const code = await client.code({ dpop_jkt: key.jkt })
  for (const headers of [{}, await thief.proof()]) {
    await expectRefusal(redeem(code, headers), 'invalid_grant')
  }
  expect(reasonsOf(server)).toEqual(['code-dpop-key-mismatch', 'code-dpop-key-mismatch'])
  expect((await redeem(code, await key.proof())).status).toBe(200)
})

it('a refresh token of a public client is bound to the key of the code', async () => {
  verifies('dpop/bound-refresh-tokens')
  const { server, key, thief, refresh, bound } = await open()
  const tokens = await bound()
  for (const headers of [{}, await thief.proof()]) {
    await expectRefusal(refresh(tokens.refresh, headers), 'invalid_grant')
  }
  const reason = 'refresh-token-dpop-key-mismatch'
  expect(reasonsOf(server)).toEqual([reason, reason])
  const body = await bodyOf(await refresh(tokens.refresh, await key.proof()))
  expect(body.token_type).toBe('DPoP')
})

describe('a client that has registered dpop_bound_access_tokens', () => {
  const metadata = { dpop_bound_access_tokens: true }

  it('receives no token without a proof, also when its registration has expired', async () => {
    verifies('dpop/always-bound-clients')
    const { client, key, redeem, refresh } = await open({ kind: 'secret', metadata })
    const code = await client.code()
    await expectRefusal(redeem(code), 'invalid_dpop_proof')
    let tokens = await tokensOf(await redeem(code, await key.proof()))
    for (const days of [50, 50]) {
      await expectRefusal(refresh(tokens.refresh), 'invalid_dpop_proof')
      tokens = await tokensOf(await refresh(tokens.refresh, await key.proof()))
      advance(days * DAY_MS)
    }
    await expectRefusal(refresh(tokens.refresh), 'invalid_dpop_proof')
    expect((await refresh(tokens.refresh, await key.proof())).status).toBe(200)
  })

  it('may be one of the configuration, and then needs a proof for client credentials', async () => {
    const server = openDeployment({ clients: [{ ...MACHINE, dpopBound: true }] })
    const machine = new AuthClient(server, 'machine', SECRET)
    const credentials = { grant_type: 'client_credentials' }
    await expectRefusal(machine.token(credentials), 'invalid_dpop_proof')
    const proof = await (await DpopKey.create()).proof()
    expect((await machine.token(credentials, proof)).status).toBe(200)
  })
})
