/** The proof that a form was sent by a page of this server, in the browser that showed the page. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { messageOf } from './support/answers.ts'
import { Browser, formOf } from './support/browser.ts'
import { createBindings, openDeployment, PASSPHRASE } from './support/deployment.ts'
import { authorize } from './support/flow.ts'

const CSRF = '__Host-edgeway-csrf'

/** A browser at the consent page, whose fields every form below can send. */
async function open() {
  const opened = await authorize()
  const { browser, page } = opened
  return { ...opened, form: formOf(page), cookie: browser.cookies.get(CSRF) ?? '' }
}

type Headers = Readonly<Record<string, string | null>>

describe.each(['/authorize/decision', '/account/disconnect', '/login', '/logout'])(
  'the form at %s is rejected with a page and status 403',
  (path) => {
    it.each<[string, Headers | ((cookie: string) => Headers), object?]>([
      ['when another origin sends it', { origin: 'https://evil.example' }],
      ['when a sandboxed page sends it', { origin: 'null' }],
      ['when the origin differs in its port', { origin: 'https://mcp.example.com:8443' }],
      ['when another site sends it', { origin: null, 'sec-fetch-site': 'cross-site' }],
      ['when a sibling host sends it', { origin: null, 'sec-fetch-site': 'same-site' }],
      ['when the browser sends no cookie', { cookie: null }],
      ['when the cookie is another one', { cookie: `${CSRF}=${'a'.repeat(43)}` }],
      ['when the cookie is empty', { cookie: `${CSRF}=` }],
      ['when the cookie is there twice', (own) => ({ cookie: `${CSRF}=${own}; ${CSRF}=${own}` })],
      [
        'when the cookies are longer than 16 KiB',
        (own) => ({ cookie: `${CSRF}=${own}; x=`.padEnd(16_385, 'x') }),
      ],
      ['when the form has no token', {}, { csrf: undefined }],
      ['when the token is that of another browser', {}, { csrf: 'a'.repeat(43) }],
    ])('%s', async (_, headers, changes) => {
      verifies('authorization-security-practices/consent-page-csrf')
      verifies('oauth-2-1-security/cookies-and-csrf', 'bearer-tokens/cookies-csrf')
      const { browser, form, cookie } = await open()
      const fields = { ...form, decision: 'deny', client: 'x', passphrase: PASSPHRASE, ...changes }
      const sent = typeof headers === 'function' ? headers(cookie) : headers
      expect(messageOf(await browser.post(path, fields, sent))).toBe(403)
    })
  },
)

describe('the consent form is accepted', () => {
  it.each<[string, Headers, string?]>([
    ['from a page of the same origin', {}],
    ['from a browser that sends no Sec-Fetch-Site', { 'sec-fetch-site': null }],
    ['without Origin and Sec-Fetch-Site', { origin: null, 'sec-fetch-site': null }],
    ['beside cookies of other names', {}, `a=1; x${CSRF}=2; ${CSRF}=COOKIE;b=3`],
  ])('%s', async (_, changes, cookies) => {
    const { browser, form, cookie } = await open()
    const headers = { ...changes, ...(cookies && { cookie: cookies.replace('COOKIE', cookie) }) }
    const page = await browser.post('/authorize/decision', { ...form, decision: 'deny' }, headers)
    expect(page.status).toBe(303)
  })

  it('from another loopback name than the configured one', async () => {
    const bindings = createBindings({ EDGEWAY_ORIGIN: 'http://localhost:8787' })
    const server = openDeployment({ origin: undefined }, { bindings })
    const { status, location } = await new Browser(server, 'http://127.0.0.1:8787').signIn()
    expect([status, location]).toEqual([303, '/account'])
  })
})

describe('the cookie of forms', () => {
  it('is bound to the host, hidden from scripts and kept for 12 hours, or as long as a question', async () => {
    verifies('authorization-security-practices/consent-cookies')
    const cookiesOf = async (limits = {}) =>
      (await new Browser(openDeployment({ limits })).get('/account')).headers.getSetCookie()
    expect(await cookiesOf()).toEqual([
      expect.stringMatching(
        /^__Host-edgeway-csrf=[\w-]{43}; Path=\/; Max-Age=43200; Secure; HttpOnly; SameSite=Lax$/,
      ),
    ])
    const short = await cookiesOf({ loginTtlMs: 60_000 })
    expect(short).toEqual([expect.stringContaining('; Max-Age=600; ')])
  })

  it('stays the same over several pages of a browser, and differs between browsers', async () => {
    const server = openDeployment()
    const [browser, other] = [new Browser(server), new Browser(server)]
    const { csrf } = formOf(await browser.get('/account'))
    const known = browser.cookies.get(CSRF)
    expect(formOf(await browser.get('/account')).csrf).toBe(csrf)
    expect(browser.cookies.get(CSRF)).toBe(known)
    expect(formOf(await other.get('/account')).csrf).not.toBe(csrf)
  })

  it('is replaced when it was not made by this server', async () => {
    const browser = new Browser(openDeployment())
    browser.cookies.set(CSRF, 'chosen-by-another')
    await browser.get('/account')
    expect(browser.cookies.get(CSRF)).toMatch(/^[\w-]{43}$/)
  })
})

it('two pages that a browser without cookies has requested at the same moment are accepted once the first is reloaded', async () => {
  const { client, browser, page: first } = await open()
  browser.cookies.delete(CSRF)
  const second = await client.authorize(browser)
  const refused = await browser.decide(first, 'deny')
  expect(messageOf(refused)).toBe(403)
  expect(refused.html).toContain('Please go back, reload that page and try again.')
  const reloaded = await client.authorize(browser)
  expect((await browser.decide(second, 'deny')).status).toBe(303)
  expect((await browser.decide(reloaded, 'deny')).status).toBe(303)
})
