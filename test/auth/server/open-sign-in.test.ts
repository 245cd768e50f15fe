/** Sign-in without a passphrase, which only a person on the computer of the server may use. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { expectPageHeaders } from './support/answers.ts'
import { Browser, formOf, type Page } from './support/browser.ts'
import { AuthClient, codeOf, REDIRECT_URI } from './support/client.ts'
import { createBindings, ORIGIN, openDeployment, PASSPHRASE } from './support/deployment.ts'

const LOCAL = 'http://localhost:8787'
const LOGIN = '__Host-edgeway-login'
const DEVELOPMENT = 'development'

const FOREIGN: readonly (readonly [header: string, value: string])[] = [
  ['cf-connecting-ip', '203.0.113.7'],
  ['cf-connecting-ip', '2001:db8::1'],
  ['cf-connecting-ip', ''],
  ['cf-connecting-ipv6', '2001:db8::1'],
  ['true-client-ip', '203.0.113.7'],
  ['x-real-ip', '192.168.1.20'],
  ['x-client-ip', '10.0.0.1'],
  ['x-forwarded-for', '203.0.113.7'],
  ['x-forwarded-for', '127.0.0.1, 203.0.113.7'],
  ['x-forwarded-for', '203.0.113.7, 127.0.0.1'],
  ['x-forwarded-for', 'localhost'],
  ['x-forwarded-for', '127.0.0.1.evil.example'],
  ['x-forwarded-for', '0177.0.0.1'],
  ['x-forwarded-for', '::ffff:203.0.113.7'],
  ['x-forwarded-for', '::'],
  ['x-forwarded-for', '[::1'],
  ['forwarded', 'for=203.0.113.7;proto=https'],
  ['forwarded', 'for=127.0.0.1, for=203.0.113.7'],
  ['forwarded', 'proto=https;for="[2001:db8::1]:4711"'],
  ['forwarded', 'for=unknown'],
  ['forwarded', 'proto=https;host=mcp.example.com'],
]

const LOOPBACK: readonly (readonly [header: string, value: string])[] = [
  ['cf-connecting-ip', '127.0.0.1'],
  ['cf-connecting-ip', '::1'],
  ['cf-connecting-ip', '::ffff:127.0.0.1'],
  ['x-real-ip', '127.0.0.53'],
  ['x-forwarded-for', '::1, 127.0.0.1'],
  ['x-forwarded-for', '127.0.0.1:50123'],
  ['forwarded', 'For="[::1]:50123";proto=http, for=127.0.0.1'],
]

/** Opens the account page at a host, with one more header, and presses its button where it has one. */
async function signIn(
  origin: string | undefined,
  host: string,
  header?: readonly [string, string],
): Promise<{ readonly page: Page; readonly signedIn: boolean }> {
  const variables = origin === undefined ? {} : { EDGEWAY_ORIGIN: origin }
  const bindings = createBindings(variables)
  const server = openDeployment({ origin: undefined, login: undefined }, { bindings })
  const browser = new Browser(server, host)
  const headers = Object.fromEntries(header === undefined ? [] : [header])
  const page = await browser.get('/account', headers)
  // A page without a form has no token, so a real one is used to reach the check behind it.
  const { csrf } = formOf(await browser.get('/account'))
  await browser.post('/login', { csrf }, { origin: null, ...headers })
  return { page, signedIn: browser.cookies.has(LOGIN) }
}

describe('a server without a passphrase', () => {
  it.each([
    ['its configuration says that it is one of development', DEVELOPMENT],
    ['its configured origin is a loopback one', LOCAL],
  ])('signs in its owner at a loopback host when %s', async (_, origin) => {
    const { page, signedIn } = await signIn(origin, LOCAL)
    expectPageHeaders(page)
    expect([page.status, signedIn]).toEqual([200, true])
  })

  it.each(LOOPBACK)('signs in its owner when %s is %s', async (...header) => {
    const { page, signedIn } = await signIn(DEVELOPMENT, LOCAL, header)
    expect([page.status, signedIn]).toEqual([200, true])
  })

  it.each(FOREIGN)('refuses a sign-in when %s is %j', async (...header) => {
    verifies('oauth-security-practice/trusted-proxy-headers')
    const { page, signedIn } = await signIn(DEVELOPMENT, LOCAL, header)
    expect([page.status, page.actions, signedIn]).toEqual([503, [], false])
  })

  it.each([
    undefined,
    '',
    'Development',
    'development, https://mcp.example.com',
    'nowhere',
    'true',
  ])(
    'refuses a sign-in at a loopback host when EDGEWAY_ORIGIN is %j, which does not name development',
    async (origin) => {
      for (const host of [LOCAL, 'http://127.0.0.1', 'http://[::1]:8787', 'http://127.1:8787']) {
        const { page, signedIn } = await signIn(origin, host)
        expect([host, page.status, page.actions, signedIn]).toEqual([host, 503, [], false])
      }
    },
  )

  it.each([
    ['https://mcp.example.com', DEVELOPMENT],
    ['https://localhost.example.com', DEVELOPMENT],
    ['https://localhost.', DEVELOPMENT],
    ['https://[::ffff:127.0.0.1]', DEVELOPMENT],
    ['https://0.0.0.0', DEVELOPMENT],
    [LOCAL, `${ORIGIN} ${LOCAL}`],
    [LOCAL, ORIGIN],
    [ORIGIN, LOCAL],
  ])('refuses a sign-in at %s of a server whose origin is %s', async (host, origin) => {
    const { page, signedIn } = await signIn(origin, host)
    expect([page.status, page.actions, signedIn]).toEqual([503, [], false])
  })

  it('shows no consent page to a request that was forwarded to a loopback host', async () => {
    const server = openDeployment({ origin: LOCAL, login: undefined })
    const browser = new Browser(server, LOCAL)
    const path = (await AuthClient.register(server)).authorizePath()
    const forwarded = { 'x-forwarded-for': '203.0.113.7' }
    expect((await browser.get(path, forwarded)).status).toBe(503)
    const page = await browser.get(path)
    const fields = { ...formOf(page), decision: 'approve', confirmed: 'yes' }
    const refused = await browser.post('/authorize/decision', fields, forwarded)
    expect([refused.status, refused.location]).toEqual([503, null])
    expect(codeOf(await browser.post('/authorize/decision', fields))).toMatch(/./)
  })
})

describe('a server with a passphrase', () => {
  it.each(FOREIGN)('accepts it at a loopback host when %s is %j', async (...[name, value]) => {
    const bindings = createBindings({ EDGEWAY_PASSPHRASE: PASSPHRASE })
    const server = openDeployment({ origin: LOCAL, login: undefined }, { bindings })
    const browser = new Browser(server, LOCAL)
    const client = await AuthClient.register(server, { redirect_uris: [REDIRECT_URI] })
    const page = await browser.get(client.authorizePath(), { [name]: value })
    const fields = { ...formOf(page), decision: 'approve', passphrase: PASSPHRASE }
    const answer = await browser.post('/authorize/decision', fields, { [name]: value })
    expect(codeOf(answer)).toMatch(/./)
  })
})
