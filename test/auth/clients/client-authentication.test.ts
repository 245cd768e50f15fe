import { describe, expect, it } from 'vitest'
import { authenticationChallenge } from '../../../src/auth/clients/client-authentication.ts'
import { hashClientSecret } from '../../../src/auth/clients/client-secret.ts'
import { OAuthError } from '../../../src/auth/oauth-error.ts'
import { verifies } from '../../support/verifies.ts'
import { ISSUER, openDeployment } from './deployment.ts'

const REDIRECTS = { redirectUris: ['https://a.example/cb'] }
const SECRET = 's3cret-Of_the.client'

async function open() {
  const secretHash = await hashClientSecret(SECRET)
  return openDeployment({
    staticClients: [
      { id: 'public', ...REDIRECTS },
      { id: 'basic', secretHash, ...REDIRECTS },
      { id: 'post', secretHash, authMethod: 'client_secret_post', ...REDIRECTS },
      { id: 'https://a.example/c?x=1&y', secretHash, ...REDIRECTS },
      { id: 'spaced', secretHash: await hashClientSecret('a secret +1'), ...REDIRECTS },
      { id: 'signs', jwksUri: 'https://a.example/jwks', ...REDIRECTS },
    ],
  })
}

const basic = (text: string, scheme = 'Basic') => ({ authorization: `${scheme} ${btoa(text)}` })
const unpadded = ({ authorization }: { readonly authorization: string }) => {
  expect(authorization).toMatch(/=$/)
  return { authorization: authorization.replace(/=+$/, '') }
}

async function attempt(headers: Record<string, string>, form: Record<string, string>) {
  const { authenticate } = await open()
  return authenticate(new Headers(headers), new Map(Object.entries(form)))
}

async function refusal(headers: Record<string, string>, form: Record<string, string>) {
  const refused = await attempt(headers, form).catch((error: unknown) => error)
  if (!(refused instanceof OAuthError)) throw refused
  return `${refused.status} ${refused.code}: ${refused.message}`
}

const own = (client_id: string, client_secret?: string) => ({
  client_id,
  ...(client_secret !== undefined && { client_secret }),
})
const header = (authorization: string) => ({ authorization })
const ASSERTED = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzaWducyJ9.AA'
const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const asserted = (client_assertion = ASSERTED, client_assertion_type = TYPE) => ({
  client_assertion,
  client_assertion_type,
})
const RIGHT = basic(`basic:${SECRET}`)
const URL_ID = 'https://a.example/c?x=1&y'
const ENCODED = basic('https%3A%2F%2Fa.example%2Fc%3Fx%3D1%26y:s3cret%2DOf%5Fthe.client')

type Headers = Record<string, string>

describe('client authentication accepts', () => {
  it.each<[string, string, Headers, Headers]>([
    ['the id of a public client', 'public', {}, own('public')],
    ['an id in the header with an empty secret', 'public', basic('public:'), {}],
    ['the same id in header and form', 'public', basic('public:'), own('public')],
    ['a secret in the header', 'basic', RIGHT, {}],
    ['a header in lower case', 'basic', basic(`basic:${SECRET}`, 'basic'), {}],
    ['a secret in the header and the id in the form', 'basic', RIGHT, own('basic')],
    ['a secret in the form', 'post', {}, own('post', SECRET)],
    ['client_secret_post of a client_secret_basic client', 'basic', {}, own('basic', SECRET)],
    ['client_secret_basic of a client_secret_post client', 'post', basic(`post:${SECRET}`), {}],
    ['a header without padding', 'basic', unpadded(RIGHT), {}],
    ['a header with form-encoded spaces', 'spaced', basic('spaced:a+secret+%2B1'), {}],
    ['a form-encoded header', URL_ID, ENCODED, {}],
  ])('%s', async (_, id, headers, form) => {
    expect((await attempt(headers, form)).id).toBe(id)
  })
})

