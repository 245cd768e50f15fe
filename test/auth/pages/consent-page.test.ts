/** The consent page. */
import { describe, expect, it } from 'vitest'
import { consentPage } from '../../../src/auth/pages/consent-page.ts'
import type { ConsentView } from '../../../src/auth/pages/views.ts'
import { verifies } from '../../support/verifies.ts'
import { controlsOf, partsOf, readPage } from './read-page.ts'
import { CONSENT } from './sample-views.ts'

const show = (changes: Partial<ConsentView> = {}) =>
  readPage(consentPage({ ...CONSENT, ...changes }))

async function textOf(changes: Partial<ConsentView> = {}): Promise<string> {
  const main = (await show(changes)).find(({ tag }) => tag === 'main')
  return (main?.text ?? '').replace(/\s+/g, ' ')
}

const SIGNED_IN = { signedInAs: 'Ada', login: undefined }

describe('the consent page', () => {
  it('names the app and the server in its heading', async () => {
    verifies('authorization-security-practices/consent-page-names-client')
    const heading = (await show()).find(({ tag }) => tag === 'h1')
    expect(heading?.text).toBe('Claude wants to connect to Notes')
  })

  it('shows the verified host of an app', async () => {
    expect(await textOf()).toContain('App claude.ai')
    expect(await textOf()).not.toContain('Unverified')
  })

  it('marks an app without a verified host as unverified', async () => {
    expect(await textOf({ clientHost: undefined })).toContain(
      'Unverified: the app chose this name itself',
    )
  })

  it('shows where the answer is sent and which resource the app connects to', async () => {
    const text = await textOf({ redirectTarget: 'chat.example.org' })
    expect(text).toContain('Your answer goes to chat.example.org')
    expect(text).toContain('Connects to https://mcp.example.com/mcp')
  })

  it('warns when the answer goes to a program on this computer', async () => {
    const text = await textOf({ redirectKind: 'loopback', redirectTarget: '127.0.0.1:33418' })
    expect(text).toContain('Your answer goes to this computer (127.0.0.1:33418)')
    expect(text).toContain(
      'Allow this only if you have just started it yourself Your answer goes to a program on this ' +
        'computer. Any program on it can send this request under any name.',
    )
  })

  it('warns when the answer goes to an app on this device', async () => {
    const text = await textOf({ redirectKind: 'app', redirectTarget: 'cursor:' })
    expect(text).toContain('Your answer goes to an app on this device (cursor:)')
    expect(text).toContain(
      'Allow this only if you have just started it yourself Your answer goes to the app on this ' +
        'device that opens addresses starting with cursor:. This server cannot check which app that ' +
        'is, and any app on it can send this request.',
    )
  })

  it('shows no warning when the answer goes to an https host', async () => {
    expect(await textOf()).not.toContain('Allow this only')
  })

  it('lists each requested scope with its description and its name', async () => {
    verifies('authorization-security-practices/consent-page-lists-scopes')
    const items = (await show()).filter(({ tag }) => tag === 'li').map(({ text }) => text)
    expect(items).toEqual(['Read your notes read', 'Change your notes write'])
  })

  it('says that no permission is requested when there is no scope', async () => {
    expect(await textOf({ scopes: [] })).toContain('It requests no specific permissions')
  })

  it('shows the error of the last attempt, also to screen readers', async () => {
    const elements = await show({ problem: 'The passphrase is wrong.' })
    const alert = elements.find(({ attributes }) => attributes.role === 'alert')
    expect(alert?.text).toBe('The passphrase is wrong.')
    const field = elements.find(({ attributes }) => attributes.name === 'passphrase')
    expect(field?.attributes).toMatchObject({
      'aria-invalid': 'true',
      'aria-describedby': alert?.attributes.id,
    })
  })

  it('announces the sign-in with the upstream provider', async () => {
    expect(await textOf({ login: { provider: 'GitHub' } })).toContain(
      'Next, you sign in with GitHub.',
    )
  })

  it('says that no passphrase is set when the button alone signs in', async () => {
    expect(await textOf({ login: 'open' })).toContain(
      'On this computer, Allow signs you in as the owner.',
    )
  })
})

