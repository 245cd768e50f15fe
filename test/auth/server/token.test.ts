/** Requests of programs by rows: their forms, the authentication of their client, and the type of their grant. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { bodyOf, messageOf, refusalOf } from './support/answers.ts'
import { Browser, encodeForm, type Fields } from './support/browser.ts'
import { AuthClient, type ClientHeaders, postForm, statusWith, VERIFIER } from './support/client.ts'
import { advance, ORIGIN, openDeployment } from './support/deployment.ts'
import { expectRefusal, open, responseText } from './support/flow.ts'
import { basic, JWT_BEARER, MACHINE, SECRET, SECRET_HASH } from './support/static-clients.ts'

const FORM = 'application/x-www-form-urlencoded'
const HOUR_MS = 3_600_000
const OTHER = 'https://mcp.example.com/other'
const CREDENTIALS = { grant_type: 'client_credentials' }

const openMachine = (changes: object = {}) =>
  openDeployment(
    {
      clients: [
        { ...MACHINE, ...changes },
        { ...MACHINE, id: 'other' },
      ],
    },
    { app: { otherPaths: ['/other'] } },
  )

const ENDPOINTS = [
  ['/token', CREDENTIALS],
  ['/revoke', { token: 'made-up' }],
  ['/introspect', { token: 'made-up' }],
] as const
const PAGES = ['/authorize/decision', '/account/disconnect', '/login', '/logout']

const BASIC = 'Basic realm="https://mcp.example.com", charset="UTF-8"'
const INVALID_CLIENT = { status: 401, error: 'invalid_client' }

const bytesOf = (text: string, ...bytes: readonly number[]) =>
  new Uint8Array([...new TextEncoder().encode(text), ...bytes])

describe.each(ENDPOINTS)('the endpoint %s', (path, fields) => {
  const BODY = encodeForm({ client_id: 'machine', client_secret: SECRET, ...fields })
  const post = (body: BodyInit | null, type: string | null = FORM) =>
    openMachine().fetch(`${ORIGIN}${path}`, {
      method: 'POST',
      headers: type === null ? {} : { 'content-type': type },
      body,
    })

  it.each([
    ['of the media type of forms', BODY, FORM],
    ['of that media type in upper case', BODY, FORM.toUpperCase()],
    ['of that media type with a parameter', BODY, `${FORM} ; charset=UTF-8`],
    ['with a parameter without a value', `${BODY}&scope=`, FORM],
    ['of 64 KiB', `${BODY}&x=`.padEnd(65_536, 'x'), FORM],
    ['with a byte order mark', bytesOf('\ufeffx=1&', ...bytesOf(BODY)), FORM],
  ])('accepts a form %s', async (_, body, type) => {
    expect((await post(body, type)).status).toBe(200)
  })

  it.each([
    ['in JSON', BODY, 'application/json'],
    ['in multipart', BODY, 'multipart/form-data; boundary=x'],
    ['without a media type', bytesOf(BODY), null],
    ['of more than 64 KiB', `${BODY}&x=`.padEnd(65_537, 'x'), FORM],
    ['that is not UTF-8', bytesOf(`${BODY}&x=`, 0xff), FORM],
    ['that ends within a character', bytesOf(`${BODY}&x=`, 0xc3), FORM],
    ['with a parameter twice', `${BODY}&client_id=machine`, FORM],
    ['with a parameter twice that it does not know', `${BODY}&x=1&x=1`, FORM],
    ['with a parameter twice that has no value', `${BODY}&x=&x=`, FORM],
    ['with a value beside the same parameter without one', `${BODY}&x=1&x=`, FORM],
    ['with nothing in it', '', FORM],
    ['that is absent', null, FORM],
  ])('rejects a body %s with invalid_request', async (_, body, type) => {
    verifies('oauth-2-1-clients/form-encoding', 'oauth-2-1-endpoints/empty-parameters')
    verifies('oauth-2-1-endpoints/unknown-parameters-of-tokens')
    verifies('oauth-2-1-endpoints/repeated-parameters-of-tokens')
    await expectRefusal(post(body, type), 'invalid_request')
  })

  it('rejects a body that breaks off with invalid_request', async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(bytesOf(BODY)),
      pull: (controller) => controller.error(new Error('cut off')),
    })
    await expectRefusal(post(body), 'invalid_request')
  })

  /** Introspection answers every client that does not authenticate with 401 and a challenge. */
  const challenged = path === '/introspect' && { challenge: BASIC }
  const UNNAMED = path === '/introspect' ? '401 invalid_client' : '400 invalid_request'
  const IN_QUERY = `?${new URLSearchParams({ client_id: 'machine', client_secret: SECRET })}`

  it.each<[string, string, ClientHeaders, Fields, string?]>([
    ['a client secret in the header', '200', basic('machine'), {}],
    ['a secret in the form', '200', {}, { client_id: 'machine', client_secret: SECRET }],
    ['an unknown client in the header', '401 invalid_client', basic('unregistered'), {}],
    ['a wrong secret in the header', '401 invalid_client', basic('machine', 'wrong'), {}],
    ['an access token', '401 invalid_client', { authorization: 'Bearer abc' }, {}],
    ['an unknown client in the form', '401 invalid_client', {}, { client_id: 'unregistered' }],
    ['a wrong secret', '401 invalid_client', {}, { client_id: 'machine', client_secret: 'wrong' }],
    ['no secret of a client that has one', '401 invalid_client', {}, { client_id: 'machine' }],
    ['no client', UNNAMED, {}, {}],
    ['a client secret in the query', UNNAMED, {}, {}, IN_QUERY],
    ['a secret twice', '400 invalid_request', basic('machine'), { client_secret: SECRET }],
  ])('answers a request with %s: %s', async (_, answer, headers, credentials, query = '') => {
    verifies('oauth-2-1-clients/secret-in-the-body', 'oauth-2-0/basic-authentication')
    verifies('oauth-2-1-endpoints/clients-are-authenticated')
    verifies('oauth-2-1-endpoints/challenge-for-basic')
    verifies('oauth-2-1-endpoints/confidential-clients-authenticate')
    verifies('oauth-2-1-clients/secret-not-in-the-uri')
    verifies('client-credentials/client-authentication')
    verifies('oauth-2-1-grants/client-credentials-authenticate', { row: 'a wrong secret' })
    const all = { ...fields, ...credentials }
    const response = await postForm(openMachine(), `${path}${query}`, all, headers)
    if (answer === '200') {
      await bodyOf(response)
      return
    }
    const [status, error] = answer.split(' ')
    const inHeader = 'authorization' in headers && { challenge: BASIC }
    const challenge = status === '401' && (challenged || inHeader)
    expect(await refusalOf(response)).toEqual({ status: Number(status), error, ...challenge })
  })
})