describe('client authentication rejects a client', () => {
  const clients = (text: string) => `401 invalid_client: ${text}`
  const request = (text: string) => `400 invalid_request: ${text}`
  const ONE_METHOD = request('A client must authenticate with one method only')
  const NO_ID = request('client_id is required')
  const UNKNOWN = clients('The client is unknown')
  const NEEDS_NONE = clients('The client is registered with none')
  const NEEDS_SECRET = clients('The client is registered with client_secret_basic')
  const NEEDS_KEYS = clients('The client is registered with private_key_jwt')
  const WRONG_SECRET = clients('The client secret is wrong')
  const OTHER_ID = request('client_id does not match the client credentials')
  const HALF = request('client_assertion and client_assertion_type must be sent together')
  const UNREADABLE = clients('The client assertion cannot be read')
  const NOT_BASIC = clients('The Authorization header is not Basic')
  const NOT_ENCODED = clients('The Authorization header is not form-encoded')
  const OTHER_TYPE = clients('This client_assertion_type is not supported')
  const OF_BASIC = asserted('eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJiYXNpYyJ9.AA')
  const SAML = 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer'

  it.each<[string, string, Headers, Headers]>([
    ['sends no credentials', NO_ID, {}, {}],
    ['sends a secret without an id', NO_ID, {}, { client_secret: SECRET }],
    ['is unknown', UNKNOWN, {}, own('unknown')],
    ['is unknown, with a secret', UNKNOWN, {}, own('unknown', SECRET)],
    ['has an id that is a property of Object.prototype', UNKNOWN, {}, own('__proto__')],
    ['has a secret and does not send it', NEEDS_SECRET, {}, own('basic')],
    ['has a secret and sends an empty one', NEEDS_SECRET, basic('basic:'), {}],
    ['has no secret and sends one', NEEDS_NONE, {}, own('public', SECRET)],
    ['has keys and sends a secret', NEEDS_KEYS, basic(`signs:${SECRET}`), {}],
    ['has keys and sends nothing', NEEDS_KEYS, {}, own('signs')],
    ['has a secret and sends an assertion', NEEDS_SECRET, {}, OF_BASIC],
    ['sends a wrong secret', WRONG_SECRET, basic('basic:wrong'), {}],
    ['sends its secret and one more character', WRONG_SECRET, basic(`basic:${SECRET}x`), {}],
    ['sends half its secret', WRONG_SECRET, basic(`basic:${SECRET.slice(0, 9)}`), {}],
    ['sends the hash of its secret', WRONG_SECRET, {}, own('basic', 'T3ZlVGhlSGFzaA')],
    ['sends its secret twice', ONE_METHOD, RIGHT, own('basic', SECRET)],
    ['sends a secret and an assertion', ONE_METHOD, {}, { ...own('basic', SECRET), ...asserted() }],
    ['sends a header and an assertion', ONE_METHOD, RIGHT, asserted()],
    ['names another client in the header', ONE_METHOD, basic('public:'), asserted()],
    ['names another client in the form', OTHER_ID, RIGHT, own('public')],
    ['sends an assertion of another client', OTHER_ID, {}, { ...own('public'), ...asserted() }],
    ['sends a bearer token', NOT_BASIC, header('Bearer abc'), own('public')],
    ['sends an empty header', NOT_BASIC, header('Basic'), own('public')],
    ['sends a header that is not base64', NOT_BASIC, header('Basic ???'), {}],
    ['sends a header in base64url', NOT_BASIC, header('Basic YTpi_w=='), {}],
    ['sends a header with half of its padding', NOT_BASIC, header('Basic YTpiYg='), {}],
    ['sends a header of five characters', NOT_BASIC, header('Basic YTpiY'), {}],
    ['sends non-zero trailing bits, unpadded', NOT_BASIC, header('Basic YmFzaWM6eB'), {}],
    ['sends non-zero trailing bits', NOT_BASIC, header('Basic YmFzaWM6eB=='), {}],
    ['sends a header without a colon', NOT_BASIC, basic('basic'), {}],
    ['sends a header without an id', NOT_BASIC, basic(`:${SECRET}`), {}],
    ['sends a header that is not UTF-8', NOT_BASIC, basic('a\u00ff:b'), {}],
    ['sends two headers', NOT_BASIC, header('Basic YTpi, Basic YTpi'), {}],
    ['sends a header that is too long', NOT_BASIC, basic(`basic:${'x'.repeat(8192)}`), {}],
    ['sends a malformed percent-encoding', NOT_ENCODED, basic('basic:%zz'), {}],
    ['sends an assertion without its type', HALF, {}, { client_assertion: ASSERTED }],
    ['sends the type alone', HALF, {}, { client_assertion_type: TYPE, client_id: 'public' }],
    ['sends a SAML assertion', OTHER_TYPE, {}, asserted(ASSERTED, SAML)],
    ['sends an assertion that is not a JWT', UNREADABLE, {}, asserted('x')],
    ['sends one without a subject', UNREADABLE, {}, asserted('eyJhbGciOiJFUzI1NiJ9.e30.AA')],
    ['sends one that is too long', UNREADABLE, {}, asserted(`${ASSERTED}${'A'.repeat(8192)}`)],
  ])('that %s', async (_, expected, headers, form) => {
    verifies('oauth-2-1-clients/other-methods-are-mapped')
    verifies('jwt-assertions/one-assertion-as-credentials')
    verifies('oauth-2-1-clients/client-id-is-no-credential', {
      row: 'has a secret and does not send it',
    })
    verifies('oauth-2-1-clients/one-authentication-method', { row: 'sends its secret twice' })
    verifies('client-id-metadata-documents/client-authentication', {
      row: 'has keys and sends nothing',
    })
    verifies('jwt-assertions/one-authentication-only', { row: 'sends a secret and an assertion' })
    verifies('jwt-assertions/same-client', { row: 'names another client in the form' })
    expect(await refusal(headers, form)).toBe(expected)
  })

  it('that registered dynamically and sends the secret of another client', async () => {
    const { clients: all, authenticate } = openDeployment()
    const one = await all.register({ redirect_uris: ['https://a.example/cb'] })
    const two = await all.register({ redirect_uris: ['https://a.example/cb'] })
    const send = (id: unknown, secret: unknown) =>
      authenticate(new Headers(basic(`${id}:${secret}`)), new Map())
    expect((await send(one.client_id, one.client_secret)).id).toBe(one.client_id)
    await expect(send(one.client_id, two.client_secret)).rejects.toMatchObject({
      code: 'invalid_client',
    })
  })
})

describe('authenticationChallenge', () => {
  it('is Basic for a client that is not authenticated', () => {
    expect(authenticationChallenge(new OAuthError('invalid_client', 'x'), ISSUER)).toBe(
      'Basic realm="https://mcp.example.com", charset="UTF-8"',
    )
  })

  it('is absent for another error and another status', () => {
    expect(authenticationChallenge(new OAuthError('invalid_grant', 'x'), ISSUER)).toBeUndefined()
    const throttled = new OAuthError('invalid_client', 'x', { status: 429 })
    expect(authenticationChallenge(throttled, ISSUER)).toBeUndefined()
  })
})
