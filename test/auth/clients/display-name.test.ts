/** The names of clients as pages show them. */
import { describe, expect, it } from 'vitest'
import { createRedirectPolicy } from '../../../src/auth/clients/redirect-policy.ts'
import { checkRegistration } from '../../../src/auth/clients/registration.ts'

const policy = createRedirectPolicy()

const accept = (rest: object) =>
  checkRegistration({ redirect_uris: ['https://a.example/cb'], ...rest }, policy, {})

describe('displayName returns', () => {
  it.each([
    ['Claude', 'Claude'],
    ['  Claude\t\r\n Code  ', 'Claude Code'],
    [
      'Café \u4f60\u597d \u0645\u0631\u062d\u0628\u0627',
      'Café \u4f60\u597d \u0645\u0631\u062d\u0628\u0627',
    ],
    ['Cafe\u0301', 'Café'],
    ['\u202eedualC', 'edualC'],
    ['Cl\u200bau\u2066de\u2069', 'Claude'],
    ['Claude\u0000\u001b[31m', 'Claude[31m'],
    ['Claude\u2028by\u2029us', 'Claude by us'],
    ['\ud800Claude', '\ufffdClaude'],
    ['Claude\u{e0041}\u{e0042}', 'Claude'],
    ['\u3164\u2800Claude\u115f', 'Claude'],
    ['Cla\u0335\u0336\u0337\u0338\u0334ude', 'Cla\u0335\u0336ude'],
    ['<b>Claude</b>', '<b>Claude</b>'],
    ['x'.repeat(101), 'x'.repeat(100)],
    ['\u{1f600}'.repeat(101), '\u{1f600}'.repeat(100)],
    [`${'x'.repeat(99)} y`, 'x'.repeat(99)],
    ['', undefined],
    ['   ', undefined],
    ['\u200b\u3164\u2800', undefined],
    ['\u0301\u0301', undefined],
    ['...', undefined],
  ])('for %j the name %j', (client_name, name) => {
    expect(accept({ client_name }).name).toBe(name)
  })

  it('undefined quickly for very long text without a visible character', () => {
    expect(accept({ client_name: '\u0301'.repeat(60_000) }).name).toBeUndefined()
    expect(accept({ client_name: ' '.repeat(60_000) }).name).toBeUndefined()
  })
})
