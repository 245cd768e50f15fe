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

async function createSigner(alg: string, kid?: string): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return { key: privateKey, jwk: kid === undefined ? jwk : { ...jwk, kid } }
}

const claimsOf = (id: string): JWTPayload => ({
  iss: id,
  sub: id,
  aud: ISSUER,
  iat: SECONDS,
  exp: SECONDS + 300,
  jti: 'one',
})

const sign = (claims: JWTPayload, { key, jwk }: Signer, alg = 'ES256') =>
  new SignJWT(claims)
    .setProtectedHeader({ alg, ...(jwk.kid === undefined ? undefined : { kid: jwk.kid }) })
    .sign(key)

/** Registers a client with keys, and authenticates it. */
async function open(keys: readonly JWK[] | undefined, setting: Setting = {}) {
  const deployment = openDeployment(setting)
  const { client_id } = await deployment.clients.register({
    redirect_uris: ['https://client.example/cb'],
    token_endpoint_auth_method: 'private_key_jwt',
    ...(keys === undefined ? { jwks_uri: JWKS_URI } : { jwks: { keys } }),
  })
  const id = client_id as string
  const send = (assertion: string, rest: Record<string, string> = {}) => {
    const form = { client_assertion: assertion, client_assertion_type: TYPE, ...rest }
    return deployment.authenticate(new Headers(), new Map(Object.entries(form)))
  }
  const refusal = async (assertion: string) => {
    const refused = await send(assertion).catch((error: unknown) => error)
    if (!(refused instanceof OAuthError)) throw refused
    return `${refused.status} ${refused.code}: ${refused.message}`
  }
  return { ...deployment, id, send, refusal }
}

const INVALID = '401 invalid_client: The client assertion is not valid: '

describe('authentication with private_key_jwt', () => {
  it.each(['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'])(
    'accepts an assertion that is signed with %s',
    async (alg) => {
      verifies('jwt-assertions/rs256')
      const signer = await createSigner(alg)
      const { id, send } = await open([signer.jwk])
      const assertion = await sign(claimsOf(id), signer, alg)
      expect((await send(assertion, { client_id: id })).id).toBe(id)
    },
  )

  it.each([ISSUER, [ISSUER]])('accepts the audience %j, also in strict mode', async (aud) => {
    const signer = await createSigner('ES256')
    for (const strict of [false, true]) {
      const { id, send, events } = await open([signer.jwk], { strict })
      expect((await send(await sign({ ...claimsOf(id), aud }, signer))).id).toBe(id)
      expect(events).toEqual([])
    }
  })

  it.each([TOKEN_ENDPOINT, [TOKEN_ENDPOINT]])(
    'accepts the audience %j as a leniency, which strict mode refuses',
    async (aud) => {
      verifies('jwt-assertions/audience-by-agreement')
      const signer = await createSigner('ES256')
      const lenient = await open([signer.jwk])
      const assertion = await sign({ ...claimsOf(lenient.id), aud }, signer)
      expect((await lenient.send(assertion)).id).toBe(lenient.id)
      expect(lenient.events).toEqual([
        { type: 'leniency', name: 'client-assertion-audience', method: undefined },
      ])
      const strict = await open([signer.jwk], { strict: true })
      const refused = await strict.refusal(await sign({ ...claimsOf(strict.id), aud }, signer))
      expect(refused).toBe(`${INVALID}its aud is not acceptable`)
      expect(strict.events).toEqual([])
    },
  )

  it('does not report the leniency of an assertion that is refused', async () => {
    const signer = await createSigner('ES256')
    const { id, send, refusal, events } = await open([signer.jwk])
    const assertion = await sign({ ...claimsOf(id), aud: TOKEN_ENDPOINT }, signer)
    await send(assertion)
    await refusal(assertion)
    expect(events).toHaveLength(1)
  })

  it('accepts an assertion without key id when the client has several keys', async () => {
    const signers = await Promise.all([createSigner('ES256'), createSigner('ES256')])
    const { id, send, refusal } = await open(signers.map(({ jwk }) => jwk))
    for (const [index, signer] of signers.entries()) {
      const assertion = await sign({ ...claimsOf(id), jti: `${index}` }, signer)
      expect((await send(assertion)).id).toBe(id)
    }
    const other = await sign(claimsOf(id), await createSigner('ES256'))
    expect(await refusal(other)).toBe(`${INVALID}its signature cannot be verified`)
  })

  it('accepts a clock difference of half a minute', async () => {
    const signer = await createSigner('ES256')
    const { id, send } = await open([signer.jwk])
    const ahead = { exp: SECONDS + 330, nbf: SECONDS + 30, iat: SECONDS + 30, jti: 'ahead' }
    const behind = { exp: SECONDS - 29, jti: 'behind' }
    for (const times of [ahead, behind]) {
      expect((await send(await sign({ ...claimsOf(id), ...times }, signer))).id).toBe(id)
    }
  })

  it('accepts an assertion only once', async () => {
    const signer = await createSigner('ES256')
    const { id, send, refusal, used } = await open([signer.jwk])
    const assertion = await sign(claimsOf(id), signer)
    await send(assertion)
    expect(await refusal(assertion)).toBe(`${INVALID}it has been used before`)
    // Another signature with the same jti is the same assertion.
    const again = await sign({ ...claimsOf(id), exp: SECONDS + 200 }, signer)
    expect(await refusal(again)).toBe(`${INVALID}it has been used before`)
    expect(used.size).toBe(1)
    expect([...used][0]).toMatch(/^assertion [\w-]{43}$/)
  })

  it('accepts the same jti from two clients', async () => {
    const signer = await createSigner('ES256')
    const { clients, id, send, used } = await open([signer.jwk])
    const other = await clients.register({
      redirect_uris: ['https://client.example/cb'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [signer.jwk] },
    })
    await send(await sign(claimsOf(id), signer))
    await send(await sign(claimsOf(other.client_id as string), signer))
    expect(used.size).toBe(2)
  })
})

