/** Tokens that somebody has made up, borrowed, kept too long or changed: each with its one right answer. */
import fc from 'fast-check'
import { exportSPKI, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  admitted,
  claimsOf,
  createPair,
  ISSUER,
  NOW_SECONDS,
  OLD,
  OTHER,
  openResource,
  RESOURCE,
  refusalOf,
  type SigningPair,
  sign,
} from './issuer.ts'

let pair: SigningPair
let stranger: SigningPair
let good: string
beforeAll(async () => {
  pair = await createPair('key-1')
  stranger = await createPair('key-1')
  good = await sign(pair)
})

const base64Url = (value: unknown) =>
  new TextEncoder()
    .encode(typeof value === 'string' ? value : JSON.stringify(value))
    .toBase64({ alphabet: 'base64url', omitPadding: true })

async function answer(token: string) {
  const { status, message, challenge } = await refusalOf(openResource(pair).present(token))
  expect(challenge).toContain(`error="invalid_token", error_description="${message}"`)
  return [status, message]
}

describe('claims', () => {
  const HERE = 'The access token is not valid here or now'
  const TABLE: readonly [string, Record<string, unknown>, string][] = [
    ['another issuer', { iss: 'https://evil.example' }, `${HERE}: iss`],
    ['an issuer with a slash more', { iss: `${ISSUER}/` }, `${HERE}: iss`],
    ['an issuer in other letters', { iss: 'https://MCP.example.com' }, `${HERE}: iss`],
    ['several issuers', { iss: [ISSUER] }, `${HERE}: iss`],
    ['no issuer', { iss: undefined }, `${HERE}: iss`],
    ['no subject', { sub: undefined }, `${HERE}: sub`],
    ['an empty subject', { sub: '' }, 'The access token must say sub'],
    ['a subject that is a number', { sub: 1 }, 'The access token must say sub'],
    ['no client', { client_id: undefined }, 'The access token must say client_id'],
    [
      'a client under another name',
      { client_id: undefined, azp: 'c' },
      'The access token must say client_id',
    ],
    [
      'another audience',
      { aud: 'https://evil.example/mcp' },
      'The access token was issued for another resource',
    ],
    ['the origin as audience', { aud: ISSUER }, 'The access token was issued for another resource'],
    [
      'a deeper path as audience',
      { aud: `${RESOURCE}/x` },
      'The access token was issued for another resource',
    ],
    ['two slashes', { aud: `${RESOURCE}//` }, 'The access token was issued for another resource'],
    [
      'a path that leads there',
      { aud: `${ISSUER}/x/../mcp` },
      'The access token was issued for another resource',
    ],
    ['a query', { aud: `${RESOURCE}?` }, 'The access token was issued for another resource'],
    ['a fragment', { aud: `${RESOURCE}#` }, 'The access token was issued for another resource'],
    [
      'a path in other letters',
      { aud: `${ISSUER}/MCP` },
      'The access token was issued for another resource',
    ],
    [
      'the default port',
      { aud: 'https://mcp.example.com:443/mcp' },
      'The access token was issued for another resource',
    ],
    [
      'the client as audience',
      { aud: 'client-1' },
      'The access token was issued for another resource',
    ],
    [
      'another resource of ours',
      { aud: OTHER },
      'The access token was issued for another resource',
    ],
    ['an empty list of audiences', { aud: [] }, 'The access token was issued for another resource'],
    [
      'an audience in a list in a list',
      { aud: [[RESOURCE]] },
      'The access token was issued for another resource',
    ],
    [
      'an audience that is an object',
      { aud: { 0: RESOURCE } },
      'The access token was issued for another resource',
    ],
    ['no audience', { aud: undefined }, `${HERE}: aud`],
    ['no expiry', { exp: undefined }, `${HERE}: exp`],
    ['an expiry that is text', { exp: `${NOW_SECONDS + 3600}` }, `${HERE}: exp`],
    ['an expiry that is null', { exp: null }, `${HERE}: exp`],
    ['an expiry a minute ago', { exp: NOW_SECONDS - 60 }, 'The access token has expired'],
    ['a beginning in more than a minute', { nbf: NOW_SECONDS + 61 }, `${HERE}: nbf`],
    ['a beginning that is text', { nbf: '0' }, `${HERE}: nbf`],
    [
      'an issue in more than a minute',
      { iat: NOW_SECONDS + 61 },
      'The access token was issued in the future',
    ],
    ['no issue', { iat: undefined }, `${HERE}: iat`],
    ['an issue that is text', { iat: '0' }, `${HERE}: iat`],
    [
      'scopes that are a number',
      { scope: 1 },
      'scope must be scope tokens with spaces between them',
    ],
    [
      'scopes with a number',
      { scope: ['read', 1] },
      'scope must be scope tokens with spaces between them',
    ],
    [
      'a binding to a certificate',
      { cnf: { 'x5t#S256': 'x' } },
      'The access token is bound in a way that is not supported',
    ],
    [
      'a binding to more than a key',
      { cnf: { jkt: 'x', 'x5t#S256': 'x' } },
      'The access token is bound in a way that is not supported',
    ],
    [
      'a binding to nothing',
      { cnf: {} },
      'The access token is bound in a way that is not supported',
    ],
    [
      'a binding that is null',
      { cnf: null },
      'The access token is bound in a way that is not supported',
    ],
    ['a grant that is no text', { gid: 7 }, 'The access token must say gid'],
    ['an empty grant', { gid: '' }, 'The access token must say gid'],
  ]
  it.each(TABLE)('are refused with %s', async (_, changes, message) => {
    expect(await answer(await sign(pair, claimsOf(changes)))).toEqual([401, message])
  })

  it('are refused with an expiry that is no finite number', async () => {
    const payload = JSON.stringify(claimsOf()).replace(/"exp":\d+/, '"exp":1e999')
    const input = `${good.split('.')[0]}.${base64Url(payload)}`
    const params = { name: 'ECDSA', hash: 'SHA-256' }
    const bytes = await crypto.subtle.sign(params, pair.privateKey, new TextEncoder().encode(input))
    const signature = new Uint8Array(bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
    expect(await answer(`${input}.${signature}`)).toEqual([401, 'exp must be a number'])
  })

  const GOOD: readonly [string, Record<string, unknown>][] = [
    ['a slash more', { aud: `${RESOURCE}/` }],
    ['scheme and host in capitals', { aud: 'HTTPS://MCP.EXAMPLE.COM/mcp' }],
    ['an old address', { aud: OLD }],
    ['several audiences, ours among them', { aud: ['https://api.example', RESOURCE] }],
    ['a last second', { exp: NOW_SECONDS + 1 }],
    ['an issue within the minute', { iat: NOW_SECONDS + 60, nbf: NOW_SECONDS + 60 }],
    ['no grant', { gid: undefined, gk: undefined }],
  ]
  it.each(GOOD)('are good with %s', async (_, changes) => {
    const { present } = openResource(pair)
    const info = await admitted(present(await sign(pair, claimsOf(changes))))
    expect([info.subject, info.resource]).toEqual(['owner', RESOURCE])
  })

  it('let a token for two resources into both, and name the one it was used for', async () => {
    const { authenticate } = openResource(pair)
    const authorization = `Bearer ${await sign(pair, claimsOf({ aud: [OTHER, RESOURCE] }))}`
    for (const resource of [RESOURCE, OTHER]) {
      const info = await admitted(authenticate({ authorization }, resource, resource))
      expect(info.resource).toBe(resource)
    }
  })

  it.each([
    ['write', ['write', 'read']],
    ['read write', ['read', 'write']],
    ['  openid   read ', ['openid', 'read']],
    ['', []],
    [undefined, []],
  ])('give the scopes of %j', async (scope, scopes) => {
    const { present } = openResource(pair)
    const info = await admitted(present(await sign(pair, claimsOf({ scope }))))
    expect(info.scopes).toEqual(scopes)
  })
})

describe('headers', () => {
  const KIND = 'The token is not an access token'
  const ALGORITHM = 'The access token is signed with an algorithm that is not accepted'
  const KEY = 'The access token is not signed with a known key'
  const TABLE: readonly [string, Record<string, unknown>, string][] = [
    ['the type of other tokens', { typ: 'JWT' }, KIND],
    ['the type of an id token', { typ: 'id_token+jwt' }, KIND],
    ['the type of a proof', { typ: 'dpop+jwt' }, KIND],
    ['no type', { typ: undefined }, KIND],
    ['a type that is no text', { typ: ['at+jwt'] }, KIND],
    ['an unknown key', { kid: 'key-2' }, KEY],
    ['no key', { kid: undefined }, KEY],
    ['a key by path', { kid: '../../dev/null' }, KEY],
    ['a key by query', { kid: "x' UNION SELECT 'key-1" }, KEY],
    ['a key that is no text', { kid: 7 }, 'The access token is malformed'],
    ['a key that is a list', { kid: ['key-1'] }, 'The access token is malformed'],
    [
      'an extension that must be understood',
      { crit: ['b64'], b64: true },
      'The access token is malformed',
    ],
  ]
  it.each(TABLE)('are refused with %s', async (_, header, message) => {
    expect(await answer(await sign(pair, claimsOf(), header))).toEqual([401, message])
  })

  it.each(['AT+JWT', 'application/at+jwt'])('are good with the type %s', async (typ) => {
    const token = await sign(pair, claimsOf(), { typ })
    expect((await admitted(openResource(pair).present(token))).subject).toBe('owner')
  })

  it.each([
    'none',
    'None',
    'NONE',
    'HS256',
    'HS512',
    'RS256',
    'ES384',
    'EdDSA',
    '',
    'es256',
    'constructor',
  ])('do not choose the algorithm: %j', async (alg) => {
    const [, payload] = good.split('.')
    const header = base64Url({ alg, typ: 'at+jwt', kid: 'key-1' })
    for (const signature of ['', 'AAAA', good.split('.')[2]]) {
      const { status } = await refusalOf(
        openResource(pair).present(`${header}.${payload}.${signature}`),
      )
      expect(status).toBe(401)
    }
    expect(await answer(`${header}.${payload}.AAAA`)).toEqual([401, ALGORITHM])
  })

  it('do not turn the public key into a secret', async () => {
    const secret = new TextEncoder().encode(await exportSPKI(pair.publicKey))
    const token = await new SignJWT(claimsOf())
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'key-1' })
      .sign(secret)
    expect(await answer(token)).toEqual([401, ALGORITHM])
  })

  it.each([
    ['in the token', () => ({ jwk: stranger.jwk })],
    ['at an address', () => ({ jku: 'https://evil.example/jwks.json' })],
    ['in a certificate', () => ({ x5c: ['MIIB'] })],
    ['at the address of a certificate', () => ({ x5u: 'https://evil.example/cert.pem' })],
  ])('do not bring their own key: %s', async (_, header) => {
    const forged = await sign(stranger, claimsOf(), header())
    expect(await answer(forged)).toEqual([401, 'The signature of the access token is not valid'])
    const honest = await sign(pair, claimsOf(), header())
    expect((await admitted(openResource(pair).present(honest))).subject).toBe('owner')
  })

  it('cannot name a key of another kind', async () => {
    const rsa = await createPair('key-1', 'RS256')
    const { present } = openResource(pair, { verificationKey: async () => rsa.publicKey })
    expect(await refusalOf(present(good))).toMatchObject({ status: 401, message: KEY })
    const secret = openResource(pair, { verificationKey: async () => pair.privateKey })
    expect(await refusalOf(secret.present(good))).toMatchObject({ status: 401, message: KEY })
  })
})

