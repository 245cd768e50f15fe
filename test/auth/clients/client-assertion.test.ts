/** Authentication with private_key_jwt, by rows: the claims, the signature and the keys of an assertion. */
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { OAuthError } from '../../../src/auth/oauth-error.ts'
import { verifies } from '../../support/verifies.ts'
import { ISSUER, NOW, openDeployment, type Setting, TOKEN_ENDPOINT } from './deployment.ts'

const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const JWKS_URI = 'https://client.example/jwks.json'
const SECONDS = NOW / 1000

interface Signer {
  readonly key: CryptoKey
  readonly jwk: JWK
}

async function createSigner(alg = 'ES256', kid?: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return { key: privateKey, jwk: kid === undefined ? jwk : { ...jwk, kid } }
}

const sign = (claims: JWTPayload, { key, jwk }: Signer, header: object = {}) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', ...(jwk.kid !== undefined && { kid: jwk.kid }), ...header })
    .sign(key)

/** Registers a client with keys, or with a key set at its address, and authenticates it. */
async function open(keys: readonly JWK[] | undefined, setting: Setting = {}) {
  const deployment = openDeployment(setting)
  const { client_id } = await deployment.clients.register({
    redirect_uris: ['https://client.example/cb'],
    token_endpoint_auth_method: 'private_key_jwt',
    ...(keys === undefined ? { jwks_uri: JWKS_URI } : { jwks: { keys } }),
  })
  const id = client_id as string
  const claims = (changes: JWTPayload = {}): JWTPayload => ({
    ...{ iss: id, sub: id, aud: ISSUER, iat: SECONDS, exp: SECONDS + 300, jti: 'one' },
    ...changes,
  })
  const send = async (assertion: string, rest: Record<string, string> = {}) => {
    const form = { client_assertion: assertion, client_assertion_type: TYPE, ...rest }
    return (await deployment.authenticate(new Headers(), new Map(Object.entries(form)))).id
  }
  const refusal = async (assertion: string) => {
    const refused = await send(assertion).catch((error: unknown) => error)
    if (!(refused instanceof OAuthError)) throw refused
    return `${refused.status} ${refused.code}: ${refused.message}`
  }
  return { ...deployment, id, claims, send, refusal }
}

/** The same with one key. */
async function openSigned(setting: Setting = {}, alg?: string) {
  const signer = await createSigner(alg)
  return { signer, ...(await open([signer.jwk], setting)) }
}

const INVALID = '401 invalid_client: The client assertion is not valid: '
const UNVERIFIED = `${INVALID}its signature cannot be verified`

describe('authentication with private_key_jwt', () => {
  it.each(['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'])(
    'accepts an assertion that is signed with %s',
    async (alg) => {
      verifies('jwt-assertions/rs256')
      const { signer, id, claims, send } = await openSigned({}, alg)
      expect(await send(await sign(claims(), signer, { alg }), { client_id: id })).toBe(id)
    },
  )

  it.each([
    ['no leniency', ISSUER, []],
    ['no leniency', [ISSUER], []],
    ['a leniency', TOKEN_ENDPOINT, ['client-assertion-audience']],
    ['a leniency', [TOKEN_ENDPOINT], ['client-assertion-audience']],
  ])('reports %s for the audience %j, which strict mode refuses', async (_, aud, names) => {
    verifies('jwt-assertions/audience-by-agreement')
    const { signer, id, claims, send, refusal, events } = await openSigned()
    const assertion = await sign(claims({ aud }), signer)
    expect(await send(assertion)).toBe(id)
    // An assertion that is refused reports nothing.
    await refusal(assertion)
    expect(events).toEqual(names.map((name) => ({ type: 'leniency', name, method: undefined })))
    const strict = await open([signer.jwk], { strict: true })
    const sent = await sign(strict.claims({ aud }), signer)
    if (names.length === 0) expect(await strict.send(sent)).toBe(strict.id)
    else expect(await strict.refusal(sent)).toBe(`${INVALID}its aud is not acceptable`)
    expect(strict.events).toEqual([])
  })

  it('accepts an assertion without key id when the client has several keys', async () => {
    const signers = await Promise.all([createSigner(), createSigner()])
    const { id, claims, send, refusal } = await open(signers.map(({ jwk }) => jwk))
    for (const [index, signer] of signers.entries()) {
      expect(await send(await sign(claims({ jti: `${index}` }), signer))).toBe(id)
    }
    expect(await refusal(await sign(claims(), await createSigner()))).toBe(UNVERIFIED)
  })

  it('accepts a clock difference of half a minute', async () => {
    const { signer, id, claims, send } = await openSigned()
    const ahead = { exp: SECONDS + 330, nbf: SECONDS + 30, iat: SECONDS + 30, jti: 'ahead' }
    for (const times of [ahead, { exp: SECONDS - 29, jti: 'behind' }]) {
      expect(await send(await sign(claims(times), signer))).toBe(id)
    }
  })

  it('accepts an assertion only once, and the same jti from two clients', async () => {
    const { signer, clients, claims, send, refusal, used } = await openSigned()
    const assertion = await sign(claims(), signer)
    await send(assertion)
    // Another signature with the same jti is the same assertion.
    for (const again of [assertion, await sign(claims({ exp: SECONDS + 200 }), signer)]) {
      expect(await refusal(again)).toBe(`${INVALID}it has been used before`)
    }
    expect([...used]).toEqual([expect.stringMatching(/^assertion [\w-]{43}$/)])
    const { client_id } = await clients.register({
      redirect_uris: ['https://client.example/cb'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [signer.jwk] },
    })
    const other = client_id as string
    await send(await sign(claims({ iss: other, sub: other }), signer))
    expect(used.size).toBe(2)
  })
})