describe('authentication with private_key_jwt rejects an assertion', () => {
  it.each<[string, JWTPayload, string]>([
    ['was issued by another client', { iss: 'other' }, 'its iss is not acceptable'],
    ['has no issuer', { iss: undefined }, 'its iss is not acceptable'],
    ['is for another server', { aud: 'https://other.example.com' }, 'its aud is not acceptable'],
    ['is for a look-alike host', { aud: `${ISSUER}.evil.example` }, 'its aud is not acceptable'],
    ['has no audience', { aud: undefined }, 'its aud is not acceptable'],
    ['has an empty list of audiences', { aud: [] }, 'its aud is not acceptable'],
    [
      'is for two servers',
      { aud: [ISSUER, 'https://other.example.com'] },
      'its only audience must be this server',
    ],
    ['has no expiry', { exp: undefined }, 'its exp is not acceptable'],
    ['has expired', { exp: SECONDS - 31 }, 'it has expired'],
    ['is valid for too long', { exp: SECONDS + 331 }, 'exp must be at most 300 seconds ahead'],
    ['is valid for an unlimited time', { exp: 1e300 }, 'exp must be at most 300 seconds ahead'],
    ['is not valid yet', { nbf: SECONDS + 31 }, 'its nbf is not acceptable'],
    ['was issued in the future', { iat: SECONDS + 31 }, 'its iat is in the future'],
    [
      'was issued at a time that is no number',
      { iat: `${SECONDS}` as never },
      'its iat is not acceptable',
    ],
    ['has no jti', { jti: undefined }, 'its jti is not acceptable'],
    ['has an empty jti', { jti: '' }, 'jti must be a string of 1 to 256 characters'],
    [
      'has a jti that is too long',
      { jti: 'x'.repeat(257) },
      'jti must be a string of 1 to 256 characters',
    ],
    [
      'has a jti that is a number',
      { jti: 5 as unknown as string },
      'jti must be a string of 1 to 256 characters',
    ],
  ])('that %s', async (_, claims, why) => {
    verifies('jwt-assertions/invalid-client')
    const signer = await createSigner('ES256')
    const { id, refusal, used } = await open([signer.jwk])
    const assertion = await sign({ ...claimsOf(id), ...claims }, signer)
    expect(await refusal(assertion)).toBe(`${INVALID}${why}`)
    // The jti of a rejected assertion is not stored.
    expect(used.size).toBe(0)
  })

  it('that was signed with the key of another client', async () => {
    const { id, refusal, used } = await open([(await createSigner('ES256', 'k')).jwk])
    const forged = await sign(claimsOf(id), await createSigner('ES256', 'k'))
    expect(await refusal(forged)).toBe(`${INVALID}its signature cannot be verified`)
    expect(used.size).toBe(0)
  })

  it.each([
    [
      'is not a point of its curve',
      { kty: 'EC', crv: 'P-256', x: 'A'.repeat(43), y: 'B'.repeat(43) },
    ],
    [
      'is not base64 of 32 bytes',
      { kty: 'EC', crv: 'P-256', x: '_'.repeat(43), y: '-'.repeat(43) },
    ],
    ['is of another kind', { kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }],
  ])('whose key %s', async (_, jwk) => {
    const { id, refusal } = await open([jwk])
    const assertion = await sign(claimsOf(id), await createSigner('ES256'))
    expect(await refusal(assertion)).toBe(`${INVALID}its signature cannot be verified`)
  })

  it('that was modified after it was signed', async () => {
    const signer = await createSigner('ES256')
    const { id, refusal } = await open([signer.jwk])
    const [header, , signature] = (await sign(claimsOf(id), signer)).split('.')
    const claims = btoa(JSON.stringify({ ...claimsOf(id), jti: 'two' })).replace(/=+$/, '')
    expect(await refusal(`${header}.${claims}.${signature}`)).toBe(
      `${INVALID}its signature cannot be verified`,
    )
  })

  it.each([
    ['not signed', { alg: 'none' }],
    ['signed with a shared secret', { alg: 'HS256' }],
    ['signed with an unsupported algorithm', { alg: 'ES384' }],
    ['with a critical extension', { alg: 'ES256', crit: ['x'], x: 1 }],
    ['with a key in its header', { alg: 'HS256', jwk: { kty: 'oct', k: 'AA' } }],
  ])('that is %s', async (_, header) => {
    const { id, refusal } = await open([(await createSigner('ES256')).jwk])
    const encode = (value: unknown) =>
      btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
    const forged = `${encode(header)}.${encode(claimsOf(id))}.AAAA`
    expect(await refusal(forged)).toBe(`${INVALID}its signature cannot be verified`)
  })

  it.each(['RS384', 'RS512', 'PS512'])(
    'that is signed with %s, even if the key matches',
    async (alg) => {
      const signer = await createSigner(alg)
      const { id, refusal } = await open([signer.jwk])
      const assertion = await sign(claimsOf(id), signer, alg)
      expect(await refusal(assertion)).toBe(`${INVALID}its signature cannot be verified`)
    },
  )

  it('that is signed with the public key as HMAC secret', async () => {
    const signer = await createSigner('RS256')
    const { id, refusal } = await open([signer.jwk])
    const forged = await new SignJWT(claimsOf(id))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(signer.jwk.n))
    expect(await refusal(forged)).toBe(`${INVALID}its signature cannot be verified`)
  })

  it('that names its own key, without fetching it', async () => {
    const { id, refusal, fetched } = await open([(await createSigner('ES256')).jwk])
    const evil = await createSigner('ES256')
    const forged = await new SignJWT(claimsOf(id))
      .setProtectedHeader({ alg: 'ES256', jku: 'https://evil.example/jwks', jwk: evil.jwk })
      .sign(evil.key)
    expect(await refusal(forged)).toBe(`${INVALID}its signature cannot be verified`)
    expect(fetched).toEqual([])
  })
})

