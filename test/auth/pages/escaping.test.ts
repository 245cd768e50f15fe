/** Whatever is displayed stays text, wherever it is displayed. */
import { describe, expect, it } from 'vitest'
import { createPages } from '../../../src/auth/pages/pages.ts'
import { readPage, shapeOf } from './read-page.ts'
import { ACCOUNT, APP, CONSENT, LOGIN, MESSAGE } from './sample-views.ts'

const pages = createPages()

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

/** Every field of every page that is shown. */
const SHOWN: Readonly<Record<string, (text: string) => Response>> = {
  'consent, client name': (clientName) => pages.consent({ ...CONSENT, clientName }),
  'consent, client host': (clientHost) => pages.consent({ ...CONSENT, clientHost }),
  'consent, redirect target': (redirectTarget) => pages.consent({ ...CONSENT, redirectTarget }),
  'consent, redirect target of an app': (redirectTarget) =>
    pages.consent({ ...CONSENT, redirectKind: 'app', redirectTarget }),
  'consent, redirect target on loopback': (redirectTarget) =>
    pages.consent({ ...CONSENT, redirectKind: 'loopback', redirectTarget }),
  'consent, name of a scope': (name) =>
    pages.consent({ ...CONSENT, scopes: [{ name, description: 'd' }] }),
  'consent, description of a scope': (description) =>
    pages.consent({ ...CONSENT, scopes: [{ name: 'n', description }] }),
  'consent, server name': (serverName) => pages.consent({ ...CONSENT, serverName }),
  'consent, resource': (resource) => pages.consent({ ...CONSENT, resource }),
  'consent, person': (signedInAs) => pages.consent({ ...CONSENT, signedInAs, login: undefined }),
  'consent, provider': (elsewhere) => pages.consent({ ...CONSENT, login: { elsewhere } }),
  'consent, problem': (problem) => pages.consent({ ...CONSENT, problem }),
  'login, server name': (serverName) => pages.login({ ...LOGIN, serverName }),
  'login, provider': (elsewhere) => pages.login({ ...LOGIN, login: { elsewhere } }),
  'login, problem': (problem) => pages.login({ ...LOGIN, problem }),
  'account, server name': (serverName) => pages.account({ ...ACCOUNT, serverName }),
  'account, person': (name) => pages.account({ ...ACCOUNT, name }),
  'account, notice': (notice) => pages.account({ ...ACCOUNT, notice }),
  'account, client name': (clientName) =>
    pages.account({ ...ACCOUNT, apps: [{ ...APP, clientName }] }),
  'account, client host': (clientHost) =>
    pages.account({ ...ACCOUNT, apps: [{ ...APP, clientHost }] }),
  'account, resource': (resource) => pages.account({ ...ACCOUNT, apps: [{ ...APP, resource }] }),
  'account, scope': (text) =>
    pages.account({
      ...ACCOUNT,
      apps: [{ ...APP, scopes: [{ name: text, description: text }] }],
    }),
  'message, title': (title) => pages.message({ ...MESSAGE, title }),
  'message, text': (message) => pages.message({ ...MESSAGE, message }),
}

/** Those that a page only carries. */
const CARRIED: typeof SHOWN = {
  'consent, transaction': (transaction) => pages.consent({ ...CONSENT, transaction }),
  'consent, form token': (csrf) => pages.consent({ ...CONSENT, csrf }),
  'consent, action': (action) => pages.consent({ ...CONSENT, action }),
  'login, form token': (csrf) => pages.login({ ...LOGIN, csrf }),
  'account, grant': (grantId) => pages.account({ ...ACCOUNT, apps: [{ ...APP, grantId }] }),
}

describe.each(Object.entries({ ...SHOWN, ...CARRIED }))('%s', (_, show) => {
  it.each(Object.entries(HOSTILE))('keeps %s as text', async (_, text) => {
    const harmless = shapeOf(await readPage(show('harmless')))
    expect(shapeOf(await readPage(show(text)))).toEqual(harmless)
  })
})

describe.each(Object.entries(SHOWN))('%s', (_, show) => {
  it('shows no more than a bounded part of ten thousand letters', async () => {
    const growth = (await show('x'.repeat(10_000)).text()).length - (await show('x').text()).length
    expect(growth).toBeLessThan(LARGEST)
  })

  it('shows no control that turns the direction of text', async () => {
    const page = await show('a\u202Eb\u2066c\u200Fd\u061Ce').text()
    expect(page.match(/\p{Bidi_Control}/gu)).toBeNull()
  })
})

/** Shown in up to three places, the longest of them 500 characters. */
const LARGEST = 1500
