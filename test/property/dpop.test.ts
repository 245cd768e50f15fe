/** DPoP proofs: any history of proofs and times, with a model of what was used. */
import fc from 'fast-check'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { OAuthError } from '../../src/auth/oauth-error.ts'
import { createDpopProofs, type VerifiedProof } from '../../src/auth/resource/dpop.ts'
import { sha256Base64Url } from '../../src/platform/digest.ts'
import { verifies } from '../support/verifies.ts'
import { runs } from './settings.ts'

const URL_OF_RESOURCE = 'https://mcp.example.com/mcp'
const START_SECONDS = 1_800_000_000

interface Client {
  readonly alg: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
  readonly jkt: string
}

const clients: Client[] = []
beforeAll(async () => {
  for (const alg of ['ES256', 'EdDSA', 'ES256']) {
    const { privateKey, publicKey } = await generateKeyPair(alg)
    const jwk = await exportJWK(publicKey)
    clients.push({ alg, privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) })
  }
})

function clientAt(index: number): Client {
  const client = clients[index]
  if (client === undefined) throw new Error(`There is no client ${index}`)
  return client
}

type Claims = Readonly<Record<string, unknown>>

const prove = ({ alg, privateKey, jwk }: Client, claims: Claims, header: Claims = {}) =>
  new SignJWT({ htm: 'POST', htu: URL_OF_RESOURCE, ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, ...header })
    .sign(privateKey)

const request = { method: 'POST', urls: [URL_OF_RESOURCE] }

/** The thumbprint of an accepted proof; undefined for a refused one. */
async function outcomeOf(check: Promise<VerifiedProof>): Promise<string | undefined> {
  try {
    return (await check).jkt
  } catch (error) {
    if (error instanceof OAuthError && error.code === 'invalid_dpop_proof') return undefined
    throw error
  }
}

const index = fc.nat({ max: 2 })
const jti = fc.oneof(fc.constantFrom('one', 'two'), fc.string({ minLength: 1, maxLength: 20 }))

describe('a DPoP proof', () => {
  it('is accepted once, while its date is within a minute, for any order of clients, names and times', async () => {
    verifies('dpop/time-limit')
    const presentation = fc.record({
      wait: fc.nat({ max: 40 }),
      client: index,
      jti,
      age: fc.integer({ min: -75, max: 75 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(presentation, { maxLength: 12, size: 'max' }),
        async (presentations) => {
          let nowSeconds = START_SECONDS
          const verify = createDpopProofs({ now: () => nowSeconds * 1000 })
          /** Until when a name is remembered, by client and name. */
          const used = new Map<string, number>()
          for (const { wait, client, jti: name, age } of presentations) {
            nowSeconds += wait
            const iat = nowSeconds - age
            const by = clientAt(client)
            const proof = await prove(by, { iat, jti: name })
            const key = JSON.stringify([client, name])
            const isUsed = (used.get(key) ?? -Infinity) >= nowSeconds
            const isAccepted = Math.abs(age) <= 60 && !isUsed
            const outcome = await outcomeOf(verify({ ...request, proof }))
            expect(outcome).toBe(isAccepted ? by.jkt : undefined)
            if (isAccepted) used.set(key, iat + 60)
          }
        },
      ),
      runs(25),
    )
  })

  it('is refused after any change of a character, of its request, of its key or of its token', async () => {
    verifies('dpop/proofs-are-checked')
    const change = fc.constantFrom<(text: string) => Promise<object>>(
      async () => ({ method: 'GET' }),
      async () => ({ urls: ['https://mcp.example.com/other'] }),
      async () => ({ urls: [] }),
      async () => ({ token: { text: 'another token', jkt: clientAt(0).jkt } }),
      async (text) => ({ token: { text, jkt: clientAt(2).jkt } }),
      async () => ({ proof: null }),
    )
    const token = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 10 })
    await fc.assert(
      fc.asyncProperty(
        token,
        change,
        fc.nat(),
        fc.constantFrom(...'AQgwz-_.'),
        async (text, changed, place, character) => {
          const now = () => START_SECONDS * 1000
          const ath = await sha256Base64Url(text)
          const proof = await prove(clientAt(0), { iat: START_SECONDS, jti: 'x', ath })
          const whole = { ...request, proof, token: { text, jkt: clientAt(0).jkt } }
          // The last character of a signature has unused bits, which decoders ignore.
          const at = place % (proof.length - 1)
          const edited = proof.slice(0, at) + character + proof.slice(at + 1)
          const check = (one: object) => outcomeOf(createDpopProofs({ now })({ ...whole, ...one }))
          if (edited !== proof) expect(await check({ proof: edited })).toBeUndefined()
          expect(await check(await changed(text))).toBeUndefined()
          expect(await check({})).toBe(clientAt(0).jkt)
        },
      ),
      runs(40),
    )
  })

  it('is accepted for every spelling of the same URL, and for no other URL', async () => {
    const own = { scheme: 'https', host: 'mcp.example.com', path: '/mcp' }
    const spelling = fc.record({
      scheme: fc.constantFrom('https', 'HTTPS', 'http'),
      host: fc.constantFrom(
        'mcp.example.com',
        'MCP.example.com',
        'mcp.example.com:443',
        'mcp.example.com:444',
        'mcp.example.com.',
        'a@mcp.example.com',
      ),
      path: fc.constantFrom('/mcp', '/./mcp', '/x/../mcp', '/MCP', '/mcp/', '/%6dcp'),
      rest: fc.constantFrom('', '?a=b', '#c', '?a#/mcp'),
    })
    await fc.assert(
      fc.asyncProperty(spelling, async ({ scheme, host, path, rest }) => {
        const htu = `${scheme}://${host}${path}${rest}`
        const proof = await prove(clientAt(1), { iat: START_SECONDS, jti: 'x', htu })
        const verify = createDpopProofs({ now: () => START_SECONDS * 1000 })
        const isSame =
          scheme.toLowerCase() === own.scheme &&
          host.toLowerCase().replace(/:443$/, '') === own.host &&
          ['/mcp', '/./mcp', '/x/../mcp'].includes(path)
        const outcome = await outcomeOf(verify({ ...request, proof }))
        expect(outcome).toBe(isSame ? clientAt(1).jkt : undefined)
      }),
      runs(60),
    )
  })
})
