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

describe('client authentication accepts', () => {
  it.each([
    ['the id of a public client', {}, { client_id: 'public' }, 'public'],
    ['an id in the header with an empty secret', basic('public:'), {}, 'public'],
    ['the same id in header and form', basic('public:'), { client_id: 'public' }, 'public'],
    ['a secret in the header', basic(`basic:${SECRET}`), {}, 'basic'],
    ['a header in lower case', basic(`basic:${SECRET}`, 'basic'), {}, 'basic'],
    [
      'a secret in the header and the id in the form',
      basic(`basic:${SECRET}`),
      { client_id: 'basic' },
      'basic',
    ],
    ['a secret in the form', {}, { client_id: 'post', client_secret: SECRET }, 'post'],
    [
      'a secret in the form from a client that registered client_secret_basic',
      {},
      { client_id: 'basic', client_secret: SECRET },
      'basic',
    ],
    [
      'a secret in the header from a client that registered client_secret_post',
      basic(`post:${SECRET}`),
      {},
      'post',
    ],
    ['a header without padding', unpadded(basic(`basic:${SECRET}`)), {}, 'basic'],
    ['a header with form-encoded spaces', basic('spaced:a+secret+%2B1'), {}, 'spaced'],
    [
      'a form-encoded header',
      basic(`https%3A%2F%2Fa.example%2Fc%3Fx%3D1%26y:s3cret%2DOf%5Fthe.client`),
      {},
      'https://a.example/c?x=1&y',
    ],
  ])('%s', async (_, headers, form, id) => {
    expect((await attempt(headers as Record<string, string>, form)).id).toBe(id)
  })
})

