/** The question whether an app may connect. */
import { describe, expect, it } from 'vitest'
import { consentPage } from '../../../src/auth/pages/consent-page.ts'
import type { ConsentView } from '../../../src/auth/pages/views.ts'
import { controlsOf, partsOf, readPage } from './read-page.ts'
import { CONSENT } from './sample-views.ts'

const show = (changes: Partial<ConsentView> = {}) =>
  readPage(consentPage({ ...CONSENT, ...changes }))

async function textOf(changes: Partial<ConsentView> = {}): Promise<string> {
  const main = (await show(changes)).find(({ tag }) => tag === 'main')
  return (main?.text ?? '').replace(/\s+/g, ' ')
}

const SIGNED_IN = { signedInAs: 'Ada', login: undefined }

describe('what it says', () => {
  it('names the app and the server first of all', async () => {
    const heading = (await show()).find(({ tag }) => tag === 'h1')
    expect(heading?.text).toBe('Claude wants to connect to Notes')
  })

  it('shows the host that speaks for an app', async () => {
    expect(await textOf()).toContain('App claude.ai')
    expect(await textOf()).not.toContain('Unverified')
  })

  it('says so where nobody speaks for it', async () => {
    expect(await textOf({ clientHost: undefined })).toContain(
      'Unverified: this name was chosen by whoever registered it',
    )
  })

  it('shows where the answer goes, and to what the app connects', async () => {
    const text = await textOf({ redirectTarget: 'chat.example.org' })
    expect(text).toContain('Your answer goes to chat.example.org')
    expect(text).toContain('Connects to https://mcp.example.com/mcp')
  })

  it('warns of a program on this computer', async () => {
    const text = await textOf({ redirectKind: 'loopback', redirectTarget: '127.0.0.1:33418' })
    expect(text).toContain('Your answer goes to this computer (127.0.0.1:33418)')
    expect(text).toContain(
      'Allow this only if you have just started it yourself Your answer goes to a program on this ' +
        'computer. Any program that runs here can ask in this way, under any name.',
    )
  })

  it('warns of an app on this device', async () => {
    const text = await textOf({ redirectKind: 'app', redirectTarget: 'cursor:' })
    expect(text).toContain('Your answer goes to an app on this device (cursor:)')
    expect(text).toContain(
      'Allow this only if you have just started it yourself Your answer goes to whichever app on ' +
        'this device opens addresses that begin with cursor:, and any app can ask in this way.',
    )
  })

  it('warns of nothing where the answer goes to a host', async () => {
    expect(await textOf()).not.toContain('Allow this only')
  })

  it('lists the scopes in words, each with its name', async () => {
    const items = (await show()).filter(({ tag }) => tag === 'li').map(({ text }) => text)
    expect(items).toEqual(['Read your notes read', 'Change your notes write'])
  })

  it('says so where no scope is asked for', async () => {
    expect(await textOf({ scopes: [] })).toContain('It asks for no particular permissions')
  })

  it('says what was wrong with the last try, to those who hear the page too', async () => {
    const elements = await show({ problem: 'That is not the passphrase' })
    const alert = elements.find(({ attributes }) => attributes.role === 'alert')
    expect(alert?.text).toBe('That is not the passphrase')
    const field = elements.find(({ attributes }) => attributes.name === 'passphrase')
    expect(field?.attributes).toMatchObject({
      'aria-invalid': 'true',
      'aria-describedby': alert?.attributes.id,
    })
  })

  it('says that signing in elsewhere comes next', async () => {
    expect(await textOf({ login: { elsewhere: 'GitHub' } })).toContain(
      'Next, you sign in with GitHub.',
    )
  })

  it('says that no passphrase is set', async () => {
    expect(await textOf({ login: 'open' })).toContain('pressing Allow signs you in as its owner')
  })
})

describe('its form', () => {
  it('allows with its first button, so that Enter in the field does', async () => {
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

  it('can be denied without a passphrase, and not allowed without one', async () => {
    const elements = await show()
    const deny = elements.find(({ attributes }) => attributes.value === 'deny')
    const allow = elements.find(({ attributes }) => attributes.value === 'approve')
    const field = elements.find(({ attributes }) => attributes.name === 'passphrase')
    expect(deny?.attributes).toHaveProperty('formnovalidate')
    expect(allow?.attributes).not.toHaveProperty('formnovalidate')
    expect(field?.attributes).toMatchObject({ required: '', autocomplete: 'current-password' })
  })

  it('has a label for its field', async () => {
    const elements = await show()
    const field = elements.find(({ attributes }) => attributes.name === 'passphrase')
    const label = elements.find(({ tag }) => tag === 'label')
    expect(label?.text).toBe('Passphrase')
    expect(label?.attributes.for).toBe(field?.attributes.id)
  })

  it.each([
    ['by whoever has signed in', SIGNED_IN],
    ['where one press signs in', { login: 'open' }],
    ['before signing in elsewhere', { login: { elsewhere: 'GitHub' } }],
  ] as const)('asks for no passphrase %s', async (_, changes) => {
    const [form = []] = partsOf(await show(changes), 'form')
    expect(controlsOf(form)).toEqual([
      'input hidden transaction sealed-transaction',
      'input hidden csrf form-token',
      'button submit decision approve "Allow"',
      'button submit decision deny "Deny"',
    ])
  })
})

describe('who has signed in', () => {
  it('is named, and can sign out by a form of its own, behind the other', async () => {
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

  it('is nobody at first', async () => {
    expect(partsOf(await show(), 'form')).toHaveLength(1)
    expect(await textOf()).not.toContain('Signed in')
  })
})
