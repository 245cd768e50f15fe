/** The preset of Google, and clients that authenticate with a signature. */
// features: connections
import { exportJWK, generateKeyPair, jwtVerify } from 'jose'
import { describe, expect, it } from 'vitest'
import { embedded } from '../../../src/auth/index.ts'
import { google, oauth, signedAssertion } from '../../../src/features/connections/index.ts'
import { createFullEdgeway } from '../../support/full-app.ts'
import { FullServer } from '../../support/full-server.ts'
import { REQUEST } from '../login/upstream.ts'
import { interceptOutbound } from '../server/support/outbound.ts'

const ISSUER = 'https://accounts.google.com'
const TOKEN = 'https://oauth2.googleapis.com/token'
const USERINFO = 'https://openidconnect.googleapis.com/v1/userinfo'

const METADATA = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/o/oauth2/v2/auth`,
  token_endpoint: TOKEN,
  userinfo_endpoint: USERINFO,
}

const TOKENS = { access_token: 'access-1', token_type: 'Bearer', expires_in: 3599 }

/** Plays the service, and returns the requests to the token endpoint. */
function playService() {
  const forms: URLSearchParams[] = []
  interceptOutbound((url, { body }) => {
    if (url.includes('/.well-known/openid-configuration')) return Response.json(METADATA)
    if (url === USERINFO) return Response.json({ sub: '1042', email: 'ada@example.com' })
    if (url !== TOKEN) return new Response(null, { status: 404 })
    forms.push(new URLSearchParams(String(body)))
    return Response.json({ ...TOKENS, id_token: 'not-a-token' })
  })
  return forms
}

const ANSWER = new URLSearchParams({ code: 'code-1', state: REQUEST.state })

describe('google() of edgeway/connections', () => {
  const drive = 'https://www.googleapis.com/auth/drive.file'
  const connection = google({ clientId: 'client-1', clientSecret: 'secret', scopes: [drive] })

  it('requests a refresh token, by the names under which Google lists granted scopes', async () => {
    playService()
    const { searchParams } = await connection.begin({ ...REQUEST, selectAccount: true }, {})
    expect(Object.fromEntries(searchParams)).toMatchObject({
      access_type: 'offline',
      prompt: 'consent select_account',
      scope: `openid https://www.googleapis.com/auth/userinfo.email ${drive}`,
    })
  })

  it('reads the account with the token, and verifies no id token', async () => {
    playService()
    const person = await connection.finish(ANSWER, REQUEST, {})
    expect(person).toMatchObject({ subject: '1042', name: 'ada@example.com' })
  })
})

describe('signedAssertion()', () => {
  it.each(['ES256', 'RS256', 'PS256', 'EdDSA'])(
    'authenticates with a key of %s, for a minute and this client',
    async (alg) => {
      const forms = playService()
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
      const key = JSON.stringify({ ...(await exportJWK(privateKey)), alg, kid: 'k1' })
      const options = { name: 'A', issuer: ISSUER, origins: ['https://a.example'], clientId: 'app' }
      const connection = oauth({ ...options, clientAssertion: signedAssertion({ key }) })
      await connection.finish(ANSWER, REQUEST, {})
      const [form] = forms
      expect(form?.get('client_assertion_type')).toMatch(/:jwt-bearer$/)
      const verified = await jwtVerify(form?.get('client_assertion') ?? '', publicKey, {
        ...{ issuer: 'app', subject: 'app', audience: ISSUER, algorithms: [alg] },
        requiredClaims: ['jti', 'exp'],
      })
      expect(verified.protectedHeader).toEqual({ alg, kid: 'k1' })
      expect(Number(verified.payload.exp) - Number(verified.payload.iat)).toBe(60)
    },
  )

  it.each(['HS256', 'none', undefined])('refuses a key of the algorithm %s', async (alg) => {
    const assertion = signedAssertion({ key: JSON.stringify({ kty: 'oct', k: 'AA', alg }) })
    await expect(assertion.params(ISSUER, 'app', {})).rejects.toThrow('not asymmetric')
  })
})

describe('oauth()', () => {
  it('is no login of embedded()', () => {
    // @ts-expect-error its grants could not be renewed
    const auth = embedded({ login: google({ clientId: 'a' }), scopes: { read: 'Read' } })
    const server = new FullServer({ name: 'notes', version: '1.0.0' })
    expect(() => createFullEdgeway(server, { auth })).toThrow('login must be the value of a login')
  })
})