describe('text that is no signed token', () => {
  const part = () => good.split('.')
  it.each([
    ['an opaque token', () => 'mF_9.B5f-4.1JqM'],
    ['one word', () => 'token'],
    ['dots', () => '..'],
    ['no signature', () => `${part()[0]}.${part()[1]}.`],
    ['two parts', () => `${part()[0]}.${part()[1]}`],
    ['four parts', () => `${good}.${part()[2]}`],
    ['five parts, as encrypted ones have', () => `${good}.a.b`],
    ['an empty header', () => `.${part()[1]}.${part()[2]}`],
    ['a header that is a list', () => `${base64Url('[]')}.${part()[1]}.${part()[2]}`],
    ['a header that is null', () => `${base64Url('null')}.${part()[1]}.${part()[2]}`],
    ['a header that is no JSON', () => `${base64Url('{')}.${part()[1]}.${part()[2]}`],
    ['a padded signature', () => `${good}==`],
  ])('is refused: %s', async (_, token) => {
    expect(await answer(token())).toEqual([401, 'The access token is malformed'])
  })

  it.each(['[]', 'null', '1', '"x"', '{', ''])(
    'is refused though it is signed: %j',
    async (text) => {
      const header = good.split('.')[0]
      const input = `${header}.${base64Url(text)}`
      const params = { name: 'ECDSA', hash: 'SHA-256' }
      const bytes = await crypto.subtle.sign(
        params,
        pair.privateKey,
        new TextEncoder().encode(input),
      )
      const signature = new Uint8Array(bytes).toBase64({ alphabet: 'base64url', omitPadding: true })
      expect((await refusalOf(openResource(pair).present(`${input}.${signature}`))).status).toBe(
        401,
      )
    },
  )
})

