/** Sign-in with a passphrase. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { passphrase } from '../../../src/auth/login/passphrase.ts'

const TWO = passphrase({
  people: {
    owner: 'correct horse battery staple',
    guest: { secret: 'GUEST_PASSPHRASE' },
  },
})
const ENV = { GUEST_PASSPHRASE: 'battery staple correct horse' }

afterEach(() => vi.restoreAllMocks())

describe('passphrase().verify', () => {
  it('returns the person of the passphrase', async () => {
    expect(await TWO.verify('correct horse battery staple', ENV)).toEqual({
      subject: 'owner',
      name: 'owner',
      props: undefined,
    })
    expect((await TWO.verify('battery staple correct horse', ENV))?.subject).toBe('guest')
  })

  it.each([
    ['a wrong passphrase', 'correct horse battery stable'],
    ['an empty text', ''],
    ['the first part of a passphrase', 'correct horse'],
    ['a passphrase with a trailing space', 'correct horse battery staple '],
    ['a passphrase in another case', 'Correct Horse Battery Staple'],
    ['a subject', 'owner'],
    ['the name of a secret', 'GUEST_PASSPHRASE'],
    ['the text "undefined"', 'undefined'],
  ])('returns undefined for %s', async (_, entered) => {
    expect(await TWO.verify(entered, ENV)).toBeUndefined()
  })

  it('returns undefined for an empty text when a secret is missing or empty', async () => {
    expect(await TWO.verify('', {})).toBeUndefined()
    expect(await TWO.verify('', { GUEST_PASSPHRASE: '' })).toBeUndefined()
    expect(await TWO.verify('', undefined)).toBeUndefined()
  })

  it('accepts composed and decomposed Unicode letters alike', async () => {
    const composed = passphrase({ people: { owner: 'caf\u00E9' } })
    const decomposed = passphrase({ people: { owner: 'cafe\u0301' } })
    for (const login of [composed, decomposed]) {
      expect((await login.verify('caf\u00E9', {}))?.subject).toBe('owner')
      expect((await login.verify('cafe\u0301', {}))?.subject).toBe('owner')
      expect(await login.verify('cafe', {})).toBeUndefined()
    }
  })

  it('accepts a passphrase of 1,024 characters and does not digest a longer one', async () => {
    const login = passphrase({ people: { owner: 'x'.repeat(1024) } })
    expect((await login.verify('x'.repeat(1024), {}))?.subject).toBe('owner')
    const digest = vi.spyOn(crypto.subtle, 'digest')
    expect(await login.verify('x'.repeat(1025), {})).toBeUndefined()
    expect(digest).not.toHaveBeenCalled()
  })

  it('compares with the passphrase of every person', async () => {
    const compare = vi.spyOn(crypto.subtle, 'timingSafeEqual')
    for (const entered of ['correct horse battery staple', 'battery staple correct horse', 'x']) {
      compare.mockClear()
      await TWO.verify(entered, ENV)
      expect(compare).toHaveBeenCalledTimes(2)
      expect(compare.mock.calls.every(([left]) => left.byteLength === 32)).toBe(true)
    }
  })

  it('compares with every person also when a secret is missing', async () => {
    const compare = vi.spyOn(crypto.subtle, 'timingSafeEqual')
    await TWO.verify('correct horse battery staple', {})
    expect(compare).toHaveBeenCalledTimes(2)
  })
})

describe('passphrase().state', () => {
  it('is ready by default when the secret EDGEWAY_PASSPHRASE is set', async () => {
    const login = passphrase()
    const env = { EDGEWAY_PASSPHRASE: 'open sesame!' }
    expect(login.state(env, false)).toBe('ready')
    expect((await login.verify('open sesame!', env))?.subject).toBe('owner')
    expect(await login.verify('open sesame!', {})).toBeUndefined()
  })

  it.each([[{}], [{ EDGEWAY_PASSPHRASE: '' }], [{ EDGEWAY_PASSPHRASE: 1 }], [undefined], [null]])(
    'is open on a loopback host and unset on others with the environment %j',
    (env) => {
      expect(passphrase().state(env, true)).toBe('open')
      expect(passphrase().state(env, false)).toBe('unset')
    },
  )

  it('is ready on a loopback host when a passphrase is set', () => {
    expect(passphrase().state({ EDGEWAY_PASSPHRASE: 'x' }, true)).toBe('ready')
    expect(TWO.state({}, true)).toBe('ready')
  })
})

describe('passphrase().state on a host that is not loopback', () => {
  const stateOf = (people: Record<string, string>) => passphrase({ people }).state({}, false)
  const LONG = 'x'.repeat(12)

  it.each([
    ['11 characters', 'x'.repeat(11)],
    ['11 characters of two UTF-16 code units', '\u{1f512}'.repeat(11)],
    ['12 code points that are 11 composed characters', `${'x'.repeat(10)}e\u0301`],
    ['one character', 'x'],
  ])('is too-short with a passphrase of %s', (_, text) => {
    expect(stateOf({ owner: text })).toBe('too-short')
    expect(stateOf({ owner: LONG, guest: text })).toBe('too-short')
  })

  it('is ready when every passphrase has 12 characters', () => {
    expect(stateOf({ owner: LONG, guest: '\u{1f512}'.repeat(12) })).toBe('ready')
  })
})

describe('passphrase().owner', () => {
  it('is the first person', () => {
    expect(TWO.owner).toEqual({ subject: 'owner', name: 'owner', props: undefined })
  })
})

describe('passphrase()', () => {
  it.each([
    ['no people', {}],
    ['an empty passphrase', { owner: '' }],
    ['one passphrase for two people', { owner: 'same', guest: 'same' }],
    ['one passphrase for two people in two spellings', { owner: 'caf\u00E9', guest: 'cafe\u0301' }],
    ['a passphrase of 1,025 characters', { owner: 'x'.repeat(1025) }],
    ['an empty subject', { '': 'x' }],
    ['a subject of 256 characters', { ['x'.repeat(256)]: 'x' }],
  ])('throws a TypeError for %s', (_, people) => {
    expect(() => passphrase({ people })).toThrow(TypeError)
  })

  it('throws from a sign-in when two people share a passphrase of the environment', async () => {
    const login = passphrase({ people: { owner: { secret: 'A' }, guest: { secret: 'B' } } })
    await expect(login.verify('same', { A: 'same', B: 'same' })).rejects.toThrow(
      'Two people must not have the same passphrase',
    )
  })
})
