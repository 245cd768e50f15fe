/** Forged, stolen, expired and modified access tokens, each with the expected response. */
import fc from 'fast-check'
import { exportSPKI, SignJWT } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import {
  accepted,
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
let attacker: SigningPair
let good: string
beforeAll(async () => {
  pair = await createPair('key-1')
  attacker = await createPair('key-1')
  good = await sign(pair)
})

const base64Url = (value: unknown) =>
  new TextEncoder()
    .encode(typeof value === 'string' ? value : JSON.stringify(value))
    .toBase64({ alphabet: 'base64url', omitPadding: true })

/** A valid signature of this text as the payload. */
async function signPayload(text: string): Promise<string> {
  const input = `${good.split('.')[0]}.${base64Url(text)}`
  const params = { name: 'ECDSA', hash: 'SHA-256' }
  const bytes = await crypto.subtle.sign(params, pair.privateKey, new TextEncoder().encode(input))
  const alphabet = { alphabet: 'base64url', omitPadding: true } as const
  return `${input}.${new Uint8Array(bytes).toBase64(alphabet)}`
}

async function rejectionOf(token: string) {
  const { status, message, challenge } = await refusalOf(openResource(pair).present(token))
  expect(challenge).toContain(`error="invalid_token", error_description="${message}"`)
  return [status, message]
}

describe('ResourceServer checks claims and', () => {
  const INVALID = 'The access token is not valid'
  const ELSEWHERE = 'The access token was issued for another resource'
  const BINDING = 'The access token is bound in a way that is not supported'
  const SCOPE = 'scope must be scope tokens separated by spaces'
  const CLIENT = 'The access token must have client_id'
  const FUTURE = 'The access token was issued in the future'
  const TABLE: readonly [string, Record<string, unknown>, string][] = [
    ['another issuer', { iss: 'https://evil.example' }, `${INVALID}: iss`],
    ['an issuer with a trailing slash', { iss: `${ISSUER}/` }, `${INVALID}: iss`],
    ['an issuer in another letter case', { iss: 'https://MCP.example.com' }, `${INVALID}: iss`],
    ['several issuers', { iss: [ISSUER] }, `${INVALID}: iss`],
    ['no issuer', { iss: undefined }, `${INVALID}: iss`],
    ['no subject', { sub: undefined }, `${INVALID}: sub`],
    ['an empty subject', { sub: '' }, 'The access token must have sub'],
    ['a subject that is a number', { sub: 1 }, 'The access token must have sub'],
    ['no client', { client_id: undefined }, CLIENT],
    ['the client in another claim', { client_id: undefined, azp: 'c' }, CLIENT],
    ['another audience', { aud: 'https://evil.example/mcp' }, ELSEWHERE],
    ['the origin as audience', { aud: ISSUER }, ELSEWHERE],
    ['a deeper path as audience', { aud: `${RESOURCE}/x` }, ELSEWHERE],
    ['two slashes', { aud: `${RESOURCE}//` }, ELSEWHERE],
    ['a path that resolves to the resource', { aud: `${ISSUER}/x/../mcp` }, ELSEWHERE],
    ['a query', { aud: `${RESOURCE}?` }, ELSEWHERE],
    ['a fragment', { aud: `${RESOURCE}#` }, ELSEWHERE],
    ['a path in another letter case', { aud: `${ISSUER}/MCP` }, ELSEWHERE],
    ['the default port', { aud: 'https://mcp.example.com:443/mcp' }, ELSEWHERE],
    ['the client as audience', { aud: 'client-1' }, ELSEWHERE],
    ['another resource of this server', { aud: OTHER }, ELSEWHERE],
    ['an empty list of audiences', { aud: [] }, ELSEWHERE],
    ['an audience in a nested list', { aud: [[RESOURCE]] }, ELSEWHERE],
    ['an audience that is an object', { aud: { 0: RESOURCE } }, ELSEWHERE],
    ['no audience', { aud: undefined }, `${INVALID}: aud`],
    ['no expiry', { exp: undefined }, `${INVALID}: exp`],
    ['an expiry that is a string', { exp: `${NOW_SECONDS + 3600}` }, `${INVALID}: exp`],
    ['an expiry that is null', { exp: null }, `${INVALID}: exp`],
    ['an expiry a minute ago', { exp: NOW_SECONDS - 60 }, 'The access token has expired'],
    ['an nbf more than a minute in the future', { nbf: NOW_SECONDS + 61 }, `${INVALID}: nbf`],
    ['an nbf that is a string', { nbf: '0' }, `${INVALID}: nbf`],
    ['an iat more than a minute in the future', { iat: NOW_SECONDS + 61 }, FUTURE],
    ['no iat', { iat: undefined }, `${INVALID}: iat`],
    ['an iat that is a string', { iat: '0' }, `${INVALID}: iat`],
    ['a scope that is a number', { scope: 1 }, SCOPE],
    ['a list of scopes that contains a number', { scope: ['read', 1] }, SCOPE],
    ['a binding to a certificate', { cnf: { 'x5t#S256': 'x' } }, BINDING],
    ['a binding to a key and a certificate', { cnf: { jkt: 'x', 'x5t#S256': 'x' } }, BINDING],
    ['an empty binding', { cnf: {} }, BINDING],
    ['a null binding', { cnf: null }, BINDING],
    ['a grant that is not a string', { gid: 7 }, 'The access token must have gid'],
    ['an empty grant', { gid: '' }, 'The access token must have gid'],
  ]
  it.each(TABLE)('rejects a token with %s', async (_, changes, message) => {
    verifies('elicitation/client-claims-are-not-trusted', 'authorization/token-handling')
    verifies('authorization/tokens-are-validated', 'authorization/audience-is-validated')
    verifies('authorization-security-practices/token-passthrough')
    verifies('enterprise-managed-authorization/access-tokens-are-validated')
    verifies('oauth-2-1-resource-requests/token-and-scope-are-validated')
    verifies('oauth-2-1-security/audience-of-tokens', 'bearer-tokens/limited-lifetime')
    verifies('oauth-security-practice/audience-restriction')
    verifies('protected-resource-metadata/string-comparison')
    verifies('protected-resource-metadata/no-normalisation')
    verifies('authorization-server-metadata/string-comparison')
    verifies('authorization-server-metadata/no-normalisation', 'jwt-access-tokens/refusals')
    verifies('jwt-access-tokens/issuer-is-checked', { row: 'an issuer with a trailing slash' })
    verifies('jwt-access-tokens/audience-is-checked', { row: 'another audience' })
    verifies('jwt-access-tokens/expiry-is-checked', { row: 'an expiry a minute ago' })
    expect(await rejectionOf(await sign(pair, claimsOf(changes)))).toEqual([401, message])
  })

  it('rejects a token with an infinite expiry', async () => {
    const payload = JSON.stringify(claimsOf()).replace(/"exp":\d+/, '"exp":1e999')
    expect(await rejectionOf(await signPayload(payload))).toEqual([401, 'exp must be a number'])
  })

  const VALID: readonly [string, Record<string, unknown>][] = [
    ['a trailing slash in the audience', { aud: `${RESOURCE}/` }],
    ['an audience with scheme and host in upper case', { aud: 'HTTPS://MCP.EXAMPLE.COM/mcp' }],
    ['the audience of an alias', { aud: OLD }],
    ['several audiences that include the resource', { aud: ['https://api.example', RESOURCE] }],
    ['one second before its expiry', { exp: NOW_SECONDS + 1 }],
    ['an iat within the clock difference', { iat: NOW_SECONDS + 60, nbf: NOW_SECONDS + 60 }],
    ['no grant', { gid: undefined, gk: undefined }],
  ]
  it.each(VALID)('accepts a token with %s', async (_, changes) => {
    const { present } = openResource(pair)
    const info = await accepted(present(await sign(pair, claimsOf(changes))))
    expect([info.subject, info.resource]).toEqual(['owner', RESOURCE])
  })

  it('accepts a token for two resources at both, and names the requested one', async () => {
    const { authenticate } = openResource(pair)
    const authorization = `Bearer ${await sign(pair, claimsOf({ aud: [OTHER, RESOURCE] }))}`
    for (const resource of [RESOURCE, OTHER]) {
      const info = await accepted(authenticate({ authorization }, resource, resource))
      expect(info.resource).toBe(resource)
    }
  })

  it.each([
    ['write', ['write', 'read']],
    ['read write', ['read', 'write']],
    ['  openid   read ', ['openid', 'read']],
    ['', []],
    [undefined, []],
  ])('returns the scopes of %j', async (scope, scopes) => {
    verifies('authorization/scope-hierarchies')
    const { present } = openResource(pair)
    const info = await accepted(present(await sign(pair, claimsOf({ scope }))))
    expect(info.scopes).toEqual(scopes)
  })
})

describe('ResourceServer checks the JOSE header and', () => {
  const KIND = 'The token is not an access token'
  const ALGORITHM = 'The access token is signed with an algorithm that is not accepted'
  const KEY = 'The access token is not signed with a known key'
  const TABLE: readonly [string, Record<string, unknown>, string][] = [
    ['the type JWT', { typ: 'JWT' }, KIND],
    ['the type of an id token', { typ: 'id_token+jwt' }, KIND],
    ['the type of a DPoP proof', { typ: 'dpop+jwt' }, KIND],
    ['no type', { typ: undefined }, KIND],
    ['a type that is not a string', { typ: ['at+jwt'] }, KIND],
    ['an unknown key id', { kid: 'key-2' }, KEY],
    ['no key id', { kid: undefined }, KEY],
    ['a key id that is a path', { kid: '../../dev/null' }, KEY],
    ['a key id that is an SQL injection', { kid: "x' UNION SELECT 'key-1" }, KEY],
    ['a key id that is a number', { kid: 7 }, 'The access token is malformed'],
    ['a key id that is a list', { kid: ['key-1'] }, 'The access token is malformed'],
    ['a critical extension', { crit: ['b64'], b64: true }, 'The access token is malformed'],
  ]
  it.each(TABLE)('rejects a token with %s', async (_, header, message) => {
    verifies('jwt-access-tokens/type-is-checked', { row: 'the type JWT' })
    expect(await rejectionOf(await sign(pair, claimsOf(), header))).toEqual([401, message])
  })

  it.each(['AT+JWT', 'application/at+jwt'])('accepts the type %s', async (typ) => {
    const token = await sign(pair, claimsOf(), { typ })
    expect((await accepted(openResource(pair).present(token))).subject).toBe('owner')
  })

  it.each([
    ...['none', 'None', 'NONE', 'HS256', 'HS512', 'RS256'],
    ...['ES384', 'EdDSA', '', 'es256', 'constructor'],
  ])('rejects a token whose header names the algorithm %j', async (alg) => {
    const [, payload] = good.split('.')
    const header = base64Url({ alg, typ: 'at+jwt', kid: 'key-1' })
    for (const signature of ['', 'AAAA', good.split('.')[2]]) {
      const { status } = await refusalOf(
        openResource(pair).present(`${header}.${payload}.${signature}`),
      )
      expect(status).toBe(401)
    }
    expect(await rejectionOf(`${header}.${payload}.AAAA`)).toEqual([401, ALGORITHM])
  })

  it('rejects a token that is signed with the public key as HMAC secret', async () => {
    const secret = new TextEncoder().encode(await exportSPKI(pair.publicKey))
    const token = await new SignJWT(claimsOf())
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'key-1' })
      .sign(secret)
    expect(await rejectionOf(token)).toEqual([401, ALGORITHM])
  })

  it.each([
    ['jwk', () => ({ jwk: attacker.jwk })],
    ['jku', () => ({ jku: 'https://evil.example/jwks.json' })],
    ['x5c', () => ({ x5c: ['MIIB'] })],
    ['x5u', () => ({ x5u: 'https://evil.example/cert.pem' })],
  ])('ignores a key in the header: %s', async (_, header) => {
    const forged = await sign(attacker, claimsOf(), header())
    expect(await rejectionOf(forged)).toEqual([
      401,
      'The signature of the access token is not valid',
    ])
    const genuine = await sign(pair, claimsOf(), header())
    expect((await accepted(openResource(pair).present(genuine))).subject).toBe('owner')
  })

  it('rejects a token when the key is of another kind or not public', async () => {
    const rsa = await createPair('key-1', 'RS256')
    const { present } = openResource(pair, { verificationKey: async () => rsa.publicKey })
    expect(await refusalOf(present(good))).toMatchObject({ status: 401, message: KEY })
    const secret = openResource(pair, { verificationKey: async () => pair.privateKey })
    expect(await refusalOf(secret.present(good))).toMatchObject({ status: 401, message: KEY })
  })
})

