/** The page of connected apps, the sign-in page, and message pages. */
import { describe, expect, it } from 'vitest'
import { accountPage } from '../../../src/auth/pages/account-page.ts'
import { loginPage } from '../../../src/auth/pages/login-page.ts'
import { messagePage } from '../../../src/auth/pages/message-page.ts'
import { controlsOf, type PageElement, partsOf, readPage } from './read-page.ts'
import { ACCESS, ACCOUNT, APP, CONNECTION, LOGIN, MESSAGE } from './sample-views.ts'

const textOf = (elements: readonly PageElement[]) =>
  (elements.find(({ tag }) => tag === 'main')?.text ?? '').replace(/\s+/g, ' ').trim()

describe('the page of connected apps', () => {
  it('shows each app with its host, scopes, resource and times', async () => {
    const [app = []] = partsOf(await readPage(accountPage(ACCOUNT)), 'section')
    expect(app[0]?.text.replace(/\s+/g, ' ').trim()).toBe(
      'Claude claude.ai Read your notes read Connected to https://mcp.example.com/mcp ' +
        'Since 1 Nov 2026, 12:00 UTC Last used 20 Nov 2026, 23:59 UTC Disconnect',
    )
  })

  it('marks the name of an app without a verified host as unverified', async () => {
    const apps = [{ ...APP, host: undefined }]
    expect(textOf(await readPage(accountPage({ ...ACCOUNT, apps })))).toContain(
      'Claude Unverified name',
    )
  })

  it('has a form to disconnect each app and a form to sign out', async () => {
    const connections = [{ ...CONNECTION, clientId: 'client-2' }]
    const apps = [APP, { ...APP, connections }]
    const forms = partsOf(await readPage(accountPage({ ...ACCOUNT, apps })), 'form')
    expect(forms.map(([form]) => form?.attributes.action)).toEqual([
      '/account/disconnect',
      '/account/disconnect',
      '/logout',
    ])
    expect(forms.every(([form]) => form?.attributes.method === 'post')).toBe(true)
    const csrf = 'input hidden csrf form-token'
    expect(forms.map(controlsOf)).toEqual([
      [csrf, 'input hidden client client-1', 'button submit  "Disconnect"'],
      [csrf, 'input hidden client client-2', 'button submit  "Disconnect"'],
      [csrf, 'button submit  "Sign out"'],
    ])
  })

  it('has a button for each connection of a program, and one for all', async () => {
    const second = { ...CONNECTION, clientId: 'client-2', scopes: ['read', 'write'] }
    const apps = [{ ...APP, connections: [CONNECTION, second] }]
    const [app = []] = partsOf(await readPage(accountPage({ ...ACCOUNT, apps })), 'section')
    expect(controlsOf(app).slice(0, 4)).toEqual([
      'input hidden csrf form-token',
      'button client client-1 "Disconnect"',
      'button client client-2 "Disconnect"',
      'button program [&quot;Claude&quot;,&quot;claude.ai&quot;] "Disconnect all"',
    ])
    const items = app.filter(({ tag, attributes }) => tag === 'li' && attributes.class === 'row')
    expect(items.map(({ text }) => text.replace(/\s+/g, ' ').trim())).toEqual([
      '1 Nov 2026, 12:00 UTC Last used 20 Nov 2026, 23:59 UTC read Disconnect',
      '1 Nov 2026, 12:00 UTC Last used 20 Nov 2026, 23:59 UTC read write Disconnect',
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

  it('describes each Disconnect button with the name or the time of what it ends for screen readers', async () => {
    const describedBy = async (apps: readonly (typeof APP)[]) => {
      const elements = await readPage(accountPage({ ...ACCOUNT, apps }))
      const buttons = elements.filter(({ tag, text }) => tag === 'button' && /^Disc/.test(text))
      const ids = buttons.map(({ attributes }) => attributes['aria-describedby'])
      return ids.map((id) => elements.find(({ attributes }) => attributes.id === id)?.text)
    }
    expect(await describedBy([APP])).toEqual(['Claude'])
    const connections = [CONNECTION, CONNECTION]
    expect(await describedBy([{ ...APP, connections }])).toEqual([
      '1 Nov 2026, 12:00 UTC',
      '1 Nov 2026, 12:00 UTC',
      'Claude',
    ])
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
  const HIDDEN = ['input hidden transaction', 'input hidden csrf form-token']
  it.each<[string, readonly string[], Partial<typeof LOGIN>]>([
    ['a passphrase field', ['input password passphrase', 'button submit  "Sign in"'], {}],
    ['a button alone when no passphrase is set', ['button submit  "Sign in"'], { login: 'open' }],
    [
      ...(['a button that names the upstream provider'] as const),
      ['button submit  "Continue with GitHub"'],
      { login: { provider: 'GitHub' } },
    ],
  ])('has a form with %s', async (_, controls, changes) => {
    const elements = await readPage(loginPage({ ...LOGIN, ...changes }))
    const [form = []] = partsOf(elements, 'form')
    expect(form[0]?.attributes).toEqual({ method: 'post', action: '/login' })
    expect(controlsOf(form)).toEqual([...HIDDEN, ...controls])
    const isOpen = textOf(elements).includes('On this computer, Sign in signs you in as the owner.')
    expect(isOpen).toBe(changes.login === 'open')
  })
})

it('a message page shows its title and its message', async () => {
  const elements = await readPage(messagePage(MESSAGE))
  expect(textOf(elements)).toBe(
    'This app cannot connect redirect_uri is not registered for this client',
  )
  expect(elements.find(({ tag }) => tag === 'title')?.text).toBe('This app cannot connect')
})
