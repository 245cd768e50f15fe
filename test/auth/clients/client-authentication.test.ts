import { describe, expect, it } from 'vitest'
import { authenticationChallenge } from '../../../src/auth/clients/client-authentication.ts'
import { hashClientSecret } from '../../../src/auth/clients/client-secret.ts'
import { OAuthError } from '../../../src/auth/oauth-error.ts'
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

async function attempt(headers: Record<string, string>, form: Record<string, string>) {
  const { authenticate } = await open()
  return authenticate(new Headers(headers), new Map(Object.entries(form)))
}

async function refusal(headers: Record<string, string>, form: Record<string, string>) {
  const refused = await attempt(headers, form).catch((error: unknown) => error)
  if (!(refused instanceof OAuthError)) throw refused
  return `${refused.status} ${refused.code}: ${refused.message}`
}

describe('a client is known by', () => {
  it.each([
    ['its id, when it is public', {}, { client_id: 'public' }, 'public'],
    ['its id in the header and an empty secret', basic('public:'), {}, 'public'],
    ['the same in both places', basic('public:'), { client_id: 'public' }, 'public'],
    ['the header', basic(`basic:${SECRET}`), {}, 'basic'],
    ['the header in lower case', basic(`basic:${SECRET}`, 'basic'), {}, 'basic'],
    [
      'the header, with its id in the form',
      basic(`basic:${SECRET}`),
      { client_id: 'basic' },
      'basic',
    ],
    ['the form', {}, { client_id: 'post', client_secret: SECRET }, 'post'],
    [
      'the form, where it meant the header',
      {},
      { client_id: 'basic', client_secret: SECRET },
      'basic',
    ],
    ['the header, where it meant the form', basic(`post:${SECRET}`), {}, 'post'],
    ['the header, with spaces as in a form', basic('spaced:a+secret+%2B1'), {}, 'spaced'],
    [
      'the header, encoded as in a form',
      basic(`https%3A%2F%2Fa.example%2Fc%3Fx%3D1%26y:s3cret%2DOf%5Fthe.client`),
      {},
      'https://a.example/c?x=1&y',
    ],
  ])('%s', async (_, headers, form, id) => {
    expect((await attempt(headers as Record<string, string>, form)).id).toBe(id)
  })
})