describe('authentication with private_key_jwt rejects an assertion', () => {
  const AUDIENCE = 'its aud is not acceptable'
  const LIFETIME = 'exp must be at most 300 seconds ahead'
  const JTI = 'jti must be a string of 1 to 256 characters'
  it.each<[string, object, string]>([
    ['was issued by another client', { iss: 'other' }, 'its iss is not acceptable'],
    ['has no issuer', { iss: undefined }, 'its iss is not acceptable'],
    ['is for another server', { aud: 'https://other.example.com' }, AUDIENCE],
    ['is for a look-alike host', { aud: `${ISSUER}.evil.example` }, AUDIENCE],
    ['has no audience', { aud: undefined }, AUDIENCE],
    ['has an empty list of audiences', { aud: [] }, AUDIENCE],
    [
      'is for two servers',
      { aud: [ISSUER, 'https://b.example'] },
      'its only audience must be this server',
    ],
    ['has no expiry', { exp: undefined }, 'its exp is not acceptable'],
    ['has expired', { exp: SECONDS - 31 }, 'it has expired'],
    ['is valid for too long', { exp: SECONDS + 331 }, LIFETIME],
    ['is valid for an unlimited time', { exp: 1e300 }, LIFETIME],
    ['is not valid yet', { nbf: SECONDS + 31 }, 'its nbf is not acceptable'],
    ['was issued in the future', { iat: SECONDS + 31 }, 'its iat is in the future'],
    ['has a text as iat', { iat: `${SECONDS}` }, 'its iat is not acceptable'],
    ['has no jti', { jti: undefined }, 'its jti is not acceptable'],
    ['has an empty jti', { jti: '' }, JTI],
    ['has a jti that is too long', { jti: 'x'.repeat(257) }, JTI],
    ['has a jti that is a number', { jti: 5 }, JTI],
  ])('that %s', async (_, changes, why) => {
    verifies('jwt-assertions/invalid-client')
    const { signer, claims, refusal, used } = await openSigned()
    const assertion = await sign(claims(changes as JWTPayload), signer)
    expect(await refusal(assertion)).toBe(`${INVALID}${why}`)
    // The jti of a rejected assertion is not stored.
    expect(used.size).toBe(0)
  })

  it.each<[string, JWK]>([
    ['is that of another client', {}],
    ['is not a point', { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'B'.repeat(43) }],
    [
      'is not base64 of 32 bytes',
      { kty: 'EC', crv: 'P-256', x: '_'.repeat(43), y: '-'.repeat(43) },
    ],
    ['is of another kind', { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }],
  ])('whose key %s', async (_, jwk) => {
    const own = jwk.kty === undefined ? (await createSigner('ES256', 'k')).jwk : jwk
    const { claims, refusal, used } = await open([own])
    const forged = await sign(claims(), await createSigner('ES256', own.kid))
    expect(await refusal(forged)).toBe(UNVERIFIED)
    expect(used.size).toBe(0)
  })

  it('that was modified after it was signed', async () => {
    const { signer, claims, refusal } = await openSigned()
    const [header, , signature] = (await sign(claims(), signer)).split('.')
    const payload = btoa(JSON.stringify(claims({ jti: 'two' }))).replace(/=+$/, '')
    expect(await refusal(`${header}.${payload}.${signature}`)).toBe(UNVERIFIED)
  })

  it.each([
    ['not signed', { alg: 'none' }],
    ['signed with a shared secret', { alg: 'HS256' }],
    ['signed with an unsupported algorithm', { alg: 'ES384' }],
    ['with a critical extension', { alg: 'ES256', crit: ['x'], x: 1 }],
    ['with a key in its header', { alg: 'HS256', jwk: { kty: 'oct', k: 'AA' } }],
  ])('that is %s', async (_, header) => {
    const { claims, refusal } = await openSigned()
    const encode = (value: unknown) =>
      btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
    expect(await refusal(`${encode(header)}.${encode(claims())}.AAAA`)).toBe(UNVERIFIED)
  })

  it.each(['RS384', 'RS512', 'PS512'])(
    'that is signed with %s, even if the key matches',
    async (alg) => {
      const { signer, claims, refusal } = await openSigned({}, alg)
      expect(await refusal(await sign(claims(), signer, { alg }))).toBe(UNVERIFIED)
    },
  )

  it('that is signed with the public key as HMAC secret', async () => {
    const { signer, claims, refusal } = await openSigned({}, 'RS256')
    const forged = new SignJWT(claims()).setProtectedHeader({ alg: 'HS256' })
    const secret = new TextEncoder().encode(signer.jwk.n)
    expect(await refusal(await forged.sign(secret))).toBe(UNVERIFIED)
  })

  it('that names its own key, without fetching it', async () => {
    const { claims, refusal, fetched } = await openSigned()
    const evil = await createSigner()
    const header = { jku: 'https://evil.example/jwks', jwk: evil.jwk }
    expect(await refusal(await sign(claims(), evil, header))).toBe(UNVERIFIED)
    expect(fetched).toEqual([])
  })
})

