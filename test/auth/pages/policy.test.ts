/** What the headers of the pages allow a browser to do with them. */
import { describe, expect, it } from 'vitest'
import { accountPage } from '../../../src/auth/pages/account-page.ts'
import { consentPage } from '../../../src/auth/pages/consent-page.ts'
import { loginPage } from '../../../src/auth/pages/login-page.ts'
import { messagePage } from '../../../src/auth/pages/message-page.ts'
import { readPage } from './read-page.ts'
import { ACCOUNT, CONSENT, LOGIN, MESSAGE } from './sample-views.ts'

const ALL = {
  consent: () => consentPage(CONSENT),
  login: () => loginPage(LOGIN),
  account: () => accountPage(ACCOUNT),
  message: () => messagePage(MESSAGE),
}

function policyOf({ headers }: Response): Record<string, string> {
  const directives = (headers.get('content-security-policy') ?? '').split('; ')
  return Object.fromEntries(
    directives.map((directive) => {
      const [name = '', ...sources] = directive.split(' ')
      return [name, sources.join(' ')]
    }),
  )
}

describe.each(Object.entries(ALL))('the %s page', (name, show) => {
  it('is kept by nobody, framed by nobody, and what it says it is', () => {
    const { headers } = show()
    expect(Object.fromEntries(headers)).toEqual({
      'cache-control': 'no-store',
      'content-security-policy': headers.get('content-security-policy'),
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': name === 'consent' ? 'unsafe-none' : 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
    })
  })

  it('loads nothing, runs nothing, and has no other base', () => {
    expect(policyOf(show())).toMatchObject({
      'default-src': "'none'",
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
    })
    expect(policyOf(show())).not.toHaveProperty('script-src')
  })

  it('has the one style that its policy names', async () => {
    const response = show()
    const [, text = ''] = (await response.clone().text()).split(/<\/?style>/)
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
    const source = `'sha256-${new Uint8Array(digest).toBase64()}'`
    expect(policyOf(response)['style-src']).toBe(source)
  })

  it('has no script, no handler, no style in an attribute, and names no other place', async () => {
    const elements = await readPage(show())
    const attributes = elements.flatMap((element) => Object.entries(element.attributes))
    expect(
      elements.filter(({ tag }) => ['script', 'link', 'img', 'iframe', 'base'].includes(tag)),
    ).toEqual([])
    expect(attributes.filter(([attribute]) => /^on|^style$|^src/.test(attribute))).toEqual([])
    expect(attributes.filter(([, value]) => /^https?:/.test(value))).toEqual([])
  })

  it('says its language, fits a phone, and has a title', async () => {
    const elements = await readPage(show())
    const of = (tag: string) => elements.find((element) => element.tag === tag)
    expect(of('html')?.attributes.lang).toBe('en')
    expect(of('title')?.text).toMatch(/\w/)
    expect(elements.filter(({ tag }) => tag === 'h1')).toHaveLength(1)
    const viewport = elements.find(({ attributes }) => attributes.name === 'viewport')
    expect(viewport?.attributes.content).toBe('width=device-width, initial-scale=1')
  })
})

describe('form-action', () => {
  const ELSEWHERE = 'https: http://127.0.0.1:* http://localhost:*'
  const ONWARD = `${ELSEWHERE} claude: cursor: vscode: vscode-insiders:`

  it.each([
    ['a host', 'https', 'https://claude.ai', `'self' https://claude.ai ${ONWARD}`],
    [
      'a program here',
      'loopback',
      'http://127.0.0.1:33418',
      `'self' http://127.0.0.1:33418 ${ONWARD}`,
    ],
    ['a program here by IPv6', 'loopback', 'http:', `'self' http: ${ONWARD}`],
    ['an app', 'app', 'com.example.app:', "'self' com.example.app:"],
  ] as const)('lets an answer lead to %s, and on', (_, redirectKind, redirectSource, allowed) => {
    const response = consentPage({ ...CONSENT, redirectKind, redirectSource })
    expect(policyOf(response)['form-action']).toBe(allowed)
  })

  it('lets a consent lead through a sign-in elsewhere', () => {
    const response = consentPage({
      ...CONSENT,
      redirectKind: 'app',
      redirectSource: 'cursor:',
      login: { elsewhere: 'GitHub' },
    })
    expect(policyOf(response)['form-action']).toBe(`'self' cursor: ${ELSEWHERE}`)
  })

  it('lets a passphrase for the account go nowhere else', () => {
    expect(policyOf(loginPage(LOGIN))['form-action']).toBe("'self'")
    expect(policyOf(accountPage(ACCOUNT))['form-action']).toBe("'self'")
  })

  it('lets the button to sign in elsewhere lead there', () => {
    const response = loginPage({ ...LOGIN, login: { elsewhere: 'GitHub' } })
    expect(policyOf(response)['form-action']).toBe(`'self' ${ELSEWHERE}`)
  })

  it.each([
    "https://a.example; script-src 'unsafe-inline'",
    'https://a.example, default-src *',
    "'unsafe-inline'",
    'https://a.example/path',
    '*',
    '',
  ])('is not made with %j', (redirectSource) => {
    expect(() => consentPage({ ...CONSENT, redirectSource })).toThrow(TypeError)
  })
})

describe('status', () => {
  it('is 200, or what the page is told', () => {
    expect(consentPage(CONSENT).status).toBe(200)
    expect(consentPage(CONSENT, 401).status).toBe(401)
    expect(loginPage(LOGIN, 429).status).toBe(429)
    expect(accountPage(ACCOUNT).status).toBe(200)
    expect(messagePage({ ...MESSAGE, status: 503 }).status).toBe(503)
  })
})
