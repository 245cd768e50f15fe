import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  createDpopCheck,
  createDpopProofs,
  type DpopOptions,
  Replays,
} from '../../../src/auth/resource/dpop.ts'
import { verifies } from '../../support/verifies.ts'
import {
  accepted,
  claimsOf,
  createPair,
  NOW,
  NOW_SECONDS,
  OLD,
  openResource,
  RESOURCE,
  refusalOf,
  type SigningPair,
  sign,
} from './issuer.ts'

const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource/mcp'
const METHOD = 'The proof is for another method'
const ADDRESS = 'The proof is for another URL'
const INVALID = 'The proof is not valid'
const JTI = 'The proof must have a jti'
const WHERE = `resource_metadata="${METADATA}", scope="read"`

let pair: SigningPair
let client: SigningPair
let thief: SigningPair
let bound: string
let unbound: string
beforeAll(async () => {
  pair = await createPair('key-1')
  client = await createPair('')
  thief = await createPair('')
  bound = await sign(pair, claimsOf({ cnf: { jkt: await thumbprint(client) } }))
  unbound = await sign(pair)
})

const thumbprint = ({ jwk }: SigningPair) => calculateJwkThumbprint(jwk)

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return new Uint8Array(bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
}

interface Changes {
  readonly claims?: Record<string, unknown>
  readonly header?: Record<string, unknown>
  readonly by?: SigningPair
  readonly token?: string
}

let count = 0
/** A valid proof for a POST to the resource, with changes. */
async function prove({ claims, header, by = client, token = bound }: Changes = {}) {
  const { kid: _kid, alg: _alg, ...jwk } = by.jwk
  count += 1
  return new SignJWT({
    jti: `proof-${count}`,
    htm: 'POST',
    htu: RESOURCE,
    iat: NOW_SECONDS,
    ath: await digest(token),
    ...claims,
  })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: by.alg, jwk, ...header })
    .sign(by.privateKey)
}

const headersOf = (proof: string | undefined, authorization: string): Record<string, string> =>
  proof === undefined ? { authorization } : { authorization, dpop: proof }

/** Presents a token with a proof to a new resource, or to one that is open. */
const present = async (
  proof: string | undefined,
  authorization = `DPoP ${bound}`,
  { authenticate } = openResource(pair),
  url = RESOURCE,
) => authenticate(headersOf(proof, authorization), url)
const messageOf = async (...of: Parameters<typeof present>) =>
  (await refusalOf(present(...of))).message

describe('ResourceServer with a bound token', () => {
  it.each(['EdDSA', 'ES256'])('accepts it with a proof of its %s key', async (alg) => {
    const by = await createPair('', alg)
    const token = await sign(pair, claimsOf({ cnf: { jkt: await thumbprint(by) } }))
    const info = await accepted(present(await prove({ by, token }), `dpop ${token}`))
    expect([info.subject, info.resource]).toEqual(['owner', RESOURCE])
  })

  it.each([
    ['in another letter case', 'HTTPS://MCP.EXAMPLE.COM:443/mcp'],
    ['with a query and a fragment', `${RESOURCE}?a=b#c`],
    ['of an alias', OLD],
  ])('accepts a proof for a URL %s', async (_, htu) => {
    await accepted(present(await prove({ claims: { htu } })))
  })

  it('compares htu with the requested path on the configured origins', async () => {
    const resource = openResource(pair)
    const url = 'https://mcp.example.com/messages?session=1'
    const proof = await prove({ claims: { htu: 'https://mcp.example.com/messages' } })
    await accepted(present(proof, undefined, resource, url))
    const htu = 'https://evil.example/mcp'
    const forged = await prove({ claims: { htu } })
    expect(await messageOf(forged, undefined, resource, htu)).toBe(ADDRESS)
  })

  it('rejects it as Bearer, with and without a proof', async () => {
    verifies('dpop/bound-tokens-are-recognised', 'dpop/no-access-without-checks')
    verifies('dpop/no-downgrade-to-bearer')
    for (const proof of [undefined, await prove()]) {
      const message = 'The access token is bound to a key: present it as DPoP'
      expect(await refusalOf(present(proof, `Bearer ${bound}`))).toMatchObject({
        status: 401,
        message,
        challenge: `Bearer ${WHERE}, error="invalid_token", error_description="${message}", DPoP ${WHERE}, algs="ES256 EdDSA"`,
      })
    }
  })

  it.each([
    ['without a proof', undefined, 'invalid_dpop_proof', 'A DPoP proof is required'],
    ['that is malformed', 'DPoP x', 'invalid_token', 'The access token is malformed'],
  ])('rejects it with a DPoP challenge when it was presented as DPoP %s', async (...row) => {
    const [, authorization, error, text] = row
    expect(await refusalOf(present(undefined, authorization))).toMatchObject({
      status: 401,
      challenge: `Bearer ${WHERE}, DPoP ${WHERE}, error="${error}", error_description="${text}", algs="ES256 EdDSA"`,
    })
  })

  it('requires a new proof for every request, even if the token is cached', async () => {
    verifies('dpop/proof-at-resources')
    const resource = openResource(pair)
    const again = (proof: string | undefined) => messageOf(proof, undefined, resource)
    const proof = await prove()
    await accepted(present(proof, undefined, resource))
    expect(await again(proof)).toBe('The proof has been used before')
    expect(await again(undefined)).toBe('A DPoP proof is required')
    await accepted(present(await prove(), undefined, resource))
  })

  it('is no unbound token, which is rejected when it is presented as DPoP', async () => {
    const message = await messageOf(await prove({ token: unbound }), `DPoP ${unbound}`)
    expect(message).toBe('The access token is not bound to a key')
  })
})

