/** Attempts at a passphrase: on the consent page and at the account page. */
import { describe, expect, it } from 'vitest'
import { expectPageHeaders } from './support/answers.ts'
import { Browser, fieldsOf, formOf, type Page } from './support/browser.ts'
import { AuthClient, codeOf } from './support/client.ts'
import {
  advance,
  createBindings,
  GUEST_PASSPHRASE,
  openDeployment,
  PASSPHRASE,
} from './support/deployment.ts'

const LOGIN = '__Host-edgeway-login'

describe('the consent page', () => {
  async function open() {
    const server = openDeployment()
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    return { client, browser, page: await client.authorize(browser) }
  }

  it.each([
    ['401 after a wrong passphrase', 401, 'wrong'],
    ['401 after a passphrase in another case', 401, PASSPHRASE.toUpperCase()],
    ['401 after a passphrase of 1,025 characters', 401, 'x'.repeat(1025)],
    ['400 without a passphrase', 400, undefined],
    ['400 after an empty passphrase', 400, ''],
  ])('is shown again with status %s', async (_, status, passphrase) => {
    const { browser, page } = await open()
    const again = await browser.decide(page, 'approve', { passphrase })
    expect([again.status, again.actions]).toEqual([status, ['/authorize/decision']])
    expectPageHeaders(again)
    expect(again.html).toContain('role="alert"')
    expect(again.html).not.toContain(PASSPHRASE)
    expect(browser.cookies.has(LOGIN)).toBe(false)
  })

  it('accepts the right passphrase after a wrong one', async () => {
    const { browser, page } = await open()
    const again = await browser.decide(page, 'approve', { passphrase: 'wrong' })
    expect(fieldsOf(again.html, 'transaction')).toHaveLength(1)
    const approved = await browser.decide(again, 'approve', { passphrase: GUEST_PASSPHRASE })
    expect(codeOf(approved)).toMatch(/./)
  })

  it('has Retry-After during the wait after ten wrong passphrases, and still its form', async () => {
    const { browser, page } = await open()
    let again = page
    for (let time = 0; time <= 10; time += 1) {
      again = await browser.decide(again, 'approve', { passphrase: 'wrong' })
    }
    expect([again.status, again.headers.get('retry-after')]).toEqual([429, '15'])
    expect(again.html).toContain('Too many attempts. Please wait 1 minute.')
    expect(again.actions).toEqual(['/authorize/decision'])
  })

  it('does not check the passphrase of a denial', async () => {
    const { browser, page } = await open()
    const denied = await browser.decide(page, 'deny', { passphrase: 'wrong' })
    expect(denied.location).toContain('error=access_denied')
  })

  it('is replaced by a page with status 503 when the passphrase was removed since', async () => {
    const bindings = createBindings()
    const before = { ...bindings, EDGEWAY_PASSPHRASE: PASSPHRASE }
    const server = openDeployment({ login: undefined }, { bindings: before })
    const client = await AuthClient.register(server)
    const browser = new Browser(server)
    const page = await client.authorize(browser)
    const after = browser.at(openDeployment({ login: undefined }, { bindings }))
    const again = await after.decide(page, 'approve', { passphrase: PASSPHRASE })
    expect([again.status, again.actions]).toEqual([503, []])
    expect(after.cookies.has(LOGIN)).toBe(false)
  })
})

describe('the login page', () => {
  async function open() {
    const browser = new Browser(openDeployment())
    return { browser, page: await browser.get('/account') }
  }

  it('redirects to the account page and signs in with the right passphrase', async () => {
    const { browser, page } = await open()
    const { csrf } = formOf(page)
    const { status, location, headers } = await browser.post('/login', {
      csrf,
      passphrase: PASSPHRASE,
    })
    expect([status, location]).toEqual([303, '/account'])
    expect(headers.get('cache-control')).toBe('no-store')
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
    const { browser, page } = await open()
    const { csrf } = formOf(page)
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
  /** A browser at a network address; each attempt has the status of its answer. */
  function open() {
    const server = openDeployment()
    const at = async (address: string | null, passphrase: string): Promise<Page> => {
      const browser = new Browser(server)
      const { csrf } = formOf(await browser.get('/account'))
      return browser.post('/login', { csrf, passphrase }, { 'cf-connecting-ip': address })
    }
    return {
      at,
      fail: async (address: string | null, times: number) => {
        for (let time = 0; time < times; time += 1) {
          expect((await at(address, 'wrong')).status).toBe(401)
        }
      },
    }
  }

  const ADDRESS = '203.0.113.7'

  it('are throttled with status 429 after 10 of them, the right one included', async () => {
    const { at, fail } = open()
    await fail(ADDRESS, 10)
    const wrong = await at(ADDRESS, 'wrong')
    expect([wrong.status, wrong.actions]).toEqual([429, ['/login']])
    expect((await at(ADDRESS, PASSPHRASE)).status).toBe(429)
  })

  it('are refused with the rest of the wait in Retry-After', async () => {
    const { at, fail } = open()
    await fail(ADDRESS, 10)
    expect((await at(ADDRESS, PASSPHRASE)).headers.get('retry-after')).toBe('15')
    advance(13_001)
    expect((await at(ADDRESS, PASSPHRASE)).headers.get('retry-after')).toBe('2')
    advance(1_999)
    expect((await at(ADDRESS, PASSPHRASE)).status).toBe(303)
  })

  it('double the wait each time, and the page names it in minutes', async () => {
    const { at, fail } = open()
    await fail(ADDRESS, 10)
    expect((await at(ADDRESS, PASSPHRASE)).html).toContain('wait 1 minute.<')
    for (const wait of [15_000, 30_000, 60_000]) {
      advance(wait)
      await fail(ADDRESS, 1)
    }
    expect((await at(ADDRESS, PASSPHRASE)).html).toContain('wait 2 minutes.<')
  })

  it('are not counted when the passphrase is right', async () => {
    const { at, fail } = open()
    await fail(ADDRESS, 9)
    for (let time = 0; time < 3; time += 1) {
      expect((await at(ADDRESS, PASSPHRASE)).status).toBe(303)
    }
    await fail(ADDRESS, 1)
    expect((await at(ADDRESS, 'wrong')).status).toBe(429)
  })
})
