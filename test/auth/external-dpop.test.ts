/** Tokens of an external issuer that are bound to a key of their client, with and without `dpop()`. */

import { createExecutionContext } from 'cloudflare:test'
import { beforeAll, describe, expect, it } from 'vitest'
import { dpop, type ExternalOptions, external } from '../../src/auth/index.ts'
import { sha256Base64Url } from '../../src/platform/digest.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { FullServer } from '../support/full-server.ts'
import { createPair, type SigningPair, sign } from './resource/issuer.ts'
import { DpopKey } from './server/support/dpop.ts'
import { interceptOutbound } from './server/support/outbound.ts'

const ORIGIN = 'https://mcp.example.com'
const RESOURCE = 'https://mcp.example.com/mcp'
const ISSUER = 'https://one.example'

let pair: SigningPair
let key: DpopKey
beforeAll(async () => {
  pair = await createPair('key-1')
  key = await DpopKey.create()
})

function open(features: NonNullable<ExternalOptions['features']>) {
  interceptOutbound(() => Response.json({ keys: [pair.jwk] }))
  const issuers = [{ issuer: ISSUER, jwksUri: `${ISSUER}/keys` }]
  const { fetch } = createFullEdgeway(new FullServer({ name: 'notes', version: '1.0.0' }), {
    telemetry: () => undefined,
    auth: external({ origin: ORIGIN, scopes: {}, issuers, features }),
  })
  const send = (url: string, init?: RequestInit) =>
    fetch(new Request(url, init), {}, createExecutionContext())
  const present = async (scheme: 'Bearer' | 'DPoP') => {
    const seconds = Math.floor(Date.now() / 1000)
    const claims = { iss: ISSUER, sub: '1', aud: RESOURCE, client_id: 'c', iat: seconds }
    const token = await sign(pair, { ...claims, exp: seconds + 300, cnf: { jkt: key.jkt } })
    const proof = await key.proof({ htu: RESOURCE, ath: await sha256Base64Url(token) })
    const response = await send(RESOURCE, {
      method: 'POST',
      headers: {
        ...proof,
        authorization: `${scheme} ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    })
    return [response.status, response.headers.get('www-authenticate') ?? ''] as const
  }
  const metadata = async () =>
    (await send(`${ORIGIN}/.well-known/oauth-protected-resource/mcp`)).json<object>()
  return { present, metadata }
}

describe('external() without dpop()', () => {
  it.each(['Bearer', 'DPoP'] as const)(
    'refuses a bound token with the scheme %s, and its challenge is Bearer alone',
    async (scheme) => {
      const [status, challenge] = await open([]).present(scheme)
      expect(status).toBe(401)
      expect(challenge).toMatch(/^Bearer .*error="invalid_token"/)
      expect(challenge).not.toContain('algs=')
    },
  )

  it('names no DPoP algorithm in its metadata', async () => {
    expect(await open([false]).metadata()).not.toHaveProperty('dpop_signing_alg_values_supported')
  })
})

describe('external() with dpop()', () => {
  it('accepts a bound token with a proof, and refuses it as a bearer token', async () => {
    const { present } = open([dpop()])
    expect(await present('DPoP')).toEqual([200, ''])
    const [status, challenge] = await present('Bearer')
    expect(status).toBe(401)
    expect(challenge).toContain(', DPoP ')
  })

  it('names the algorithms of proofs in its metadata', async () => {
    expect(await open([dpop()]).metadata()).toMatchObject({
      dpop_signing_alg_values_supported: ['ES256', 'EdDSA'],
    })
  })
})