describe('ResourceServer with a defective DPoP proof', () => {
  const KIND = 'The proof is not a DPoP proof'
  const ALGORITHM = 'The proof is signed with an algorithm that is not accepted'
  const TIME = 'The proof is too old, or dated in the future'
  const TOKEN = 'The proof is for another access token'
  const KEY = 'The proof must contain a public key'
  const OTHER_KEY = 'The proof is for another key'
  const claims = (changes: Record<string, unknown>) => (): Changes => ({ claims: changes })
  const header = (changes: Record<string, unknown>) => (): Changes => ({ header: changes })
  const jku = 'https://evil.example'
  const TABLE: readonly [string, () => Changes, string][] = [
    ['of another key', () => ({ by: thief }), OTHER_KEY],
    [
      'whose key is not its own',
      () => ({ by: { ...client, privateKey: thief.privateKey } }),
      INVALID,
    ],
    ['for another method', claims({ htm: 'GET' }), METHOD],
    ['for a method in lower case', claims({ htm: 'post' }), METHOD],
    ['for no method', claims({ htm: undefined }), METHOD],
    ['for another host', claims({ htu: 'https://evil.example/mcp' }), ADDRESS],
    ['for another path', claims({ htu: `${RESOURCE}/x` }), ADDRESS],
    ['for plain http', claims({ htu: 'http://mcp.example.com/mcp' }), ADDRESS],
    ['for another port', claims({ htu: 'https://mcp.example.com:8443/mcp' }), ADDRESS],
    ['for a path alone', claims({ htu: '/mcp' }), ADDRESS],
    ['for a URL with user information', claims({ htu: 'https://x@mcp.example.com/mcp' }), ADDRESS],
    ['for no URL', claims({ htu: undefined }), ADDRESS],
    ['for a list of URLs', claims({ htu: [RESOURCE] }), ADDRESS],
    ['issued more than a minute ago', claims({ iat: NOW_SECONDS - 61 }), TIME],
    ['issued more than a minute in the future', claims({ iat: NOW_SECONDS + 61 }), TIME],
    ['without iat', claims({ iat: undefined }), TIME],
    ['whose iat is a string', claims({ iat: '0' }), INVALID],
    ['whose exp has passed', claims({ exp: NOW_SECONDS - 60 }), INVALID],
    ['for another token', () => ({ token: unbound }), TOKEN],
    ['for no token', claims({ ath: undefined }), TOKEN],
    ['without jti', claims({ jti: undefined }), JTI],
    ['with an empty jti', claims({ jti: '' }), JTI],
    ['whose jti is a number', claims({ jti: 1 }), JTI],
    ['whose jti is too long', claims({ jti: 'x'.repeat(513) }), JTI],
    ['with the type of an access token', header({ typ: 'at+jwt' }), KIND],
    ['without a type', header({ typ: undefined }), KIND],
    ['with a critical extension', header({ crit: ['b64'], b64: true }), KIND],
    ['without a key', header({ jwk: undefined }), KEY],
    ['with an empty key', header({ jwk: {} }), INVALID],
    [
      'with a key that is not on its curve',
      () => ({ header: { jwk: { ...client.jwk, x: client.jwk.y } } }),
      OTHER_KEY,
    ],
    ['that names its key by URL', header({ jwk: undefined, jku }), KEY],
    ['that is too long', claims({ more: 'x'.repeat(8192) }), 'The proof is too long'],
  ]
  it.each(TABLE)('rejects a proof %s', async (_, changes, message) => {
    verifies('dpop/proofs-are-checked', 'dpop/claims-of-a-proof')
    verifies('dpop/header-of-a-proof', { row: 'without a type' })
    verifies('dpop/access-token-hash', { row: 'for another token' })
    verifies('dpop/keys-are-compared', { row: 'of another key' })
    verifies('dpop/time-limit', { row: 'issued more than a minute ago' })
    verifies('dpop/type-of-a-proof', { row: 'with the type of an access token' })
    const resource = openResource(pair)
    const refusal = await refusalOf(present(await prove(changes()), undefined, resource))
    expect([refusal.status, refusal.message]).toEqual([401, message])
    expect(refusal.challenge).toContain('error="invalid_dpop_proof"')
    // The defective proof has no effect on the next valid one.
    await accepted(present(await prove(), undefined, resource))
  })

  it('rejects a proof that contains its private key', async () => {
    verifies('dpop/private-keys')
    const jwk = await exportJWK(client.privateKey)
    expect(await messageOf(await prove({ header: { jwk } }))).toBe(KEY)
  })

  it.each(['none', 'HS256', 'RS256', 'ES384', ''])(
    'rejects a proof that is signed with %j',
    async (alg) => {
      verifies('dpop/symmetric-algorithms', 'dpop/asymmetric-algorithms')
      const [, payload, signature] = (await prove()).split('.')
      const header = new TextEncoder()
        .encode(JSON.stringify({ typ: 'dpop+jwt', alg, jwk: client.jwk }))
        .toBase64({ alphabet: 'base64url', omitPadding: true })
      expect(await messageOf(`${header}.${payload}.${signature}`)).toBe(ALGORITHM)
    },
  )

  it.each(['x', 'a.b.c', '', 'PROOF, PROOF', 'PROOF.x'])(
    'rejects the header value %j',
    async (text) => {
      expect(await messageOf(text.replaceAll('PROOF', await prove()))).toBe(INVALID)
    },
  )
})

