/** Signing in with a passphrase. */
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

describe('who it is', () => {
  it('is told by the passphrase alone', async () => {
    expect(await TWO.verify('correct horse battery staple', ENV)).toEqual({
      subject: 'owner',
      name: 'owner',
      props: undefined,
    })
    expect((await TWO.verify('battery staple correct horse', ENV))?.subject).toBe('guest')
  })

  it.each([
    ['a wrong one', 'correct horse battery stable'],
    ['nothing', ''],
    ['the first part of one', 'correct horse'],
    ['one with a space behind it', 'correct horse battery staple '],
    ['one in other letters', 'Correct Horse Battery Staple'],
    ['the name of a person', 'owner'],
    ['the name of a secret', 'GUEST_PASSPHRASE'],
    ['what has never been set', 'undefined'],
  ])('is nobody with %s', async (_, typed) => {
    expect(await TWO.verify(typed, ENV)).toBeUndefined()
  })

  it('is nobody with the empty text where a secret is missing or empty', async () => {
    expect(await TWO.verify('', {})).toBeUndefined()
    expect(await TWO.verify('', { GUEST_PASSPHRASE: '' })).toBeUndefined()
    expect(await TWO.verify('', undefined)).toBeUndefined()
  })

  it('is the same however a keyboard writes the letters', async () => {
    const composed = passphrase({ people: { owner: 'caf\u00E9' } })
    const decomposed = passphrase({ people: { owner: 'cafe\u0301' } })
    for (const login of [composed, decomposed]) {
      expect((await login.verify('caf\u00E9', {}))?.subject).toBe('owner')
      expect((await login.verify('cafe\u0301', {}))?.subject).toBe('owner')
      expect(await login.verify('cafe', {})).toBeUndefined()
    }
  })

  it('takes a passphrase of 1,024 characters, and looks at no longer text', async () => {
    const login = passphrase({ people: { owner: 'x'.repeat(1024) } })
    expect((await login.verify('x'.repeat(1024), {}))?.subject).toBe('owner')
    const digest = vi.spyOn(crypto.subtle, 'digest')
    expect(await login.verify('x'.repeat(1025), {})).toBeUndefined()
    expect(digest).not.toHaveBeenCalled()
  })

  it('compares with everybody, whoever it is', async () => {
    const compare = vi.spyOn(crypto.subtle, 'timingSafeEqual')
    for (const typed of ['correct horse battery staple', 'battery staple correct horse', 'x']) {
      compare.mockClear()
      await TWO.verify(typed, ENV)
      expect(compare).toHaveBeenCalledTimes(2)
      expect(compare.mock.calls.every(([left]) => left.byteLength === 32)).toBe(true)
    }
  })

  it('compares with everybody where secrets are missing, too', async () => {
    const compare = vi.spyOn(crypto.subtle, 'timingSafeEqual')
    await TWO.verify('correct horse battery staple', {})
    expect(compare).toHaveBeenCalledTimes(2)
  })
})

describe('whether there is one to type', () => {
  it('is the secret EDGEWAY_PASSPHRASE of the owner by default', async () => {
    const login = passphrase()
    const env = { EDGEWAY_PASSPHRASE: 'open sesame' }
    expect(login.state(env, false)).toBe('ready')
    expect((await login.verify('open sesame', env))?.subject).toBe('owner')
    expect(await login.verify('open sesame', {})).toBeUndefined()
  })

  it.each([[{}], [{ EDGEWAY_PASSPHRASE: '' }], [{ EDGEWAY_PASSPHRASE: 1 }], [undefined], [null]])(
    'lets the owner in on a loopback host alone where it is not set: %j',
    (env) => {
      expect(passphrase().state(env, true)).toBe('open')
      expect(passphrase().state(env, false)).toBe('unset')
    },
  )

  it('asks for it on a loopback host too where it is set', () => {
    expect(passphrase().state({ EDGEWAY_PASSPHRASE: 'x' }, true)).toBe('ready')
    expect(TWO.state({}, true)).toBe('ready')
  })

  it('lets in the first person where none is set', () => {
    expect(TWO.owner).toEqual({ subject: 'owner', name: 'owner', props: undefined })
  })
})

describe('a configuration', () => {
  it.each([
    ['nobody', {}],
    ['an empty passphrase', { owner: '' }],
    ['one passphrase for two', { owner: 'same', guest: 'same' }],
    ['one passphrase for two, written in two ways', { owner: 'caf\u00E9', guest: 'cafe\u0301' }],
    ['a passphrase that cannot be typed', { owner: 'x'.repeat(1025) }],
    ['somebody without a name', { '': 'x' }],
    ['a name that is too long', { ['x'.repeat(256)]: 'x' }],
  ])('is refused with %s', (_, people) => {
    expect(() => passphrase({ people })).toThrow(TypeError)
  })

  it('is refused with one secret for two when it is used', async () => {
    const login = passphrase({ people: { owner: { secret: 'A' }, guest: { secret: 'B' } } })
    await expect(login.verify('same', { A: 'same', B: 'same' })).rejects.toThrow(
      'Two people must not have the same passphrase',
    )
  })
})
