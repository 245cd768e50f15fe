/** The proof that a form was sent by a page of this server, in the browser that showed the page. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { messageOf } from './support/answers.ts'
import { Browser, formOf } from './support/browser.ts'
import { AuthClient } from './support/client.ts'
import { createBindings, openDeployment, PASSPHRASE } from './support/deployment.ts'

const CSRF = '__Host-edgeway-csrf'

/** A browser at the consent page, whose fields every form below can send. */
async function open() {
  const server = openDeployment()
  const browser = new Browser(server)
  const page = await (await AuthClient.register(server)).authorize(browser)
  return { server, browser, form: formOf(page), cookie: browser.cookies.get(CSRF) ?? '' }
}

describe.each(['/authorize/decision', '/account/disconnect', '/login', '/logout'])(
  'the form at %s is rejected with a page and status 403',
  (path) => {
    it.each([
      ['when another origin sends it', { origin: 'https://evil.example' }],
      ['when a sandboxed page sends it', { origin: 'null' }],
      ['when the origin differs in its port', { origin: 'https://mcp.example.com:8443' }],
      ['when another site sends it', { origin: null, 'sec-fetch-site': 'cross-site' }],
      ['when a sibling host sends it', { origin: null, 'sec-fetch-site': 'same-site' }],
      ['when the browser sends no cookie', { cookie: null }],
      ['when the cookie is another one', { cookie: `${CSRF}=${'a'.repeat(43)}` }],
      ['when the cookie is empty', { cookie: `${CSRF}=` }],
    ])('%s', async (_, headers) => {
      verifies('authorization-security-practices/consent-page-csrf')
      verifies('oauth-2-1-security/cookies-and-csrf', 'oauth-2-0/csrf-at-authorization')
      verifies('bearer-tokens/cookies-csrf')
      const { browser, form } = await open()
      const fields = { ...form, decision: 'deny', client: 'x', passphrase: PASSPHRASE }
      expect(messageOf(await browser.post(path, fields, headers))).toBe(403)
    })

    it('when the cookie is there twice', async () => {
      const { browser, form, cookie } = await open()
      const twice = { cookie: `${CSRF}=${cookie}; ${CSRF}=${cookie}` }
      expect(messageOf(await browser.post(path, form, twice))).toBe(403)
    })

    it('when the cookies are longer than 16 KiB', async () => {
      const { browser, form, cookie } = await open()
      const long = { cookie: `${CSRF}=${cookie}; x=`.padEnd(16_385, 'x') }
      expect(messageOf(await browser.post(path, form, long))).toBe(403)
    })

    it.each([
      ['when the form has no token', undefined],
      ['when the token is that of another browser', 'a'.repeat(43)],
    ])('%s', async (_, csrf) => {
      const { browser, form } = await open()
      expect(messageOf(await browser.post(path, { ...form, csrf }))).toBe(403)
    })
  },
)

describe('the consent form is accepted', () => {
  it.each([
    ['from a page of the same origin', {}],
    ['from a browser that sends no Sec-Fetch-Site', { 'sec-fetch-site': null }],
    [
      'from a browser that sends neither Origin nor Sec-Fetch-Site',
      { origin: null, 'sec-fetch-site': null },
    ],
  ])('%s', async (_, headers) => {
    const { browser, form } = await open()
    const page = await browser.post('/authorize/decision', { ...form, decision: 'deny' }, headers)
    expect(page.status).toBe(303)
  })

  it('beside cookies of other names', async () => {
    const { browser, form, cookie } = await open()
    const headers = { cookie: `a=1; x${CSRF}=2; ${CSRF}=${cookie};b=3` }
    const page = await browser.post('/authorize/decision', { ...form, decision: 'deny' }, headers)
    expect(page.status).toBe(303)
  })

  it('from another loopback name than the configured one', async () => {
    const bindings = createBindings({ EDGEWAY_ORIGIN: 'http://localhost:8787' })
    const server = openDeployment({ origin: undefined }, { bindings })
    const local = 'http://127.0.0.1:8787'
    const browser = new Browser(server, local)
    const page = await browser.get('/account')
    const { csrf } = formOf(page)
    const signedIn = await browser.post('/login', { csrf, passphrase: PASSPHRASE })
    expect([signedIn.status, signedIn.location]).toEqual([303, '/account'])
  })
})

describe('the cookie of forms', () => {
  it('is bound to the host, hidden from scripts and kept for 12 hours', async () => {
    verifies('authorization-security-practices/consent-cookies')
    const server = openDeployment()
    const { headers } = await new Browser(server).get('/account')
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-edgeway-csrf=[\w-]{43}; Path=\/; Max-Age=43200; Secure; HttpOnly; SameSite=Lax$/,
      ),
    ])
  })

  it('is kept as long as a question when a question outlives a login', async () => {
    const server = openDeployment({ limits: { loginTtlMs: 60_000 } })
    const { headers } = await new Browser(server).get('/account')
    expect(headers.getSetCookie()).toEqual([expect.stringContaining('; Max-Age=600; ')])
  })

  it('stays the same over several pages of a browser', async () => {
    const server = openDeployment()
    const browser = new Browser(server)
    const first = formOf(await browser.get('/account'))
    const known = browser.cookies.get(CSRF)
    expect(formOf(await browser.get('/account')).csrf).toBe(first.csrf)
    expect(browser.cookies.get(CSRF)).toBe(known)
  })

  it('differs between browsers', async () => {
    const server = openDeployment()
    const [one, other] = [new Browser(server), new Browser(server)]
    expect(formOf(await one.get('/account')).csrf).not.toBe(
      formOf(await other.get('/account')).csrf,
    )
  })

  it('is replaced when it was not made by this server', async () => {
    const server = openDeployment()
    const browser = new Browser(server)
    browser.cookies.set(CSRF, 'chosen-by-another')
    await browser.get('/account')
    expect(browser.cookies.get(CSRF)).toMatch(/^[\w-]{43}$/)
  })
})

describe('two pages that a browser without cookies has requested at the same moment', () => {
  it('are accepted once the first is reloaded, as its refusal says', async () => {
    const server = openDeployment()
    const browser = new Browser(server)
    const client = await AuthClient.register(server)
    const first = await client.authorize(browser)
    browser.cookies.delete(CSRF)
    const second = await client.authorize(browser)
    const refused = await browser.decide(first, 'deny')
    expect(messageOf(refused)).toBe(403)
    expect(refused.html).toContain('Please go back, reload that page and try again.')
    const reloaded = await client.authorize(browser)
    expect((await browser.decide(second, 'deny')).status).toBe(303)
    expect((await browser.decide(reloaded, 'deny')).status).toBe(303)
  })
})