describe.each(PAGES)('the form of a page at %s', (path) => {
  it('is rejected with a page and status 400 in another media type', async () => {
    const browser = new Browser(openDeployment())
    const page = await browser.post(path, { csrf: 'x' }, { 'content-type': 'text/plain' })
    expect(messageOf(page)).toBe(400)
  })
})

describe('the token endpoint', () => {
  it.each([
    ['no grant_type', 'invalid_request', {}],
    ['an empty grant_type', 'invalid_request', { grant_type: '' }],
    ['the password grant', 'unsupported_grant_type', { grant_type: 'password' }],
    ['another case', 'unsupported_grant_type', { grant_type: 'Refresh_Token' }],
    ['a name that every object has', 'unsupported_grant_type', { grant_type: 'constructor' }],
    ['the name of a prototype', 'unsupported_grant_type', { grant_type: '__proto__' }],
  ])('rejects a request with %s: %s', async (_, error, fields) => {
    verifies('oauth-2-1-endpoints/grant-type')
    verifies('oauth-2-0/password-grant', { row: 'the password grant' })
    verifies('oauth-security-practice/password-grant', { row: 'the password grant' })
    await expectRefusal(postForm(openMachine(), '/token', fields, basic('machine')), error)
  })

  it.each([
    ['client_credentials', CREDENTIALS],
    ['jwt-bearer', { grant_type: JWT_BEARER, assertion: 'x' }],
  ])('rejects %s from a registered client, with and without a secret', async (_, fields) => {
    verifies('client-credentials/security')
    verifies('oauth-2-1-grants/confidential-client-credentials', { row: 'client_credentials' })
    for (const kind of ['registered', 'secret'] as const) {
      await expectRefusal((await open({ kind })).client.token(fields), 'unauthorized_client')
    }
  })

  it.each([
    ['a code', { grant_type: 'authorization_code', code: 'x', code_verifier: VERIFIER }],
    ['a refresh token', { grant_type: 'refresh_token', refresh_token: 'x' }],
  ])('rejects %s from a client for credentials alone: unauthorized_client', async (_, fields) => {
    const grantTypes = ['client_credentials'] as const
    const clients = [{ id: 'job', secretHash: SECRET_HASH, grantTypes }]
    const job = new AuthClient(openDeployment({ clients }), 'job', SECRET)
    await expectRefusal(job.token(fields), 'unauthorized_client')
  })
})