describe('createClientKeys with a jwks_uri', () => {
  it('fetches the key set once and ignores unusable keys', async () => {
    const signer = await createSigner('ES256', 'k1')
    const { claims, send, published, fetched } = await open(undefined)
    const unusable = [{ kty: 'oct', k: 'AA' }, { kty: 'EC', crv: 'P-521' }, 5, null]
    published.set(JWKS_URI, { keys: [...unusable, { ...signer.jwk, use: 'sig' }] })
    for (const jti of ['a', 'b', 'c']) await send(await sign(claims({ jti }), signer))
    expect(fetched).toEqual([JWKS_URI])
  })

  it('fetches the key set again for an unknown key, at most once a minute', async () => {
    const [old, fresh, unknown] = await Promise.all(
      ['k1', 'k2', 'k3'].map((kid) => createSigner('ES256', kid)),
    )
    if (!old || !fresh || !unknown) throw new Error('No keys')
    const { id, claims, send, refusal, published, fetched, clock } = await open(undefined)
    const at = (jti: string, signer: Signer) =>
      sign(claims({ exp: clock.now / 1000 + 60, jti }), signer)
    published.set(JWKS_URI, { keys: [old.jwk] })
    await send(await at('a', old))
    published.set(JWKS_URI, { keys: [old.jwk, fresh.jwk] })
    expect(await refusal(await at('b', fresh))).toBe(UNVERIFIED)
    expect(fetched).toHaveLength(1)
    clock.now += 60_001
    expect(await send(await at('c', fresh))).toBe(id)
    expect(fetched).toHaveLength(2)
    clock.now += 59_000
    for (const jti of ['d', 'e', 'f']) await refusal(await at(jti, unknown))
    expect(fetched).toHaveLength(2)
  })

  const READ = `503 temporarily_unavailable: The jwks_uri ${JWKS_URI} cannot be read at the moment`
  const UNUSABLE = `401 invalid_client: The jwks_uri ${JWKS_URI} has no usable keys`
  it.each<[string, unknown, string]>([
    ['cannot be reached', undefined, READ],
    ['has no keys', { keys: [] }, UNUSABLE],
    ['is not a key set', [], UNUSABLE],
    ['has only symmetric keys', { keys: [{ kty: 'oct', k: 'AA' }] }, UNUSABLE],
    ['is larger than 32 KiB', { keys: [], x: 'x'.repeat(32_768) }, UNUSABLE],
  ])('rejects the client when the key set %s', async (_, jwks, expected) => {
    const { claims, refusal, published } = await open(undefined)
    if (jwks !== undefined) published.set(JWKS_URI, jwks)
    expect(await refusal(await sign(claims(), await createSigner()))).toBe(expected)
  })

  it('authenticates a client with a metadata document', async () => {
    const signer = await createSigner('ES256', 'k1')
    const { published, authenticate, claims } = await open(undefined)
    const id = 'https://client.example/client.json'
    published.set(JWKS_URI, { keys: [signer.jwk] })
    published.set(id, {
      client_id: id,
      client_name: 'A client',
      redirect_uris: ['https://client.example/cb'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: JWKS_URI,
    })
    const assertion = await sign(claims({ iss: id, sub: id }), signer)
    const form = { client_assertion: assertion, client_assertion_type: TYPE }
    const client = await authenticate(new Headers(), new Map(Object.entries(form)))
    expect(client).toMatchObject({ id, kind: 'document' })
  })
})