describe('createClientKeys with a jwks_uri', () => {
  it('fetches the key set once and ignores unusable keys', async () => {
    const signer = await createSigner('ES256', 'k1')
    const { id, send, published, fetched } = await open(undefined)
    const unusable = [{ kty: 'oct', k: 'AA' }, { kty: 'EC', crv: 'P-521' }, 5, null]
    published.set(JWKS_URI, { keys: [...unusable, { ...signer.jwk, use: 'sig' }] })
    for (const jti of ['a', 'b', 'c']) await send(await sign({ ...claimsOf(id), jti }, signer))
    expect(fetched).toEqual([JWKS_URI])
  })

  it('fetches the key set again for an unknown key, at most once a minute', async () => {
    const [old, fresh] = await Promise.all([
      createSigner('ES256', 'k1'),
      createSigner('ES256', 'k2'),
    ])
    const { id, send, refusal, published, fetched, clock } = await open(undefined)
    const at = (jti: string) => ({ ...claimsOf(id), exp: clock.now / 1000 + 60, jti })
    published.set(JWKS_URI, { keys: [old.jwk] })
    await send(await sign(at('a'), old))
    published.set(JWKS_URI, { keys: [old.jwk, fresh.jwk] })
    expect(await refusal(await sign(at('b'), fresh))).toBe(
      `${INVALID}its signature cannot be verified`,
    )
    expect(fetched).toHaveLength(1)
    clock.now += 60_001
    expect((await send(await sign(at('c'), fresh))).id).toBe(id)
    expect(fetched).toHaveLength(2)
    const unknown = await createSigner('ES256', 'k3')
    clock.now += 59_000
    for (const jti of ['d', 'e', 'f']) await refusal(await sign(at(jti), unknown))
    expect(fetched).toHaveLength(2)
  })

  it.each([
    [
      'cannot be reached',
      undefined,
      '503 temporarily_unavailable: The jwks_uri https://client.example/jwks.json cannot be read at the moment',
    ],
    [
      'has no keys',
      { keys: [] },
      '401 invalid_client: The jwks_uri https://client.example/jwks.json has no usable keys',
    ],
    [
      'is not a key set',
      [],
      '401 invalid_client: The jwks_uri https://client.example/jwks.json has no usable keys',
    ],
    [
      'has only symmetric keys',
      { keys: [{ kty: 'oct', k: 'AA' }] },
      '401 invalid_client: The jwks_uri https://client.example/jwks.json has no usable keys',
    ],
    [
      'is larger than 32 KiB',
      { keys: [], x: 'x'.repeat(32_768) },
      '401 invalid_client: The jwks_uri https://client.example/jwks.json has no usable keys',
    ],
  ])('rejects the client when the key set %s', async (_, jwks, expected) => {
    const { id, refusal, published } = await open(undefined)
    if (jwks !== undefined) published.set(JWKS_URI, jwks)
    expect(await refusal(await sign(claimsOf(id), await createSigner('ES256')))).toBe(expected)
  })

  it('authenticates a client with a metadata document', async () => {
    const signer = await createSigner('ES256', 'k1')
    const { authenticate, published } = openDeployment()
    const id = 'https://client.example/client.json'
    published.set(JWKS_URI, { keys: [signer.jwk] })
    published.set(id, {
      client_id: id,
      client_name: 'A client',
      redirect_uris: ['https://client.example/cb'],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: JWKS_URI,
    })
    const form = {
      client_assertion: await sign(claimsOf(id), signer),
      client_assertion_type: TYPE,
    }
    expect(await authenticate(new Headers(), new Map(Object.entries(form)))).toMatchObject({
      id,
      kind: 'document',
    })
  })
})