describe('ResourceServer with malformed tokens', () => {
  const parts = () => good.split('.')
  it.each([
    ['an opaque token', () => 'mF_9.B5f-4.1JqM'],
    ['text without dots', () => 'token'],
    ['only dots', () => '..'],
    ['a token with an empty signature', () => `${parts()[0]}.${parts()[1]}.`],
    ['a token of two parts', () => `${parts()[0]}.${parts()[1]}`],
    ['a token of four parts', () => `${good}.${parts()[2]}`],
    ['a token of five parts, like an encrypted one', () => `${good}.a.b`],
    ['a token with an empty header', () => `.${parts()[1]}.${parts()[2]}`],
    ['a token whose header is a list', () => `${base64Url('[]')}.${parts()[1]}.${parts()[2]}`],
    ['a token whose header is null', () => `${base64Url('null')}.${parts()[1]}.${parts()[2]}`],
    ['a token whose header is not JSON', () => `${base64Url('{')}.${parts()[1]}.${parts()[2]}`],
    ['a token with a padded signature', () => `${good}==`],
  ])('rejects %s', async (_, token) => {
    verifies('jwt-access-tokens/encryption')
    expect(await rejectionOf(token())).toEqual([401, 'The access token is malformed'])
  })

  it.each(['[]', 'null', '1', '"x"', '{', ''])(
    'rejects a signed payload that is not a claims object: %j',
    async (text) => {
      const token = await signPayload(text)
      expect((await refusalOf(openResource(pair).present(token))).status).toBe(401)
    },
  )
})

describe('ResourceServer with a modified token', () => {
  const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~+/='

  it('rejects it when any character was replaced', async () => {
    verifies('oauth-2-1-clients/tokens-cannot-be-forged', 'bearer-tokens/integrity')
    const { present } = openResource(pair)
    // The original is cached, as it is when an attacker modifies a live token.
    await accepted(present(good))
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

  it('rejects it when only the unused bits of the last character differ', async () => {
    const { present } = openResource(pair)
    for (const character of ALPHABET) {
      const changed = good.slice(0, -1) + character
      if (changed !== good) expect((await refusalOf(present(changed))).status).toBe(401)
    }
  })

  it('rejects it when a character was removed or inserted', async () => {
    verifies('bearer-tokens/references-cannot-be-guessed')
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

  it('rejects a combination of the parts of two valid tokens', async () => {
    const { present } = openResource(pair)
    const other = await sign(pair, claimsOf({ sub: 'guest' }))
    const [header, payload] = good.split('.')
    expect((await refusalOf(present(`${header}.${payload}.${other.split('.')[2]}`))).status).toBe(
      401,
    )
  })
})