describe('client authentication rejects a client', () => {
  const clients = (text: string) => `401 invalid_client: ${text}`
  const request = (text: string) => `400 invalid_request: ${text}`
  const ONE_METHOD = request('A client must authenticate with one method only')
  const NO_ID = request('client_id is required')
  const UNKNOWN = clients('The client is unknown')
  const NEEDS_SECRET = clients('The client is registered with client_secret_basic')
  const NEEDS_KEYS = clients('The client is registered with private_key_jwt')
  const WRONG_SECRET = clients('The client secret is wrong')
  const OTHER_ID = request('client_id does not match the client credentials')
  const HALF = request('client_assertion and client_assertion_type must be sent together')
  const UNREADABLE = clients('The client assertion cannot be read')
  const NOT_BASIC = clients('The Authorization header is not Basic')
  const assertion = {
    client_assertion: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzaWducyJ9.AA',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  }

  it.each([
    ['sends no credentials', {}, {}, NO_ID],
    ['sends a secret without an id', {}, { client_secret: SECRET }, NO_ID],
    ['is unknown', {}, { client_id: 'unknown' }, UNKNOWN],
    ['is unknown, with a secret', {}, { client_id: 'unknown', client_secret: SECRET }, UNKNOWN],
    ['has an id that is a property of Object.prototype', {}, { client_id: '__proto__' }, UNKNOWN],
    ['has a secret and does not send it', {}, { client_id: 'basic' }, NEEDS_SECRET],
    ['has a secret and sends an empty one', basic('basic:'), {}, NEEDS_SECRET],
    [
      'has no secret and sends one',
      {},
      { client_id: 'public', client_secret: SECRET },
      clients('The client is registered with none'),
    ],
    ['has keys and sends a secret', basic(`signs:${SECRET}`), {}, NEEDS_KEYS],
    ['has keys and sends nothing', {}, { client_id: 'signs' }, NEEDS_KEYS],
    [
      'has a secret and sends an assertion',
      {},
      {
        ...assertion,
        client_assertion: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJiYXNpYyJ9.AA',
      },
      NEEDS_SECRET,
    ],
    ['sends a wrong secret', basic('basic:wrong'), {}, WRONG_SECRET],
    ['sends its secret and one more character', basic(`basic:${SECRET}x`), {}, WRONG_SECRET],
    ['sends half its secret', basic(`basic:${SECRET.slice(0, 9)}`), {}, WRONG_SECRET],
    [
      'sends the hash of its secret',
      {},
      { client_id: 'basic', client_secret: 'T3ZlVGhlSGFzaA' },
      WRONG_SECRET,
    ],
    [
      'sends its secret twice',
      basic(`basic:${SECRET}`),
      { client_id: 'basic', client_secret: SECRET },
      ONE_METHOD,
    ],
    [
      'sends a secret and an assertion',
      {},
      { client_id: 'basic', client_secret: SECRET, ...assertion },
      ONE_METHOD,
    ],
    ['sends a header and an assertion', basic(`basic:${SECRET}`), assertion, ONE_METHOD],
    ['names another client in the header', basic('public:'), assertion, ONE_METHOD],
    [
      'names another client in the form',
      basic(`basic:${SECRET}`),
      { client_id: 'public' },
      OTHER_ID,
    ],
    ['sends an assertion of another client', {}, { client_id: 'public', ...assertion }, OTHER_ID],
    ['sends a bearer token', { authorization: 'Bearer abc' }, { client_id: 'public' }, NOT_BASIC],
    ['sends an empty header', { authorization: 'Basic' }, { client_id: 'public' }, NOT_BASIC],
    ['sends a header that is not base64', { authorization: 'Basic ???' }, {}, NOT_BASIC],
    ['sends a header in base64url', { authorization: 'Basic YTpi_w==' }, {}, NOT_BASIC],
    ['sends a header with half of its padding', { authorization: 'Basic YTpiYg=' }, {}, NOT_BASIC],
    ['sends a header of five characters', { authorization: 'Basic YTpiY' }, {}, NOT_BASIC],
    [
      'sends non-zero trailing bits without padding',
      { authorization: 'Basic YmFzaWM6eB' },
      {},
      NOT_BASIC,
    ],
    [
      'sends a header with non-zero trailing bits',
      { authorization: 'Basic YmFzaWM6eB==' },
      {},
      NOT_BASIC,
    ],
    ['sends a header without a colon', basic('basic'), {}, NOT_BASIC],
    ['sends a header without an id', basic(`:${SECRET}`), {}, NOT_BASIC],
    ['sends a header that is not UTF-8', basic('a\u00ff:b'), {}, NOT_BASIC],
    ['sends two headers', { authorization: 'Basic YTpi, Basic YTpi' }, {}, NOT_BASIC],
    ['sends a header that is too long', basic(`basic:${'x'.repeat(8192)}`), {}, NOT_BASIC],
    [
      'sends a malformed percent-encoding',
      basic('basic:%zz'),
      {},
      clients('The Authorization header is not form-encoded'),
    ],
    [
      'sends an assertion without its type',
      {},
      { client_assertion: assertion.client_assertion },
      HALF,
    ],
    [
      'sends the type without an assertion',
      {},
      { client_assertion_type: assertion.client_assertion_type, client_id: 'public' },
      HALF,
    ],
    [
      'sends a SAML assertion',
      {},
      {
        ...assertion,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      },
      clients('This client_assertion_type is not supported'),
    ],
    [
      'sends an assertion that is not a JWT',
      {},
      { ...assertion, client_assertion: 'x' },
      UNREADABLE,
    ],
    [
      'sends an assertion without a subject',
      {},
      { ...assertion, client_assertion: 'eyJhbGciOiJFUzI1NiJ9.e30.AA' },
      UNREADABLE,
    ],
    [
      'sends an assertion that is too long',
      {},
      { ...assertion, client_assertion: `${assertion.client_assertion}${'A'.repeat(8192)}` },
      UNREADABLE,
    ],
  ])('that %s', async (_, headers, form, expected) => {
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
    expect(await refusal(headers as Record<string, string>, form as Record<string, string>)).toBe(
      expected,
    )
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