describe('createDpopCheck', () => {
  const TOKEN_ENDPOINT = 'https://mcp.example.com/token'
  const open = (options: DpopOptions = {}) => {
    const check = createDpopCheck(createDpopProofs({ now: () => NOW, ...options }))
    return (proof: string | undefined) =>
      check(
        new Request(TOKEN_ENDPOINT, { method: 'POST', ...(proof && { headers: { dpop: proof } }) }),
        TOKEN_ENDPOINT,
      )
  }
  const proveForToken = () => prove({ claims: { htu: TOKEN_ENDPOINT, ath: undefined } })

  it('returns the thumbprint of the proven key, or undefined without a proof', async () => {
    const check = open()
    expect(await check(undefined)).toBeUndefined()
    expect((await check(await proveForToken()))?.jkt).toBe(await thumbprint(client))
  })

  it('throws an error with status 400 for a rejected proof', async () => {
    await expect(open()(await prove())).rejects.toMatchObject({
      code: 'invalid_dpop_proof',
      status: 400,
    })
  })

  it('redeems a proof under a hashed name until the proof expires', async () => {
    const redeem = vi.fn(async (_name: string, _expiresAt: number) => true)
    const proof = await proveForToken()
    const verified = await open({ redeem })(proof)
    expect(redeem).not.toHaveBeenCalled()
    await verified?.redeem()
    expect(redeem).toHaveBeenCalledTimes(1)
    const [name, expiresAt] = redeem.mock.calls[0] ?? []
    expect(name).toMatch(/^[\w-]{43}$/)
    expect(expiresAt).toBe(NOW + 60_001)
    const elsewhere = await open({ redeem: async () => false })(proof)
    await expect(elsewhere?.redeem()).rejects.toThrow('has been used before')
  })

  it('throws the error of a redemption that fails', async () => {
    const redeem = () => Promise.reject(new Error('the object is gone'))
    const verified = await open({ redeem })(await proveForToken())
    await expect(verified?.redeem()).rejects.toThrow('the object is gone')
  })

  it('accepts a released proof again', async () => {
    const check = open()
    const proof = await proveForToken()
    ;(await check(proof))?.release()
    await check(proof)
    await expect(check(proof)).rejects.toThrow('has been used before')
  })

  it('rejects one of two concurrent requests with the same proof', async () => {
    const check = open()
    const proof = await proveForToken()
    const outcomes = await Promise.allSettled([check(proof), check(proof)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('accepts the same jti with two keys', async () => {
    const check = open()
    const claims = { htu: TOKEN_ENDPOINT, jti: 'same' }
    await check(await prove({ claims }))
    await check(await prove({ claims, by: thief }))
    await expect(check(await prove({ claims }))).rejects.toThrow('has been used before')
  })
})

describe('Replays', () => {
  it('reports a name as repeated until it expires', () => {
    const replays = new Replays(10)
    expect(replays.add('a', 100, 0)).toBe(true)
    expect(replays.add('a', 100, 99)).toBe(false)
    expect(replays.add('a', 200, 100)).toBe(true)
    expect(replays.add('a', 200, 199)).toBe(false)
  })

  it('evicts the oldest name when the maximum is exceeded', () => {
    const replays = new Replays(2)
    for (const name of ['a', 'b', 'c']) replays.add(name, 100, 0)
    expect(replays.add('b', 100, 0)).toBe(false)
    expect(replays.add('c', 100, 0)).toBe(false)
    expect(replays.add('a', 100, 0)).toBe(true)
  })
})