describe('client credentials', () => {
  const ask = (fields: Fields, allowed?: readonly string[]) =>
    new AuthClient(openMachine(allowed && { scopes: allowed }), 'machine', SECRET).token({
      ...CREDENTIALS,
      ...fields,
    })

  it('give an access token of one hour and no refresh token', async () => {
    verifies('client-credentials/conformance')
    const server = openMachine()
    const body = await bodyOf(await postForm(server, '/token', CREDENTIALS, basic('machine')))
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read write',
    })
    const token = String(body.access_token)
    advance(HOUR_MS - 1)
    expect(await statusWith(server, token)).toBe(200)
    advance(1)
    expect(await statusWith(server, token)).toBe(401)
  })

  it.each<[string, string, Fields, (readonly string[])?]>([
    ['no scope', '200 Bearer read write', {}],
    ['a scope', '200 Bearer write', { scope: 'write' }],
    ['no scope, for a client that may read', '200 Bearer read', {}, ['read']],
    ['more than the client may have', '200 Bearer read', { scope: 'read write' }, ['read']],
    ['what the client may not have', '400 invalid_scope', { scope: 'write' }, ['read']],
    ['a scope that does not exist', '400 invalid_scope', { scope: 'notes' }],
    ['a scope with a backslash', '400 invalid_scope', { scope: 'read\\' }],
    ['a resource of another server', '400 invalid_target', { resource: 'https://evil.example' }],
  ])('for %s are answered with %s', async (_, answer, fields, allowed) => {
    expect(await responseText(await ask(fields, allowed))).toBe(answer)
  })

  it('give a token for the resource that the client names', async () => {
    const server = openMachine()
    const machine = new AuthClient(server, 'machine', SECRET)
    const body = await bodyOf(await machine.token({ ...CREDENTIALS, resource: OTHER }))
    expect(await statusWith(server, String(body.access_token), OTHER)).toBe(200)
    expect(await statusWith(server, String(body.access_token))).toBe(401)
  })
})

describe('a wrong client secret', () => {
  function openGuessed() {
    const server = openMachine()
    const attempt = (secret: string, address = '192.0.2.1', id = 'machine', path = '/token') => {
      const headers = { ...basic(id, secret), 'cf-connecting-ip': address }
      return postForm(server, path, { ...CREDENTIALS, token: 'x' }, headers)
    }
    /** Makes the network wait. */
    const exhaust = async (address?: string) => {
      for (let n = 0; n < 10; n++) {
        expect(await refusalOf(await attempt('wrong', address))).toMatchObject(INVALID_CLIENT)
      }
    }
    return { server, attempt, exhaust }
  }

  it('is rejected with 401 ten times, and then with 429 and Retry-After', async () => {
    verifies('oauth-2-1-clients/brute-force-of-secrets', 'oauth-2-1-security/guessing')
    const { server, attempt, exhaust } = openGuessed()
    await exhaust()
    const response = await attempt('wrong')
    expect(response.headers.get('retry-after')).toBe('15')
    await expectRefusal(response, 'invalid_client', 429)
    expect(server.events.at(-1)).toMatchObject({ type: 'refusal', status: 429 })
  })

  it.each(['/token', '/revoke', '/introspect'])('is counted at %s too', async (path) => {
    verifies('token-revocation/guessing')
    const { attempt, exhaust } = openGuessed()
    await exhaust()
    expect((await attempt('wrong', undefined, undefined, path)).status).toBe(429)
  })

  it('is counted in the form as well', async () => {
    const { server, attempt, exhaust } = openGuessed()
    await exhaust()
    const fields = { client_id: 'machine', client_secret: 'wrong', token: 'x' }
    const headers = { 'cf-connecting-ip': '192.0.2.1' }
    expect((await postForm(server, '/revoke', fields, headers)).status).toBe(429)
    expect((await attempt('wrong')).status).toBe(429)
  })

  it('does not keep the right secret out, not even of the same network', async () => {
    const { attempt, exhaust } = openGuessed()
    await exhaust()
    expect((await attempt(SECRET)).status).toBe(200)
    expect((await attempt('wrong')).status).toBe(429)
  })

  it('affects neither another network nor another client', async () => {
    const { attempt, exhaust } = openGuessed()
    await exhaust('2001:db8:1:2::1')
    expect((await attempt('wrong', '2001:db8:1:2:ffff::9')).status).toBe(429)
    expect((await attempt('wrong', '2001:db8:1:3::1')).status).toBe(401)
    expect((await attempt('wrong', '2001:db8:1:2::1', 'other')).status).toBe(401)
  })

  it('is throttled for a registered client', async () => {
    const { client, server } = await open({ kind: 'secret' })
    const impostor = new AuthClient(server, client.id, 'wrong')
    for (let n = 0; n < 10; n++) expect((await impostor.refresh('x')).status).toBe(401)
    expect((await impostor.refresh('x')).status).toBe(429)
  })
})