describe('a client is refused', () => {
  const clients = (what: string) => `401 invalid_client: ${what}`
  const request = (what: string) => `400 invalid_request: ${what}`
  const ONE_WAY = request('A client must authenticate with one method only')
  const NOT_BASIC = clients('The Authorization header is not Basic')
  const assertion = {
    client_assertion: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzaWducyJ9.AA',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  }

  it.each([
    ['says nothing', {}, {}, request('client_id is required')],
    ['sends a secret alone', {}, { client_secret: SECRET }, request('client_id is required')],
    ['is unknown', {}, { client_id: 'nobody' }, clients('The client is unknown')],
    [
      'is unknown, with a secret',
      {},
      { client_id: 'nobody', client_secret: SECRET },
      clients('The client is unknown'),
    ],
    ['is a prototype', {}, { client_id: '__proto__' }, clients('The client is unknown')],
    [
      'has a secret and does not send it',
      {},
      { client_id: 'basic' },
      clients('The client is registered with client_secret_basic'),
    ],
    [
      'has a secret and sends an empty one',
      basic('basic:'),
      {},
      clients('The client is registered with client_secret_basic'),
    ],
    [
      'has no secret and sends one',
      {},
      { client_id: 'public', client_secret: SECRET },
      clients('The client is registered with none'),
    ],
    [
      'has keys and sends a secret',
      basic(`signs:${SECRET}`),
      {},
      clients('The client is registered with private_key_jwt'),
    ],
    [
      'has keys and sends nothing',
      {},
      { client_id: 'signs' },
      clients('The client is registered with private_key_jwt'),
    ],
    [
      'has a secret and signs',
      {},
      {
        ...assertion,
        client_assertion: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJiYXNpYyJ9.AA',
      },
      clients('The client is registered with client_secret_basic'),
    ],
    ['sends a wrong secret', basic('basic:wrong'), {}, clients('The client secret is wrong')],
    [
      'sends its secret and more',
      basic(`basic:${SECRET}x`),
      {},
      clients('The client secret is wrong'),
    ],
    [
      'sends half its secret',
      basic(`basic:${SECRET.slice(0, 9)}`),
      {},
      clients('The client secret is wrong'),
    ],
    [
      'sends the hash of its secret',
      {},
      { client_id: 'basic', client_secret: 'T3ZlVGhlSGFzaA' },
      clients('The client secret is wrong'),
    ],
    [
      'sends its secret twice',
      basic(`basic:${SECRET}`),
      { client_id: 'basic', client_secret: SECRET },
      ONE_WAY,
    ],
    [
      'sends a secret and signs',
      {},
      { client_id: 'basic', client_secret: SECRET, ...assertion },
      ONE_WAY,
    ],
    ['uses the header and signs', basic(`basic:${SECRET}`), assertion, ONE_WAY],
    ['names another client in the header', basic('public:'), assertion, ONE_WAY],
    [
      'names another client in the form',
      basic(`basic:${SECRET}`),
      { client_id: 'public' },
      request('client_id does not match the client credentials'),
    ],
    [
      'signs for another client',
      {},
      { client_id: 'public', ...assertion },
      request('client_id does not match the client credentials'),
    ],
    ['sends a token', { authorization: 'Bearer abc' }, { client_id: 'public' }, NOT_BASIC],
    ['sends an empty header', { authorization: 'Basic' }, { client_id: 'public' }, NOT_BASIC],
    ['sends no base64', { authorization: 'Basic ???' }, {}, NOT_BASIC],
    ['sends base64url', { authorization: 'Basic YTpi_w==' }, {}, NOT_BASIC],
    ['sends base64 without padding', { authorization: 'Basic YmFzaWM6eA' }, {}, NOT_BASIC],
    ['sends loose bits', { authorization: 'Basic YmFzaWM6eB==' }, {}, NOT_BASIC],
    ['sends no colon', basic('basic'), {}, NOT_BASIC],
    ['sends no id', basic(`:${SECRET}`), {}, NOT_BASIC],
    ['sends what is not UTF-8', basic('a\u00ff:b'), {}, NOT_BASIC],
    ['sends two headers', { authorization: 'Basic YTpi, Basic YTpi' }, {}, NOT_BASIC],
    ['sends an endless header', basic(`basic:${'x'.repeat(8192)}`), {}, NOT_BASIC],
    [
      'sends a broken percent sign',
      basic('basic:%zz'),
      {},
      clients('The Authorization header is not form-encoded'),
    ],
    [
      'signs without saying what it is',
      {},
      { client_assertion: assertion.client_assertion },
      request('client_assertion and client_assertion_type must be sent together'),
    ],
    [
      'says what it would sign',
      {},
      { client_assertion_type: assertion.client_assertion_type, client_id: 'public' },
      request('client_assertion and client_assertion_type must be sent together'),
    ],
    [
      'sends SAML',
      {},
      {
        ...assertion,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      },
      clients('This client_assertion_type is not supported'),
    ],
    [
      'signs what is no token',
      {},
      { ...assertion, client_assertion: 'x' },
      clients('The client assertion cannot be read'),
    ],
    [
      'signs for nobody',
      {},
      { ...assertion, client_assertion: 'eyJhbGciOiJFUzI1NiJ9.e30.AA' },
      clients('The client assertion cannot be read'),
    ],
    [
      'signs at endless length',
      {},
      { ...assertion, client_assertion: `${assertion.client_assertion}${'A'.repeat(8192)}` },
      clients('The client assertion cannot be read'),
    ],
  ])('that %s', async (_, headers, form, expected) => {
    expect(await refusal(headers as Record<string, string>, form as Record<string, string>)).toBe(
      expected,
    )
  })

  it('that registered itself with a secret and has another one', async () => {
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

describe('a 401', () => {
  const unknown = new OAuthError('invalid_client', 'x')

  it('names Basic where the client has used the header', () => {
    expect(authenticationChallenge(unknown, new Headers(basic('a:b')), ISSUER)).toBe(
      'Basic realm="https://mcp.example.com", charset="UTF-8"',
    )
  })

  it('names nothing where it has not, or where that was not the matter', () => {
    expect(authenticationChallenge(unknown, new Headers(), ISSUER)).toBeUndefined()
    const other = new OAuthError('invalid_grant', 'x')
    expect(authenticationChallenge(other, new Headers(basic('a:b')), ISSUER)).toBeUndefined()
  })
})
