/** The response headers of the pages. */
import { describe, expect, it } from 'vitest'
import { accountPage } from '../../../src/auth/pages/account-page.ts'
import { consentPage } from '../../../src/auth/pages/consent-page.ts'
import { loginTargets } from '../../../src/auth/pages/form-targets.ts'
import { loginPage } from '../../../src/auth/pages/login-page.ts'
import { messagePage } from '../../../src/auth/pages/message-page.ts'
import { newTokenPage, tokenSection } from '../../../src/auth/pages/token-section.ts'
import { verifies } from '../../support/verifies.ts'
import { readPage } from './read-page.ts'
import { ACCOUNT, CONSENT, LOGIN, MESSAGE, NEW_TOKEN, TOKENS } from './sample-views.ts'

const ALL = {
  consent: () => consentPage(CONSENT),
  login: () => loginPage(LOGIN),
  account: () => accountPage(ACCOUNT),
  'account with tokens': () =>
    accountPage({
      ...ACCOUNT,
      sections: [tokenSection(TOKENS, 'form-token')],
      apiKey: { label: 'API key', problem: undefined },
    }),
  'new token': () => newTokenPage(NEW_TOKEN),
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
  it('has headers that forbid caching, framing and content sniffing', () => {
    verifies('authorization-security-practices/consent-page-framing')
    verifies('oauth-security-practice/clickjacking')
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

  it('has a policy that forbids resources, scripts, frames and another base URL', () => {
    expect(policyOf(show())).toMatchObject({
      'default-src': "'none'",
      'frame-ancestors': "'none'",
      'base-uri': "'none'",
    })
    expect(policyOf(show())).not.toHaveProperty('script-src')
  })

  it('has one style element, with the digest of its policy', async () => {
    const response = show()
    const [, text = ''] = (await response.clone().text()).split(/<\/?style>/)
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
    const source = `'sha256-${new Uint8Array(digest).toBase64()}'`
    expect(policyOf(response)['style-src']).toBe(source)
  })

  it('has no script, event handler, inline style or URL of another site', async () => {
    verifies('oauth-security-practice/in-browser-messages')
    verifies('oauth-security-practice/in-browser-wildcards')
    const elements = await readPage(show())
    const attributes = elements.flatMap((element) => Object.entries(element.attributes))
    expect(
      elements.filter(({ tag }) => ['script', 'link', 'img', 'iframe', 'base'].includes(tag)),
    ).toEqual([])
    expect(attributes.filter(([attribute]) => /^on|^style$|^src/.test(attribute))).toEqual([])
    const addresses = attributes.filter(([attribute]) => attribute !== 'value')
    expect(addresses.filter(([, value]) => /^https?:/.test(value))).toEqual([])
  })

  it('has a label for each field, and no id twice', async () => {
    const elements = await readPage(show())
    const ids = elements.flatMap(({ attributes: { id } }) => (id === undefined ? [] : [id]))
    expect(new Set(ids).size).toBe(ids.length)
    const fields = elements.filter(
      ({ tag, attributes: { type } }) =>
        ['select', 'textarea'].includes(tag) ||
        (tag === 'input' && type !== 'hidden' && type !== 'checkbox'),
    )
    const labelled = elements.flatMap(({ tag, attributes }) =>
      tag === 'label' && attributes.for !== undefined ? [attributes.for] : [],
    )
    for (const { attributes } of fields) expect(labelled).toContain(attributes.id)
  })

  it('has a language, a title, one heading and a viewport for phones', async () => {
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
  const ANY_SITE = 'https: http://127.0.0.1:* http://localhost:*'
  const ONWARD = `${ANY_SITE} claude: cursor: vscode: vscode-insiders:`

  it.each([
    ['an https host', 'https', 'https://claude.ai', `'self' https://claude.ai ${ONWARD}`],
    [
      'a loopback host',
      'loopback',
      'http://127.0.0.1:33418',
      `'self' http://127.0.0.1:33418 ${ONWARD}`,
    ],
    ['an IPv6 loopback host', 'loopback', 'http:', `'self' http: ${ONWARD}`],
    ['an app scheme', 'app', 'com.example.app:', "'self' com.example.app:"],
  ] as const)(
    'of the consent page allows redirects to %s and onward',
    (_, redirectKind, redirectSource, allowed) => {
      const response = consentPage({ ...CONSENT, redirectKind, redirectSource })
      expect(policyOf(response)['form-action']).toBe(allowed)
    },
  )

  it('of the consent page allows the redirects of an upstream sign-in', () => {
    const response = consentPage({
      ...CONSENT,
      redirectKind: 'app',
      redirectSource: 'cursor:',
      login: { provider: 'GitHub' },
    })
    expect(policyOf(response)['form-action']).toBe(`'self' cursor: ${ANY_SITE}`)
  })

  it('of the sign-in page and the account page allows this host alone', () => {
    expect(policyOf(loginPage(LOGIN))['form-action']).toBe("'self'")
    expect(policyOf(accountPage(ACCOUNT))['form-action']).toBe("'self'")
  })

  it('of the sign-in page allows the redirects of an upstream sign-in', () => {
    const response = loginPage({ ...LOGIN, login: { provider: 'GitHub' } })
    expect(policyOf(response)['form-action']).toBe(`'self' ${ANY_SITE}`)
  })

  it('of the account page allows the targets of its sections, such as an upstream sign-in for a token', () => {
    const formTargets = loginTargets({ provider: 'GitHub' })
    const response = accountPage({ ...ACCOUNT, formTargets })
    expect(policyOf(response)['form-action']).toBe(`'self' ${ANY_SITE}`)
  })

  it.each([
    "https://a.example; script-src 'unsafe-inline'",
    'https://a.example, default-src *',
    "'unsafe-inline'",
    'https://a.example/path',
    '*',
    '',
  ])('rejects %j as a source with a TypeError', (redirectSource) => {
    expect(() => consentPage({ ...CONSENT, redirectSource })).toThrow(TypeError)
  })
})

describe('the status of a page', () => {
  it('is 200 unless another one is given', () => {
    expect(consentPage(CONSENT).status).toBe(200)
    expect(consentPage(CONSENT, { status: 401 }).status).toBe(401)
    expect(loginPage(LOGIN, { status: 429 }).status).toBe(429)
    expect(accountPage(ACCOUNT).status).toBe(200)
    expect(messagePage({ ...MESSAGE, status: 503 }).status).toBe(503)
  })
})