describe('a changed token', () => {
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+/='

  it('is refused wherever one character is another', async () => {
    const { present } = openResource(pair)
    // Verified and kept before, as it is when an attacker has a live one to change.
    await admitted(present(good))
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: good.length - 1 }),
        fc.constantFrom(...ALPHABET),
        async (at, character) => {
          fc.pre(good[at] !== character)
          const changed = good.slice(0, at) + character + good.slice(at + 1)
          expect((await refusalOf(present(changed))).status).toBe(401)
        },
      ),
      { numRuns: 400 },
    )
  })

  it('is refused with any other last character, whose loose bits mean nothing', async () => {
    const { present } = openResource(pair)
    for (const character of ALPHABET) {
      const changed = good.slice(0, -1) + character
      if (changed !== good) expect((await refusalOf(present(changed))).status).toBe(401)
    }
  })

  it('is refused when something is left out or added', async () => {
    const { present } = openResource(pair)
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: good.length - 1 }),
        fc.constantFrom(...ALPHABET),
        async (at, more) => {
          const shorter = good.slice(0, at) + good.slice(at + 1)
          const longer = good.slice(0, at) + more + good.slice(at)
          expect((await refusalOf(present(shorter))).status).toBe(401)
          expect((await refusalOf(present(longer))).status).toBe(401)
        },
      ),
      { numRuns: 100 },
    )
  })

  it('is refused when parts of two good ones are put together', async () => {
    const { present } = openResource(pair)
    const other = await sign(pair, claimsOf({ sub: 'guest' }))
    const [header, payload] = good.split('.')
    expect((await refusalOf(present(`${header}.${payload}.${other.split('.')[2]}`))).status).toBe(
      401,
    )
  })
})
