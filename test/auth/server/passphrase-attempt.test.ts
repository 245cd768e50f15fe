/** Attempts at a passphrase: on the consent page and at the account page. */
import { describe, expect, it } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { expectPageHeaders } from './support/answers.ts'
import { Browser, fieldsOf, formOf, type Page } from './support/browser.ts'
import {
  advance,
  createBindings,
  GUEST_PASSPHRASE,
  openDeployment,
  PASSPHRASE,
} from './support/deployment.ts'
import { authorize, LOGIN, pageText } from './support/flow.ts'

describe('the consent page', () => {
  it.each([
    ['401 after a wrong passphrase', 401, 'wrong'],
    ['401 after a passphrase in another case', 401, PASSPHRASE.toUpperCase()],
    ['401 after a passphrase of 1,025 characters', 401, 'x'.repeat(1025)],
    ['400 without a passphrase', 400, undefined],
    ['400 after an empty passphrase', 400, ''],
  ])('is shown again with status %s, and accepts the right one', async (_, status, passphrase) => {
    const { browser, page } = await authorize()
    const again = await browser.decide(page, 'approve', { passphrase })
    expect([again.status, again.actions]).toEqual([status, ['/authorize/decision']])
    expectPageHeaders(again)
    expect(again.html).toContain('role="alert"')
    expect(again.html).not.toContain(PASSPHRASE)
    expect(browser.cookies.has(LOGIN)).toBe(false)
    expect(fieldsOf(again.html, 'transaction')).toHaveLength(1)
    const approved = await browser.decide(again, 'approve', { passphrase: GUEST_PASSPHRASE })
    expect(pageText(approved)).toBe('code')
  })

  it('has Retry-After during the wait after ten wrong passphrases, and still its form', async () => {
    const { browser, page } = await authorize()
    let again = page
    for (let time = 0; time <= 10; time += 1) {
      again = await browser.decide(again, 'approve', { passphrase: 'wrong' })
    }
    expect([again.status, again.headers.get('retry-after')]).toEqual([429, '15'])
    expect(again.html).toContain('Too many attempts. Please wait 1 minute.')
    expect(again.actions).toEqual(['/authorize/decision'])
  })

  it('does not check the passphrase of a denial', async () => {
    const { browser, page } = await authorize()
    const denied = await browser.decide(page, 'deny', { passphrase: 'wrong' })
    expect(pageText(denied)).toBe('redirect access_denied')
  })

  it('is replaced by a page with status 503 when the passphrase was removed since', async () => {
    const own = createBindings()
    const bindings = { ...own, EDGEWAY_PASSPHRASE: PASSPHRASE }
    const { browser, page } = await authorize({ login: undefined, bindings })
    const after = browser.at(openDeployment({ login: undefined }, { bindings: own }))
    const again = await after.decide(page, 'approve', { passphrase: PASSPHRASE })
    expect([again.status, again.actions]).toEqual([503, []])
    expect(after.cookies.has(LOGIN)).toBe(false)
  })
})

describe('the login page', () => {
  it('redirects to the account page and signs in with the right passphrase', async () => {
    const browser = new Browser(openDeployment())
    const { status, location, headers } = await browser.signIn()
    expect([status, location, headers.get('cache-control')]).toEqual([303, '/account', 'no-store'])
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-edgeway-login=[\w.-]+; Path=\/; Max-Age=43200; Secure; HttpOnly; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^__Host-edgeway-device=[\w.-]+; Path=\/; Max-Age=7776000; Secure; HttpOnly; SameSite=Lax$/,
      ),
    ])
  })

  it.each([
    ['401 after a wrong passphrase', 401, 'wrong'],
    ['400 without a passphrase', 400, undefined],
  ])('is shown again with status %s', async (_, status, passphrase) => {
    const browser = new Browser(openDeployment())
    const { csrf } = formOf(await browser.get('/account'))
    const again = await browser.post('/login', { csrf, passphrase })
    expect([again.status, again.actions]).toEqual([status, ['/login']])
    expectPageHeaders(again)
    expect(browser.cookies.has(LOGIN)).toBe(false)
  })

  it('signs the owner in on a loopback host without a passphrase', async () => {
    const local = 'http://localhost:8787'
    const browser = new Browser(openDeployment({ origin: local, login: undefined }), local)
    const { csrf } = formOf(await browser.get('/account'))
    const { status, location } = await browser.post('/login', { csrf })
    expect([status, location]).toEqual([303, '/account'])
    expect((await browser.get('/account')).html).toContain('<bdi>owner</bdi>')
  })
})

describe('wrong passphrases from one network', () => {
  /** Attempts of browsers at one network address. */
  function open() {
    const server = openDeployment()
    const enter = async (passphrase: string): Promise<Page> => {
      const browser = new Browser(server)
      const { csrf } = formOf(await browser.get('/account'))
      const headers = { 'cf-connecting-ip': '203.0.113.7' }
      return browser.post('/login', { csrf, passphrase }, headers)
    }
    const fail = async (times: number) => {
      for (let time = 0; time < times; time += 1) expect((await enter('wrong')).status).toBe(401)
    }
    return { enter, fail }
  }

  it('are throttled after 10 of them, the right one included, with the wait in Retry-After', async () => {
    verifies('oauth-2-1-security/end-user-credentials')
    const { enter, fail } = open()
    await fail(10)
    const wrong = await enter('wrong')
    expect([wrong.status, wrong.actions]).toEqual([429, ['/login']])
    const right = await enter(PASSPHRASE)
    expect([right.status, right.headers.get('retry-after')]).toEqual([429, '15'])
    advance(13_001)
    expect((await enter(PASSPHRASE)).headers.get('retry-after')).toBe('2')
    advance(1_999)
    expect((await enter(PASSPHRASE)).status).toBe(303)
  })

  it('double the wait each time, and the page names it in minutes', async () => {
    const { enter, fail } = open()
    await fail(10)
    expect((await enter(PASSPHRASE)).html).toContain('wait 1 minute.<')
    for (const wait of [15_000, 30_000, 60_000]) {
      advance(wait)
      await fail(1)
    }
    expect((await enter(PASSPHRASE)).html).toContain('wait 2 minutes.<')
  })

  it('are not counted when the passphrase is right', async () => {
    const { enter, fail } = open()
    await fail(9)
    for (let time = 0; time < 3; time += 1) expect((await enter(PASSPHRASE)).status).toBe(303)
    await fail(1)
    expect((await enter('wrong')).status).toBe(429)
  })
})
