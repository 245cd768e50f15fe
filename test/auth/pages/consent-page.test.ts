/** The consent page. */
import { describe, expect, it } from 'vitest'
import { consentPage } from '../../../src/auth/pages/consent-page.ts'
import type { ConsentView } from '../../../src/auth/pages/views.ts'
import { verifies } from '../../support/verifies.ts'
import { controlsOf, type PageElement, partsOf, readPage } from './read-page.ts'
import { CONSENT } from './sample-views.ts'

const show = (changes: Partial<ConsentView> = {}) =>
  readPage(consentPage({ ...CONSENT, ...changes }))
const named = (elements: readonly PageElement[], name: string) =>
  elements.find(({ attributes }) => attributes.name === name)

async function textOf(changes: Partial<ConsentView> = {}): Promise<string> {
  const main = (await show(changes)).find(({ tag }) => tag === 'main')
  return (main?.text ?? '').replace(/\s+/g, ' ')
}

const SIGNED_IN = { signedInAs: 'Ada', login: undefined }
const GITHUB = { login: { provider: 'GitHub' } }
const WARNING = 'Allow this only if you have just started it yourself'
const UNVERIFIED = 'Unverified: the app chose this name itself'

describe('the consent page', () => {
  it('names the app and the server in its heading', async () => {
    verifies('authorization-security-practices/consent-page-names-client')
    const heading = (await show()).find(({ tag }) => tag === 'h1')
    expect(heading?.text).toBe('Claude wants to connect to Notes')
  })

  it.each<[string, Partial<ConsentView>, string]>([
    ['the verified host of an app', {}, 'App claude.ai'],
    ['that an app has no verified host', { clientHost: undefined }, UNVERIFIED],
    ['where the answer is sent', { redirectTarget: 'b.example' }, 'Your answer goes to b.example'],
    ['which resource the app connects to', {}, 'Connects to https://mcp.example.com/mcp'],
    [
      'a warning when the answer goes to a program on this computer',
      { redirectKind: 'loopback', redirectTarget: '127.0.0.1:33418' },
      `${WARNING} Your answer goes to a program on this computer. Any program on it can send this request under any name.`,
    ],
    [
      'which program that is',
      { redirectKind: 'loopback', redirectTarget: '127.0.0.1:33418' },
      'Your answer goes to this computer (127.0.0.1:33418)',
    ],
    [
      'a warning when the answer goes to an app on this device',
      { redirectKind: 'app', redirectTarget: 'cursor:' },
      `${WARNING} Your answer goes to the app on this device that opens addresses starting with cursor:. This server cannot check which app that is, and any app on it can send this request.`,
    ],
    [
      'which app that is',
      { redirectKind: 'app', redirectTarget: 'cursor:' },
      'Your answer goes to an app on this device (cursor:)',
    ],
    ['that there is no scope', { scopes: [] }, 'It requests no specific permissions'],
    ['the upstream provider', GITHUB, 'Next, you sign in with GitHub.'],
    [
      'that the button signs in',
      { login: 'open' },
      'On this computer, Allow signs you in as the owner.',
    ],
    ['who is signed in', SIGNED_IN, 'Signed in as Ada'],
  ])('shows %s', async (_, changes, text) => {
    expect(await textOf(changes)).toContain(text)
  })

  it('shows neither a warning nor a name where there is no reason for it', async () => {
    expect(await textOf()).not.toMatch(/Allow this only|Unverified|Signed in/)
  })

  it('lists each requested scope with its description and its name', async () => {
    verifies('authorization-security-practices/consent-page-lists-scopes')
    const items = (await show()).filter(({ tag }) => tag === 'li').map(({ text }) => text)
    expect(items).toEqual(['Read your notes read', 'Change your notes write'])
  })

  it('shows the error of the last attempt, also to screen readers', async () => {
    const elements = await show({ problem: 'The passphrase is wrong.' })
    const alert = elements.find(({ attributes }) => attributes.role === 'alert')
    expect(alert?.text).toBe('The passphrase is wrong.')
    expect(named(elements, 'passphrase')?.attributes).toMatchObject({
      'aria-invalid': 'true',
      'aria-describedby': alert?.attributes.id,
    })
  })
})

describe('the consent form', () => {
  const BUTTONS = ['button submit decision approve "Allow"', 'button submit decision deny "Deny"']
  const HIDDEN = ['input hidden transaction sealed-transaction', 'input hidden csrf form-token']

  it.each<[string, Partial<ConsentView>, readonly string[]]>([
    ['a passphrase field', {}, ['input password passphrase']],
    ['no field when a person is signed in', SIGNED_IN, []],
    ['no field when the button alone signs in', { login: 'open' }, []],
    ['no field when the sign-in follows at a provider', GITHUB, []],
    [
      ...(['a box'] as const),
      { ...SIGNED_IN, needsConfirmation: true },
      ['input checkbox confirmed yes'],
    ],
  ])('has %s before Allow, which the Enter key activates', async (_, changes, fields) => {
    const [form = []] = partsOf(await show(changes), 'form')
    expect(form[0]?.attributes).toEqual({ method: 'post', action: '/authorize/decision' })
    expect(controlsOf(form)).toEqual([...HIDDEN, ...fields, ...BUTTONS])
  })

  it('requires the passphrase, which has a label, to allow and not to deny', async () => {
    const elements = await show()
    const button = (wanted: string) =>
      elements.find(({ attributes }) => attributes.value === wanted)
    expect(button('deny')?.attributes).toHaveProperty('formnovalidate')
    expect(button('approve')?.attributes).not.toHaveProperty('formnovalidate')
    const field = named(elements, 'passphrase')
    expect(field?.attributes).toMatchObject({ required: '', autocomplete: 'current-password' })
    const label = elements.find(({ tag }) => tag === 'label')
    expect([label?.text, label?.attributes.for]).toEqual(['Passphrase', field?.attributes.id])
  })

  it('requires its box, which has a label and is not ticked', async () => {
    const elements = await show({ ...SIGNED_IN, needsConfirmation: true })
    const box = named(elements, 'confirmed')
    expect(box?.attributes).toHaveProperty('required')
    expect(box?.attributes).not.toHaveProperty('checked')
    const label = elements.find(({ tag }) => tag === 'label')
    expect(label?.text.trim()).toBe('I started this connection, and I trust this app')
  })

  it('stands beside a separate sign-out form for a signed-in person alone', async () => {
    const [, signOut = [], ...others] = partsOf(await show(SIGNED_IN), 'form')
    expect(others).toEqual([])
    expect(signOut[0]?.attributes).toMatchObject({ method: 'post', action: '/logout' })
    expect(controlsOf(signOut)).toEqual([...HIDDEN.toReversed(), 'button submit  "Sign out"'])
    expect(partsOf(await show(), 'form')).toHaveLength(1)
  })
})
