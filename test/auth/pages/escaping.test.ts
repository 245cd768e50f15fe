/** Escaping of untrusted text in every field of every page. */
import { describe, expect, it } from 'vitest'
import { accountPage } from '../../../src/auth/pages/account-page.ts'
import { consentPage } from '../../../src/auth/pages/consent-page.ts'
import { loginPage } from '../../../src/auth/pages/login-page.ts'
import { messagePage } from '../../../src/auth/pages/message-page.ts'
import { newTokenPage, tokenSection } from '../../../src/auth/pages/token-section.ts'
import type {
  AppAccess,
  AppConnection,
  TokenFormView,
  TokenView,
} from '../../../src/auth/pages/views.ts'
import { readPage, shapeOf } from './read-page.ts'
import {
  ACCESS,
  ACCOUNT,
  APP,
  CONNECTION,
  CONSENT,
  LOGIN,
  MESSAGE,
  NEW_TOKEN,
  TOKEN,
  TOKEN_FORM,
  TOKENS,
} from './sample-views.ts'

const HOSTILE = {
  'a script': '<script>alert(1)</script>',
  'the end of the style': '</style><script>alert(1)</script>',
  'the end of the title': '</title><script>alert(1)</script>',
  'an image with a handler': '<img src=x onerror=alert(1)>',
  'the end of an attribute in double quotes': '" autofocus onfocus="alert(1)" x="',
  'the end of an attribute in single quotes': "' autofocus onfocus='alert(1)' x='",
  'the end of a tag': '"><svg onload=alert(1)>',
  'a form of its own': '</form><form action="https://evil.example"><button>Allow</button>',
  'a comment that is not closed': '<!-- ',
  'character references': '&lt;script&gt;&#x3c;script&#62;',
  'a base element': '<base href="https://evil.example/">',
  'a refresh': '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  'a null character': 'a\0<b>',
  'letters that case mapping makes smaller': '\u212A\uFF1Cscript\uFF1E<script>',
  'a lone surrogate': '\uD800<b>',
}

const withAccess = (changes: Partial<AppAccess>) =>
  accountPage({ ...ACCOUNT, apps: [{ ...APP, access: [{ ...ACCESS, ...changes }] }] })

const withConnections = (changes: Partial<AppConnection>, program = APP.program) => {
  const connections = [CONNECTION, { ...CONNECTION, ...changes }]
  return accountPage({ ...ACCOUNT, apps: [{ ...APP, program, connections }] })
}

const withToken = (changes: Partial<TokenView>) =>
  accountPage({
    ...ACCOUNT,
    sections: [tokenSection({ ...TOKENS, tokens: [{ ...TOKEN, ...changes }] }, 'form-token')],
  })

const withTokenForm = (changes: Partial<TokenFormView>) =>
  accountPage({
    ...ACCOUNT,
    sections: [tokenSection({ ...TOKENS, form: { ...TOKEN_FORM, ...changes } }, 'form-token')],
  })

const withKeyForm = (label: string, problem?: string) =>
  accountPage({ ...ACCOUNT, apiKey: { label, problem } })

