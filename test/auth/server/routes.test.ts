/** The methods of each endpoint, and the answers to a fault of the server itself. */
import { describe, expect, it } from 'vitest'
import { ownLogin } from '../../../src/auth/index.ts'
import { verifies } from '../../support/verifies.ts'
import { messageOf, refusalOf, refusalWith } from './support/answers.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, postForm } from './support/client.ts'
import { createBindings, ORIGIN, openDeployment } from './support/deployment.ts'
import { expectRefusal } from './support/flow.ts'
import { failCalls } from './support/scoped-objects.ts'

const READ_ONLY = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/jwks.json',
]
const POSTED = ['/register', '/token', '/revoke', '/introspect']
const SHOWN = ['/authorize', '/authorize/callback', '/account']
const SENT = ['/authorize/decision', '/account/disconnect', '/login', '/logout']

const api = [
  ...READ_ONLY.map((path) => [path, 'GET'] as const),
  ...POSTED.map((path) => [path, 'POST'] as const),
]
const pages = [
  ...SHOWN.map((path) => [path, 'GET'] as const),
  ...SENT.map((path) => [path, 'POST'] as const),
]
const others = (method: string) =>
  ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((other) => other !== method)

const cases = <T extends readonly (readonly [string, string])[]>(endpoints: T) =>
  endpoints.flatMap(([path, method]) => others(method).map((other) => [path, other, method]))

describe('an endpoint for programs', () => {
  it.each(cases(api))('%s rejects %s with 405 and allows %s', async (path, method, allowed) => {
    verifies('enterprise-managed-authorization/no-assertions-in-urls')
    verifies('oauth-2-1-endpoints/token-endpoint-post')
    verifies('authorization-server-metadata/query-by-get')
    verifies('dynamic-client-registration/post-of-json')
    const response = await openDeployment().fetch(`${ORIGIN}${path}`, { method })
    expect(await refusalOf(response)).toEqual({
      status: 405,
      error: 'invalid_request',
      allow: `${allowed}, OPTIONS`,
    })
  })

  it.each(POSTED)('%s rejects HEAD with 405', async (path) => {
    const { status, headers } = await openDeployment().fetch(`${ORIGIN}${path}`, { method: 'HEAD' })
    expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  })

  it.each(api)('%s answers a preflight from any origin', async (path, method) => {
    const response = await openDeployment().fetch(`${ORIGIN}${path}`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': method },
    })
    expect([response.status, await response.text()]).toEqual([204, ''])
    expect(Object.fromEntries(response.headers)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': `${method}, OPTIONS`,
      'access-control-allow-headers': '*, authorization',
      'access-control-max-age': '7200',
    })
  })

  it('answers 500 server_error without details when an object fails', async () => {
    const bindings = createBindings()
    const client = await AuthClient.register(openDeployment({}, { bindings }))
    const code = await client.code()
    const down = failCalls(bindings, ['account'], new Error('the account is down'))
    const broken = openDeployment({}, { bindings: down })
    const response = await client.at(broken).redeem(code)
    const body = await response.clone().text()
    await expectRefusal(response, 'server_error', 500)
    expect(body).not.toContain('account')
    expect(broken.events).toContainEqual({ type: 'internal-error', error: expect.any(Error) })
  })

  it.each([
    ['is overloaded', Object.assign(new Error('the account'), { overloaded: true })],
    ['is reset again and again', Object.assign(new Error('the account'), { retryable: true })],
    ['does not answer in time', new DOMException('the account', 'TimeoutError')],
  ])('answers 503 temporarily_unavailable when an object %s', async (_, error) => {
    const bindings = createBindings()
    const client = await AuthClient.register(openDeployment({}, { bindings }))
    const { refresh } = await client.tokens()
    const broken = openDeployment({}, { bindings: failCalls(bindings, ['account'], error) })
    const response = await client.at(broken).refresh(refresh)
    const body = await response.clone().text()
    await expectRefusal(response, 'temporarily_unavailable', 503)
    expect(body).not.toContain('account')
    expect(broken.events).toContainEqual({ type: 'internal-error', error })
  })

  it('reports a refusal to telemetry', async () => {
    const server = openDeployment()
    await postForm(server, '/token', { client_id: 'x' })
    expect(server.events).toEqual([
      { type: 'refusal', name: 'invalid_request', status: 400, message: expect.any(String) },
    ])
  })
})

describe('a page', () => {
  it.each(cases(pages))('%s rejects %s with 405 and allows %s', async (path, method, allowed) => {
    verifies('oauth-2-1-endpoints/authorization-endpoint-get')
    const server = openDeployment()
    const response = await server.fetch(`${ORIGIN}${path}`, { method })
    const html = await response.text()
    const { status, headers } = response
    expect(messageOf({ status, headers, html, location: null, actions: [] })).toBe(405)
    expect(headers.get('allow')).toBe(allowed)
  })

  it.each(pages)('%s rejects a preflight with 405', async (path, allowed) => {
    verifies('oauth-2-1-endpoints/no-cors-at-authorization')
    verifies('oauth-security-practice/no-cors-at-authorization')
    const { status, headers } = await openDeployment().fetch(`${ORIGIN}${path}`, {
      method: 'OPTIONS',
    })
    expect([status, headers.get('allow')]).toEqual([405, allowed])
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  it('answers HEAD as GET', async () => {
    const { status } = await openDeployment().fetch(`${ORIGIN}/account`, { method: 'HEAD' })
    expect(status).toBe(200)
  })

  it('answers 500 without details when the author login fails', async () => {
    const server = openDeployment({
      login: ownLogin({
        name: 'Elsewhere',
        begin: async () => {
          throw new Error('a secret is not set')
        },
        finish: async () => ({ subject: 'ada', name: undefined, props: undefined }),
      }),
    })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await browser.decide(await client.authorize(browser), 'approve')
    expect(messageOf(page)).toBe(500)
    expect(page.html).not.toContain('secret')
    expect(server.events).toContainEqual({ type: 'internal-error', error: expect.any(Error) })
  })
})
