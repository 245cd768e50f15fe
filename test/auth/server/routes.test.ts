/** The methods of each endpoint, and the answers to a fault of the server itself. */
import { describe, expect, it } from 'vitest'
import { ownLogin } from '../../../src/auth/index.ts'
import { verifies } from '../../support/verifies.ts'
import { messageOf, refusalOf } from './support/answers.ts'
import { Browser } from './support/browser.ts'
import { AuthClient, postForm } from './support/client.ts'
import { ORIGIN, openDeployment } from './support/deployment.ts'
import { open, responseText } from './support/flow.ts'
import { failCalls } from './support/scoped-objects.ts'

const GET = ['oauth-authorization-server', 'openid-configuration', 'jwks.json']
const POSTED = ['/register', '/token', '/revoke', '/introspect']
const SHOWN = ['/authorize', '/authorize/callback', '/account']
const SENT = ['/authorize/decision', '/account/disconnect', '/login', '/logout']

const of = (method: string, ...paths: readonly string[]) =>
  paths.map((path) => [path, method] as const)
const api = [...of('GET', ...GET.map((name) => `/.well-known/${name}`)), ...of('POST', ...POSTED)]
const pages = [...of('GET', ...SHOWN), ...of('POST', ...SENT)]
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

  const fault = (changes: object) => Object.assign(new Error('the account'), changes)
  it.each([
    ['500 server_error when an object fails', fault({})],
    ['503 temporarily_unavailable when an object is overloaded', fault({ overloaded: true })],
    ['503 temporarily_unavailable when it is reset again and again', fault({ retryable: true })],
    [
      '503 temporarily_unavailable when it does not answer in time',
      new DOMException('the account', 'TimeoutError'),
    ],
  ])('answers %s, without details', async (answer, error) => {
    const { client, server } = await open()
    const [code, { refresh }] = [await client.code(), await client.tokens()]
    const down = failCalls(server.bindings, ['account'], error)
    const broken = openDeployment({}, { bindings: down })
    const there = client.at(broken)
    for (const response of [await there.redeem(code), await there.refresh(refresh)]) {
      expect(await response.clone().text()).not.toContain('account')
      expect(answer).toMatch(new RegExp(`^${await responseText(response)} `))
    }
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
