/** Proofs of a key: each fault has its refusal, and each proof is good once. */
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import {
  createDpopCheck,
  createDpopProofs,
  type DpopOptions,
} from '../../../src/auth/resource/dpop.ts'
import { Replays } from '../../../src/auth/resource/replays.ts'
import {
  admitted,
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
/** A good proof for a POST to the resource, changed. */
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

describe('a bound token', () => {
  it('is taken with a proof of its key', async () => {
    const { authenticate } = openResource(pair)
    const info = await admitted(authenticate(headersOf(await prove(), `DPoP ${bound}`)))
    expect([info.subject, info.resource]).toEqual(['owner', RESOURCE])
  })

  it.each(['EdDSA', 'ES256'])('is taken with a key for %s', async (alg) => {
    const by = await createPair('', alg)
    const token = await sign(pair, claimsOf({ cnf: { jkt: await thumbprint(by) } }))
    const { authenticate } = openResource(pair)
    await admitted(authenticate(headersOf(await prove({ by, token }), `dpop ${token}`)))
  })

  it.each([
    ['in other letters of the host', 'HTTPS://MCP.EXAMPLE.COM:443/mcp'],
    ['with a query and a fragment', `${RESOURCE}?a=b#c`],
    ['under its old name', OLD],
  ])('is taken for an address %s', async (_, htu) => {
    const { authenticate } = openResource(pair)
    await admitted(authenticate(headersOf(await prove({ claims: { htu } }), `DPoP ${bound}`)))
  })

  it('is taken at the path that was called, of the names that are configured', async () => {
    const { authenticate } = openResource(pair)
    const url = 'https://mcp.example.com/messages?session=1'
    const proof = await prove({ claims: { htu: 'https://mcp.example.com/messages' } })
    await admitted(authenticate(headersOf(proof, `DPoP ${bound}`), url))
    const elsewhere = 'https://evil.example/mcp'
    const forged = await prove({ claims: { htu: elsewhere } })
    const outcome = authenticate(headersOf(forged, `DPoP ${bound}`), elsewhere)
    expect((await refusalOf(outcome)).message).toBe('The proof is for another address')
  })

  it('is not taken as Bearer, with a proof or without', async () => {
    for (const proof of [undefined, await prove()]) {
      const { authenticate } = openResource(pair)
      const message = 'The access token is bound to a key: present it as DPoP'
      expect(await refusalOf(authenticate(headersOf(proof, `Bearer ${bound}`)))).toMatchObject({
        status: 401,
        message,
        challenge: `Bearer ${WHERE}, error="invalid_token", error_description="${message}", DPoP ${WHERE}, algs="ES256 EdDSA"`,
      })
    }
  })

  it('is refused in the words of DPoP where it was presented so', async () => {
    const { authenticate } = openResource(pair)
    expect(await refusalOf(authenticate(headersOf(undefined, `DPoP ${bound}`)))).toMatchObject({
      status: 401,
      challenge: `Bearer ${WHERE}, DPoP ${WHERE}, error="invalid_dpop_proof", error_description="A DPoP proof is required", algs="ES256 EdDSA"`,
    })
    const { challenge } = await refusalOf(authenticate(headersOf(undefined, 'DPoP x')))
    expect(challenge).toBe(
      `Bearer ${WHERE}, DPoP ${WHERE}, error="invalid_token", error_description="The access token is malformed", algs="ES256 EdDSA"`,
    )
  })

  it('needs a proof of its own each time, though the token is known', async () => {
    const { authenticate } = openResource(pair)
    const proof = await prove()
    await admitted(authenticate(headersOf(proof, `DPoP ${bound}`)))
    expect((await refusalOf(authenticate(headersOf(proof, `DPoP ${bound}`)))).message).toBe(
      'The proof was used before',
    )
    expect((await refusalOf(authenticate(headersOf(undefined, `DPoP ${bound}`)))).message).toBe(
      'A DPoP proof is required',
    )
    await admitted(authenticate(headersOf(await prove(), `DPoP ${bound}`)))
  })
})

it('does not take a token that is not bound as DPoP', async () => {
  const { authenticate } = openResource(pair)
  const proof = await prove({ token: unbound })
  expect((await refusalOf(authenticate(headersOf(proof, `DPoP ${unbound}`)))).message).toBe(
    'The access token is not bound to a key',
  )
})

describe('a proof', () => {
  const KIND = 'The proof is no DPoP proof'
  const ALGORITHM = 'The proof is signed with an algorithm that is not accepted'
  const TIME = 'The proof is too old, or from the future'
  const TOKEN = 'The proof is for another access token'
  const TABLE: readonly [string, () => Changes, string][] = [
    ['of another key', () => ({ by: thief }), 'The proof is for another key'],
    [
      'signed with another key than it names',
      () => ({ by: { ...client, privateKey: thief.privateKey } }),
      'The proof is not valid',
    ],
    ['for another method', () => ({ claims: { htm: 'GET' } }), 'The proof is for another method'],
    [
      'for a method in small letters',
      () => ({ claims: { htm: 'post' } }),
      'The proof is for another method',
    ],
    ['for no method', () => ({ claims: { htm: undefined } }), 'The proof is for another method'],
    [
      'for another host',
      () => ({ claims: { htu: 'https://evil.example/mcp' } }),
      'The proof is for another address',
    ],
    [
      'for another path',
      () => ({ claims: { htu: `${RESOURCE}/x` } }),
      'The proof is for another address',
    ],
    [
      'for plain http',
      () => ({ claims: { htu: 'http://mcp.example.com/mcp' } }),
      'The proof is for another address',
    ],
    [
      'for another port',
      () => ({ claims: { htu: 'https://mcp.example.com:8443/mcp' } }),
      'The proof is for another address',
    ],
    ['for a path alone', () => ({ claims: { htu: '/mcp' } }), 'The proof is for another address'],
    [
      'for an address with a name in it',
      () => ({ claims: { htu: 'https://x@mcp.example.com/mcp' } }),
      'The proof is for another address',
    ],
    ['for no address', () => ({ claims: { htu: undefined } }), 'The proof is for another address'],
    [
      'for a list of addresses',
      () => ({ claims: { htu: [RESOURCE] } }),
      'The proof is for another address',
    ],
    ['from more than a minute ago', () => ({ claims: { iat: NOW_SECONDS - 61 } }), TIME],
    ['from more than a minute ahead', () => ({ claims: { iat: NOW_SECONDS + 61 } }), TIME],
    ['from no time', () => ({ claims: { iat: undefined } }), TIME],
    ['from a time that is text', () => ({ claims: { iat: '0' } }), 'The proof is not valid'],
    [
      'that has expired by its own word',
      () => ({ claims: { exp: NOW_SECONDS - 60 } }),
      'The proof is not valid',
    ],
    ['for another token', () => ({ token: unbound }), TOKEN],
    ['for no token', () => ({ claims: { ath: undefined } }), TOKEN],
    ['without a name', () => ({ claims: { jti: undefined } }), 'The proof must have a jti'],
    ['with an empty name', () => ({ claims: { jti: '' } }), 'The proof must have a jti'],
    ['with a name that is a number', () => ({ claims: { jti: 1 } }), 'The proof must have a jti'],
    [
      'with a name without end',
      () => ({ claims: { jti: 'x'.repeat(513) } }),
      'The proof must have a jti',
    ],
    ['of the type of a token', () => ({ header: { typ: 'at+jwt' } }), KIND],
    ['of no type', () => ({ header: { typ: undefined } }), KIND],
    ['that must be understood', () => ({ header: { crit: ['b64'], b64: true } }), KIND],
    ['without its key', () => ({ header: { jwk: undefined } }), 'The proof must name a public key'],
    ['with a key that is none', () => ({ header: { jwk: {} } }), 'The proof is not valid'],
    [
      'with a key off the curve',
      () => ({ header: { jwk: { ...client.jwk, x: client.jwk.y } } }),
      'The proof is for another key',
    ],
    [
      'that names its key by address',
      () => ({ header: { jwk: undefined, jku: 'https://evil.example' } }),
      'The proof must name a public key',
    ],
    ['without end', () => ({ claims: { more: 'x'.repeat(8192) } }), 'The proof is too long'],
  ]
  it.each(TABLE)('%s is refused', async (_, changes, message) => {
    const { authenticate } = openResource(pair)
    const proof = await prove(changes())
    const {
      message: told,
      status,
      challenge,
    } = await refusalOf(authenticate(headersOf(proof, `DPoP ${bound}`)))
    expect([status, told]).toEqual([401, message])
    expect(challenge).toContain('error="invalid_dpop_proof"')
    // What was wrong with it left no trace: the next good one passes.
    await admitted(authenticate(headersOf(await prove(), `DPoP ${bound}`)))
  })

  it('with its private key in it is refused', async () => {
    const jwk = await exportJWK(client.privateKey)
    const proof = await prove({ header: { jwk } })
    const { authenticate } = openResource(pair)
    expect((await refusalOf(authenticate(headersOf(proof, `DPoP ${bound}`)))).message).toBe(
      'The proof must name a public key',
    )
  })

  it.each(['none', 'HS256', 'RS256', 'ES384', ''])(
    'that is signed with %j is refused',
    async (alg) => {
      const proof = await prove()
      const [, payload, signature] = proof.split('.')
      const header = new TextEncoder()
        .encode(JSON.stringify({ typ: 'dpop+jwt', alg, jwk: client.jwk }))
        .toBase64({ alphabet: 'base64url', omitPadding: true })
      const { authenticate } = openResource(pair)
      const outcome = authenticate(headersOf(`${header}.${payload}.${signature}`, `DPoP ${bound}`))
      expect((await refusalOf(outcome)).message).toBe(ALGORITHM)
    },
  )

  it.each(['x', 'a.b.c', '', 'PROOF, PROOF', 'PROOF.x'])(
    'that is none is refused: %j',
    async (text) => {
      const { authenticate } = openResource(pair)
      const proof = text.replaceAll('PROOF', await prove())
      expect((await refusalOf(authenticate(headersOf(proof, `DPoP ${bound}`)))).message).toBe(
        'The proof is not valid',
      )
    },
  )
})

describe('at the token endpoint', () => {
  const TOKEN_ENDPOINT = 'https://mcp.example.com/token'
  const open = (options: DpopOptions = {}) => {
    const check = createDpopCheck(createDpopProofs({ now: () => NOW, ...options }))
    return (proof: string | undefined) =>
      check(
        new Request(TOKEN_ENDPOINT, { method: 'POST', ...(proof && { headers: { dpop: proof } }) }),
        TOKEN_ENDPOINT,
      )
  }
  const proveHere = () => prove({ claims: { htu: TOKEN_ENDPOINT, ath: undefined } })

  it('a proof gives the thumbprint of its key, and no proof none', async () => {
    const check = open()
    expect(await check(undefined)).toBeUndefined()
    expect(await check(await proveHere())).toBe(await thumbprint(client))
  })

  it('a proof that is refused is a bad request', async () => {
    await expect(open()(await prove())).rejects.toMatchObject({
      code: 'invalid_dpop_proof',
      status: 400,
    })
  })

  it('a proof is redeemed once in the world, under a name that says nothing', async () => {
    const redeem = vi.fn(async (_name: string, _expiresAt: number) => true)
    const proof = await proveHere()
    await open({ redeem })(proof)
    expect(redeem).toHaveBeenCalledTimes(1)
    const [name, expiresAt] = redeem.mock.calls[0] ?? []
    expect(name).toMatch(/^[\w-]{43}$/)
    expect(expiresAt).toBe(NOW + 60_001)
    await expect(open({ redeem: async () => false })(proof)).rejects.toThrow('was used before')
  })

  it('what cannot be redeemed is not taken for used', async () => {
    const redeem = () => Promise.reject(new Error('the object is gone'))
    await expect(open({ redeem })(await proveHere())).rejects.toThrow('the object is gone')
  })

  it('one of two that come together is refused', async () => {
    const check = open()
    const proof = await proveHere()
    const outcomes = await Promise.allSettled([check(proof), check(proof)])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('two keys may use the same name', async () => {
    const check = open()
    const claims = { htu: TOKEN_ENDPOINT, jti: 'same' }
    await check(await prove({ claims }))
    await check(await prove({ claims, by: thief }))
    await expect(check(await prove({ claims }))).rejects.toThrow('was used before')
  })
})

describe('names that were seen', () => {
  it('are known until they expire', () => {
    const replays = new Replays(10)
    expect(replays.add('a', 100, 0)).toBe(true)
    expect(replays.add('a', 100, 99)).toBe(false)
    expect(replays.add('a', 200, 100)).toBe(true)
    expect(replays.add('a', 200, 199)).toBe(false)
  })

  it('are never more than so many: the oldest go first', () => {
    const replays = new Replays(2)
    for (const name of ['a', 'b', 'c']) replays.add(name, 100, 0)
    expect(replays.add('b', 100, 0)).toBe(false)
    expect(replays.add('c', 100, 0)).toBe(false)
    expect(replays.add('a', 100, 0)).toBe(true)
  })
})