describe('the consent form', () => {
  it('has Allow as its first button, which the Enter key activates', async () => {
    const [form = []] = partsOf(await show(), 'form')
    expect(form[0]?.attributes).toEqual({ method: 'post', action: '/authorize/decision' })
    expect(controlsOf(form)).toEqual([
      'input hidden transaction sealed-transaction',
      'input hidden csrf form-token',
      'input password passphrase',
      'button submit decision approve "Allow"',
      'button submit decision deny "Deny"',
    ])
  })

  it('requires the passphrase to allow and not to deny', async () => {
    const elements = await show()
    const deny = elements.find(({ attributes }) => attributes.value === 'deny')
    const allow = elements.find(({ attributes }) => attributes.value === 'approve')
    const field = elements.find(({ attributes }) => attributes.name === 'passphrase')
    expect(deny?.attributes).toHaveProperty('formnovalidate')
    expect(allow?.attributes).not.toHaveProperty('formnovalidate')
    expect(field?.attributes).toMatchObject({ required: '', autocomplete: 'current-password' })
  })

  it('labels the passphrase field', async () => {
    const elements = await show()
    const field = elements.find(({ attributes }) => attributes.name === 'passphrase')
    const label = elements.find(({ tag }) => tag === 'label')
    expect(label?.text).toBe('Passphrase')
    expect(label?.attributes.for).toBe(field?.attributes.id)
  })

  it.each([
    ['a person is signed in', SIGNED_IN],
    ['the button alone signs in', { login: 'open' }],
    ['the sign-in follows at a provider', { login: { provider: 'GitHub' } }],
  ] as const)('has no passphrase field when %s', async (_, changes) => {
    const [form = []] = partsOf(await show(changes), 'form')
    expect(controlsOf(form)).toEqual([
      'input hidden transaction sealed-transaction',
      'input hidden csrf form-token',
      'button submit decision approve "Allow"',
      'button submit decision deny "Deny"',
    ])
  })
})

describe('the box of the consent form', () => {
  const confirming = { ...SIGNED_IN, needsConfirmation: true }

  it('stands before the buttons and is required', async () => {
    const elements = await show(confirming)
    const [form = []] = partsOf(elements, 'form')
    expect(controlsOf(form)).toEqual([
      'input hidden transaction sealed-transaction',
      'input hidden csrf form-token',
      'input checkbox confirmed yes',
      'button submit decision approve "Allow"',
      'button submit decision deny "Deny"',
    ])
    const box = elements.find(({ attributes }) => attributes.name === 'confirmed')
    expect(box?.attributes).toHaveProperty('required')
    expect(box?.attributes).not.toHaveProperty('checked')
  })

  it('has a label', async () => {
    const label = (await show(confirming)).find(({ tag }) => tag === 'label')
    expect(label?.text.trim()).toBe('I started this connection, and I trust this app')
  })
})

describe('the signed-in person on the consent page', () => {
  it('is named beside a separate sign-out form', async () => {
    const forms = partsOf(await show(SIGNED_IN), 'form')
    const [, signOut = []] = forms
    expect(forms).toHaveLength(2)
    expect(signOut[0]?.attributes).toMatchObject({ method: 'post', action: '/logout' })
    expect(controlsOf(signOut)).toEqual([
      'input hidden csrf form-token',
      'input hidden transaction sealed-transaction',
      'button submit  "Sign out"',
    ])
    expect(await textOf(SIGNED_IN)).toContain('Signed in as Ada')
  })

  it('is not shown before a sign-in', async () => {
    expect(partsOf(await show(), 'form')).toHaveLength(1)
    expect(await textOf()).not.toContain('Signed in')
  })
})