/** Every visible field of every page. */
const SHOWN: Readonly<Record<string, (text: string) => Response>> = {
  'consent, client name': (clientName) => consentPage({ ...CONSENT, clientName }),
  'consent, client host': (clientHost) => consentPage({ ...CONSENT, clientHost }),
  'consent, redirect target': (redirectTarget) => consentPage({ ...CONSENT, redirectTarget }),
  'consent, redirect target of an app': (redirectTarget) =>
    consentPage({ ...CONSENT, redirectKind: 'app', redirectTarget }),
  'consent, redirect target on loopback': (redirectTarget) =>
    consentPage({ ...CONSENT, redirectKind: 'loopback', redirectTarget }),
  'consent, name of a scope': (name) =>
    consentPage({ ...CONSENT, scopes: [{ name, description: 'd' }] }),
  'consent, description of a scope': (description) =>
    consentPage({ ...CONSENT, scopes: [{ name: 'n', description }] }),
  'consent, server name': (serverName) => consentPage({ ...CONSENT, serverName }),
  'consent, resource': (resource) => consentPage({ ...CONSENT, resource }),
  'consent, person': (signedInAs) => consentPage({ ...CONSENT, signedInAs, login: undefined }),
  'consent, provider': (provider) => consentPage({ ...CONSENT, login: { provider } }),
  'consent, problem': (problem) => consentPage({ ...CONSENT, problem }),
  'consent, label of the API key': (apiKey) => consentPage({ ...CONSENT, login: { apiKey } }),
  'login, server name': (serverName) => loginPage({ ...LOGIN, serverName }),
  'login, provider': (provider) => loginPage({ ...LOGIN, login: { provider } }),
  'login, problem': (problem) => loginPage({ ...LOGIN, problem }),
  'account, server name': (serverName) => accountPage({ ...ACCOUNT, serverName }),
  'account, person': (name) => accountPage({ ...ACCOUNT, name }),
  'account, notice': (notice) => accountPage({ ...ACCOUNT, notice }),
  'account, client name': (name) => accountPage({ ...ACCOUNT, apps: [{ ...APP, name }] }),
  'account, client host': (host) => accountPage({ ...ACCOUNT, apps: [{ ...APP, host }] }),
  'account, scope of a connection': (scope) => withConnections({ scopes: [scope] }),
  'account, resource': (resource) => withAccess({ resource }),
  'account, scope': (text) => withAccess({ scopes: [{ name: text, description: text }] }),
  'account, label of the API key': (label) => withKeyForm(label),
  'account, problem with the API key': (problem) => withKeyForm('API key', problem),
  'account, name of a token': (name) => withToken({ name }),
  'account, resource of a token': (resource) => withToken({ resource }),
  'account, scope of a token': (scope) => withToken({ scopes: [scope] }),
  'account, problem with a token': (problem) => withTokenForm({ problem }),
  'account, description of a scope of a token': (description) =>
    withTokenForm({ scopes: [{ name: 'n', description }] }),
  'new token, name': (name) => newTokenPage({ ...NEW_TOKEN, name }),
  'new token, server name': (serverName) => newTokenPage({ ...NEW_TOKEN, serverName }),
  'message, title': (title) => messagePage({ ...MESSAGE, title }),
  'message, text': (message) => messagePage({ ...MESSAGE, message }),
}

/** Fields in attributes only. */
const HIDDEN: typeof SHOWN = {
  'consent, transaction': (transaction) => consentPage({ ...CONSENT, transaction }),
  'consent, form token': (csrf) => consentPage({ ...CONSENT, csrf }),
  'login, action': (action) => loginPage({ ...LOGIN, action }),
  'login, form token': (csrf) => loginPage({ ...LOGIN, csrf }),
  'account, token': (tokenId) => withToken({ tokenId }),
  'account, name in the form for a token': (name) =>
    withTokenForm({ draft: { ...TOKEN_FORM.draft, name } }),
  'account, resource in the form for a token': (resource) =>
    withTokenForm({ anyResource: true, draft: { ...TOKEN_FORM.draft, resource } }),
  'account, name of a scope of a token': (name) =>
    withTokenForm({ scopes: [{ name, description: 'd' }] }),
  'new token, token': (token) => newTokenPage({ ...NEW_TOKEN, token }),
  'account, client': (clientId) =>
    accountPage({ ...ACCOUNT, apps: [{ ...APP, connections: [{ ...CONNECTION, clientId }] }] }),
  'account, client of several': (clientId) => withConnections({ clientId }),
  'account, program': (program) => withConnections({}, program),
}

describe.each(Object.entries({ ...SHOWN, ...HIDDEN }))('the field %s', (_, show) => {
  it.each(Object.entries(HOSTILE))(
    'shows %s as text and adds no element or attribute',
    async (_, text) => {
      const harmless = shapeOf(await readPage(show('harmless')))
      expect(shapeOf(await readPage(show(text)))).toEqual(harmless)
    },
  )
})

describe.each(Object.entries(SHOWN))('the visible field %s', (_, show) => {
  it('cuts a text of ten thousand letters', async () => {
    const growth = (await show('x'.repeat(10_000)).text()).length - (await show('x').text()).length
    expect(growth).toBeLessThan(LARGEST)
  })

  it('removes characters that change the text direction', async () => {
    const page = await show('a\u202Eb\u2066c\u200Fd\u061Ce').text()
    expect(page.match(/\p{Bidi_Control}/gu)).toBeNull()
  })
})

/** A field is shown in up to three places, with at most 500 characters each. */
const LARGEST = 1500
