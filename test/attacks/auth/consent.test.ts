/** The consent form and the account page under forged, repeated and concurrent requests. */
import { beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { Browser, type Form, fieldOf, formOf, GUEST, OWNER } from './browser.ts'
import {
  authorizeQuery,
  createVerifier,
  obtainTokens,
  type Registered,
  register,
} from './client.ts'
import { serveProtected } from './protected-server.ts'
import { errorOf, type Sending } from './send.ts'

const server = serveProtected()
let client: Registered
let query: string
beforeAll(async () => {
  client = await register(server.issuer)
  query = authorizeQuery(client.id, createVerifier())
})

/** Opens the consent page in a new browser. */
async function openConsentPage(): Promise<{ browser: Browser; form: Form }> {
  const browser = new Browser(server.issuer)
  return { browser, form: await browser.consent(query) }
}

describe('/authorize/decision refuses, without a redirect,', () => {
  const foreign: readonly (readonly [string, Sending['headers'], number])[] = [
    ['from another origin', [['origin', 'https://evil.example']], 403],
    ['from an opaque origin', [['origin', 'null']], 403],
    ['from another port', [['origin', 'http://127.0.0.1:1']], 403],
    ['with Sec-Fetch-Site cross-site', [['sec-fetch-site', 'cross-site']], 403],
    ['with Sec-Fetch-Site same-site', [['sec-fetch-site', 'same-site']], 403],
  ]
  it.each(foreign)('a form that is sent %s', async (_, headers, status) => {
    verifies('authorization-security-practices/consent-page-csrf')
    verifies('oauth-2-1-security/cookies-and-csrf', 'oauth-2-0/csrf-at-authorization')
    verifies('bearer-tokens/cookies-csrf')
    const { browser, form } = await openConsentPage()
    const fields = { ...form, decision: 'approve', passphrase: OWNER }
    const answer = await browser.post('/authorize/decision', fields, headers)
    expect([answer.status, answer.headers.get('location')]).toEqual([status, null])
  })

  it('a form without its cookie', async () => {
    verifies('authorization-security/oauth-2-1-security')
    const { browser, form } = await openConsentPage()
    browser.cookies.clear()
    expect((await browser.approve(form, OWNER)).status).toBe(403)
  })

  it('a form whose cookie is sent twice', async () => {
    const { browser, form } = await openConsentPage()
    const [[name = '', value = ''] = []] = [...browser.cookies]
    browser.cookies.set(name, `${value}; ${name}=${'a'.repeat(43)}`)
    expect((await browser.approve(form, OWNER)).status).toBe(403)
  })

  it.each(['', 'a'.repeat(43), '\u0000'])('the form token %j', async (csrf) => {
    verifies('authorization-security-practices/consent-page-csrf')
    const { browser, form } = await openConsentPage()
    expect((await browser.approve({ ...form, csrf }, OWNER)).status).toBe(403)
  })

  it.each(['', 'made-up', 'a'.repeat(50_000), '\u0000'])(
    'the invented transaction %j',
    async (transaction) => {
      const { browser, form } = await openConsentPage()
      const answer = await browser.approve({ ...form, transaction }, OWNER)
      expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    },
  )

  it('the transaction of another browser', async () => {
    const victim = await openConsentPage()
    const attacker = await openConsentPage()
    const answer = await victim.browser.approve(
      { ...victim.form, transaction: attacker.form.transaction },
      OWNER,
    )
    expect([answer.status >= 400, answer.headers.get('location')]).toEqual([true, null])
  })

  it('a client id as the transaction', async () => {
    const { browser, form } = await openConsentPage()
    const answer = await browser.approve({ ...form, transaction: client.id }, OWNER)
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })

  it.each(['maybe', 'APPROVE', ''])('the decision %j', async (decision) => {
    const { browser, form } = await openConsentPage()
    const answer = await browser.post('/authorize/decision', {
      ...form,
      decision,
      passphrase: OWNER,
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })

  it.each([
    ['no passphrase', undefined, 400],
    ['a wrong passphrase', 'wrong', 401],
    ['a passphrase with a NUL', `${OWNER}\u0000`, 401],
    ['a passphrase of 50 KB', 'a'.repeat(50_000), 401],
  ])('%s', async (_, passphrase, status) => {
    verifies('oauth-2-1-endpoints/resource-owner-is-authenticated')
    const { browser, form } = await openConsentPage()
    const answer = await browser.approve(form, passphrase)
    expect([answer.status, answer.headers.get('location')]).toEqual([status, null])
    expect(browser.cookies.has('__Host-edgeway-login')).toBe(false)
  })
})

it('/authorize/decision ignores redirect URI, scope, client and state in the form', async () => {
  verifies('authorization-security-practices/consent-is-for-a-client')
  const { browser, form } = await openConsentPage()
  const answer = await browser.post('/authorize/decision', {
    ...form,
    ...{ decision: 'approve', passphrase: OWNER, redirect_uri: 'https://evil.example/' },
    ...{ scope: 'admin', client_id: 'other', state: 'evil' },
  })
  const location = new URL(answer.headers.get('location') ?? '')
  expect(location.origin).toBe('https://client.example')
  expect(location.searchParams.get('state')).toBe('the-state')
})

describe('a consent page that was opened before a sign-in', () => {
  it('requires its passphrase although another person has signed in since', async () => {
    const { browser, form } = await openConsentPage()
    await browser.approve(await browser.consent(query), GUEST)
    expect((await browser.approve(form, 'wrong')).status).toBe(401)
    expect((await browser.approve(form)).status).toBe(400)
    expect((await browser.approve(form, OWNER)).status).toBe(303)
  })

  it('is shown again when another person is signed in than it names', async () => {
    const { browser, form } = await openConsentPage()
    await browser.approve(form, OWNER)
    const shown = await browser.consent(query)
    const guest = new Browser(server.issuer)
    await guest.approve(await guest.consent(query), GUEST)
    const login = guest.cookies.get('__Host-edgeway-login') ?? ''
    browser.cookies.set('__Host-edgeway-login', login)
    const again = await browser.approve(shown)
    expect([again.status, again.headers.get('location')]).toEqual([409, null])
    expect(again.body).toContain('guest')
    expect((await browser.approve(formOf(again))).status).toBe(303)
  })
})

it('/authorize/decision accepts forty concurrent sign-ins with the right passphrase', async () => {
  const pages = await Promise.all(Array.from({ length: 40 }, openConsentPage))
  const answers = await Promise.all(pages.map(({ browser, form }) => browser.approve(form, OWNER)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]))
})

it('/authorize/decision rejects a second approval of one consent page', async () => {
  const { browser, form } = await openConsentPage()
  expect((await browser.approve(form, OWNER)).status).toBe(303)
  const again = await browser.approve(form, OWNER)
  expect([again.status, again.headers.get('location')]).toEqual([400, null])
})

it('/authorize/decision issues one code for twenty concurrent approvals', async () => {
  const { browser, form } = await openConsentPage()
  const answers = await Promise.all(Array.from({ length: 20 }, () => browser.approve(form, OWNER)))
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([303, ...Array(19).fill(400)])
})

it('/authorize/decision rejects an approval after a denial', async () => {
  const { browser, form } = await openConsentPage()
  const denied = await browser.post('/authorize/decision', { ...form, decision: 'deny' })
  expect(errorOf(denied)).toBe('access_denied')
  const answer = await browser.approve(form, OWNER)
  expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
})

describe('a given consent', () => {
  const requestAgain = async (
    given: 'none' | 'cross-site',
    asking: 'none' | 'cross-site',
    uri?: string,
  ) => {
    const registered = await register(
      server.issuer,
      uri === undefined ? {} : { redirect_uris: [uri] },
    )
    const changes = uri === undefined ? {} : { redirect_uri: uri }
    const own = authorizeQuery(registered.id, createVerifier(), changes)
    const browser = new Browser(server.issuer)
    await browser.approve(await browser.consent(own, given), OWNER)
    return browser.get(`/authorize?${own}`, asking)
  }
  it('is requested again when another site sends the browser', async () => {
    verifies('oauth-2-0/csrf-at-authorization')
    expect((await requestAgain('none', 'cross-site')).status).toBe(200)
  })
  it('is not remembered when another site sent the browser', async () => {
    verifies('oauth-2-1-security/sign-in-before-redirect')
    expect((await requestAgain('cross-site', 'none')).status).toBe(200)
  })
  it.each(['http://127.0.0.1:5000/cb', 'cursor://anysphere.cursor-mcp/oauth/callback'])(
    'is not remembered for %s, which any app may receive (RFC 8252 §8.6)',
    async (uri) => {
      expect((await requestAgain('none', 'none', uri)).status).toBe(200)
    },
  )
})

describe('the passphrase throttle', () => {
  it('limits guesses from one address and does not affect another address', async () => {
    const statuses: number[] = []
    for (let at = 0; at < 12; at += 1) {
      const { browser, form } = await openConsentPage()
      const fields = { ...form, decision: 'approve', passphrase: `guess ${at}` }
      const answer = await browser.post('/authorize/decision', fields, [
        ['cf-connecting-ip', '192.0.2.1'],
      ])
      statuses.push(answer.status)
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
    const { browser, form } = await openConsentPage()
    const fields = { ...form, decision: 'approve', passphrase: OWNER }
    const honest = await browser.post('/authorize/decision', fields, [
      ['cf-connecting-ip', '192.0.2.2'],
    ])
    expect(honest.status).toBe(303)
  })

  it('limits guesses from many addresses of one IPv6 network', async () => {
    const statuses: number[] = []
    const { browser, form } = await openConsentPage()
    for (let at = 0; at < 40; at += 1) {
      const address = `2001:db8:0:1::${at.toString(16)}`
      const fields = { ...form, decision: 'approve', passphrase: `guess ${at}` }
      const answer = await browser.post('/authorize/decision', fields, [
        ['cf-connecting-ip', address],
      ])
      statuses.push(answer.status)
    }
    expect(statuses).toContain(429)
  })
})

describe('the account page', () => {
  const signedIn = async (passphrase: string) => {
    const browser = new Browser(server.issuer)
    const csrf = fieldOf((await browser.get('/account')).body, 'csrf')
    const answer = await browser.post('/login', { csrf, passphrase })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/account'])
    return browser
  }

  it('escapes markup in the name of a client', async () => {
    const hostile = await register(server.issuer, { client_name: '<script>alert(1)</script>' })
    await obtainTokens(server.issuer, hostile)
    const { body } = await (await signedIn(OWNER)).get('/account')
    expect(body).toContain('&lt;script&gt;')
    expect(body).not.toContain('<script')
  })

  it("does not disconnect another person's app", async () => {
    await obtainTokens(server.issuer, await register(server.issuer))
    const grant = fieldOf((await (await signedIn(OWNER)).get('/account')).body, 'grant')
    const guest = await signedIn(GUEST)
    const csrf = fieldOf((await guest.get('/account')).body, 'csrf')
    await guest.post('/account/disconnect', { csrf, grant })
    expect((await (await signedIn(OWNER)).get('/account')).body).toContain(grant)
  })

  it.each(['/account/disconnect', '/logout', '/login'])(
    'rejects a form at %s from another origin or without its token',
    async (path) => {
      const browser = await signedIn(OWNER)
      const csrf = fieldOf((await browser.get('/account')).body, 'csrf')
      const fields = { csrf, grant: 'a', passphrase: GUEST }
      const answer = await browser.post(path, fields, [['origin', 'https://evil.example']])
      expect([answer.status, answer.headers.getSetCookie()]).toEqual([403, []])
      expect((await browser.post(path, { ...fields, csrf: 'a' })).status).toBe(403)
    },
  )

  it.each(['made-up', '', `${'a'.repeat(400)}`])(
    'asks for a sign-in with the invalid cookie %j',
    async (cookie) => {
      const browser = new Browser(server.issuer)
      browser.cookies.set('__Host-edgeway-login', cookie)
      expect((await browser.get('/account')).body).toContain('Sign in')
    },
  )

  it('asks for a sign-in with a repeated login cookie', async () => {
    const browser = await signedIn(OWNER)
    const own = browser.cookies.get('__Host-edgeway-login') ?? ''
    browser.cookies.set('__Host-edgeway-login', `${own}; __Host-edgeway-login=${own}`)
    expect((await browser.get('/account')).body).toContain('Sign in to')
  })
})
