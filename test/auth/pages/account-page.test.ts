/** The page of connected apps, the sign-in page, and message pages. */
import { describe, expect, it } from 'vitest'
import { accountPage } from '../../../src/auth/pages/account-page.ts'
import { loginPage } from '../../../src/auth/pages/login-page.ts'
import { messagePage } from '../../../src/auth/pages/message-page.ts'
import { controlsOf, type PageElement, partsOf, readPage } from './read-page.ts'
import { ACCESS, ACCOUNT, APP, LOGIN, MESSAGE } from './sample-views.ts'

const textOf = (elements: readonly PageElement[]) =>
  (elements.find(({ tag }) => tag === 'main')?.text ?? '').replace(/\s+/g, ' ').trim()

describe('the page of connected apps', () => {
  it('shows each app with its host, scopes, resource and dates', async () => {
    const [app = []] = partsOf(await readPage(accountPage(ACCOUNT)), 'section')
    expect(app[0]?.text.replace(/\s+/g, ' ').trim()).toBe(
      'Claude claude.ai Read your notes read Connected to https://mcp.example.com/mcp ' +
        'Since 1 November 2026 Last used 20 November 2026 Disconnect',
    )
  })

  it('marks the name of an app without a verified host as unverified', async () => {
    const apps = [{ ...APP, clientHost: undefined }]
    expect(textOf(await readPage(accountPage({ ...ACCOUNT, apps })))).toContain(
      'Claude Unverified name',
    )
  })

  it('has a form to disconnect each app and a form to sign out', async () => {
    const apps = [APP, { ...APP, clientId: 'client-2' }]
    const forms = partsOf(await readPage(accountPage({ ...ACCOUNT, apps })), 'form')
    expect(forms.map(([form]) => form?.attributes.action)).toEqual([
      '/account/disconnect',
      '/account/disconnect',
      '/logout',
    ])
    expect(forms.every(([form]) => form?.attributes.method === 'post')).toBe(true)
    expect(forms.map(controlsOf)).toEqual([
      [
        'input hidden client client-1',
        'input hidden csrf form-token',
        'button submit  "Disconnect"',
      ],
      [
        'input hidden client client-2',
        'input hidden csrf form-token',
        'button submit  "Disconnect"',
      ],
      ['input hidden csrf form-token', 'button submit  "Sign out"'],
    ])
  })

  it('has one entry for the clients of a program, each with its dates and its form', async () => {
    const later = { ...ACCESS, createdAt: ACCESS.createdAt + 86_400_000 }
    const again = { ...APP, clientId: 'client-2', access: [later] }
    const other = { ...APP, clientId: 'client-3', clientHost: undefined }
    const apps = [APP, other, again]
    const sections = partsOf(await readPage(accountPage({ ...ACCOUNT, apps })), 'section')
    expect(sections.map((section) => section.filter(({ tag }) => tag === 'h2').length)).toEqual([
      1, 1,
    ])
    const clients = sections.map((section) =>
      controlsOf(section).filter((control) => control.includes(' client ')),
    )
    expect(clients).toEqual([
      ['input hidden client client-1', 'input hidden client client-2'],
      ['input hidden client client-3'],
    ])
  })

  it('has one form for an app with access to two resources', async () => {
    const access = [ACCESS, { ...ACCESS, resource: 'https://mcp.example.com/other' }]
    const apps = [{ ...APP, access }]
    const [app = []] = partsOf(await readPage(accountPage({ ...ACCOUNT, apps })), 'section')
    expect(app.filter(({ tag }) => tag === 'dl')).toHaveLength(2)
    const targets = app.map(({ attributes }) => attributes.action).filter(Boolean)
    expect(targets).toEqual(['/account/disconnect', '/logout'])
  })

  it('describes each Disconnect button with the name and the date of its app for screen readers', async () => {
    const elements = await readPage(accountPage(ACCOUNT))
    const button = elements.find(({ tag, text }) => tag === 'button' && text === 'Disconnect')
    const ids = button?.attributes['aria-describedby']?.split(' ') ?? []
    const texts = ids.map((id) => elements.find(({ attributes }) => attributes.id === id)?.text)
    expect(texts).toEqual(['Claude', '1 November 2026'])
  })

  it('says that no app is connected when there is none', async () => {
    const elements = await readPage(accountPage({ ...ACCOUNT, apps: [] }))
    expect(textOf(elements)).toContain('No app is connected to your account.')
    expect(partsOf(elements, 'form')).toHaveLength(1)
  })

  it('shows a notice as a status message', async () => {
    const elements = await readPage(
      accountPage({ ...ACCOUNT, notice: 'The app was disconnected.' }),
    )
    const status = elements.find(({ attributes }) => attributes.role === 'status')
    expect(status?.text).toBe('The app was disconnected.')
  })
})

describe('the sign-in page', () => {
  it('has a form with a passphrase field', async () => {
    const [form = []] = partsOf(await readPage(loginPage(LOGIN)), 'form')
    expect(form[0]?.attributes).toEqual({ method: 'post', action: '/login' })
    expect(controlsOf(form)).toEqual([
      'input hidden transaction',
      'input hidden csrf form-token',
      'input password passphrase',
      'button submit  "Sign in"',
    ])
  })

  it('has a button without a passphrase field when no passphrase is set', async () => {
    const elements = await readPage(loginPage({ ...LOGIN, login: 'open' }))
    expect(controlsOf(elements)).not.toContain('input password passphrase')
    expect(textOf(elements)).toContain('On this computer, Sign in signs you in as the owner.')
  })

  it('has a button that names the upstream provider', async () => {
    const elements = await readPage(loginPage({ ...LOGIN, login: { provider: 'GitHub' } }))
    expect(controlsOf(elements)).toContain('button submit  "Continue with GitHub"')
  })
})

describe('a message page', () => {
  it('shows its title and its message', async () => {
    const elements = await readPage(messagePage(MESSAGE))
    expect(textOf(elements)).toBe(
      'This app cannot connect redirect_uri is not registered for this client',
    )
    expect(elements.find(({ tag }) => tag === 'title')?.text).toBe('This app cannot connect')
  })
})
