/** The sealer: its calls of the keyring object, the rotation of keys, and the setting of secrets. */
import { runDurableObjectAlarm } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import { createSealer } from '../../../durable-objects/keyring/sealer.ts'
import type { SealPurpose } from '../../../src/ports/sealer.ts'
import { testSealer } from '../../support/objects.ts'
import { DAY_MS, fakeObjects, HOUR_MS, NOON, openKeyring, useFakeClock } from './keyring.ts'

const plaintext = new TextEncoder().encode('a plaintext')
const BODY = 'A'.repeat(64)
const secretOf = () => crypto.randomUUID()

it('a sealer calls the objects of the binding', async () => {
  const sealer = testSealer()
  const sealed = await sealer.seal('session-id/1', plaintext, 'context')
  expect(await sealer.open('session-id/1', sealed, 'context')).toEqual(plaintext)
  const name = crypto.randomUUID()
  expect(await sealer.redeem(name, Date.now() + HOUR_MS)).toBe(true)
  expect(await sealer.redeem(name, Date.now() + HOUR_MS)).toBe(false)
})

describe('a sealer with the keyring: calls of the object', () => {
  it('does not call it for text that has not the form of a seal', async () => {
    const { objects, calls } = openKeyring()
    const sealer = createSealer(objects, undefined)
    for (const text of ['', 'x', `2AAAAAAAA.${BODY}`, `1AAAAAAA.A${BODY}`, 'A'.repeat(500_000)]) {
      expect(await sealer.open('session-id/1', text, 'c')).toBeUndefined()
    }
    expect(calls.keys).toBe(0)
  })

  it('does not call it for forged and foreign key ids', async () => {
    const { objects, calls } = openKeyring()
    const sealer = createSealer(objects, undefined)
    await sealer.seal('session-id/1', plaintext, 'c')
    const foreign = await createSealer(openKeyring().objects, undefined).seal(
      'session-id/1',
      plaintext,
      'c',
    )
    const ofSecret = await createSealer({}, secretOf()).seal('session-id/1', plaintext, 'c')
    for (const text of [foreign, ofSecret]) {
      expect(await sealer.open('session-id/1', text, 'c')).toBeUndefined()
    }
    for (let count = 0; count < 500; count += 1) {
      const id = crypto.randomUUID().slice(0, 8)
      expect(await sealer.open('session-id/1', `1${id}.${BODY}`, 'c')).toBeUndefined()
    }
    expect(calls).toMatchObject({ keys: 1, redeem: 0 })
  })

  it('spreads redeemed names over 16 shards', async () => {
    const names = new Set<string>()
    const redeem = async () => true
    const redeemed = fakeObjects<{ redeem: typeof redeem }>({ redeem }, (key) => names.add(key))
    const sealer = createSealer({ redeemed }, undefined)
    for (let count = 0; count < 400; count += 1) await sealer.redeem(crypto.randomUUID(), 1)
    expect([...names].sort()).toEqual(
      [0, 1, 10, 11, 12, 13, 14, 15, 2, 3, 4, 5, 6, 7, 8, 9].map(String),
    )
  })
})

describe('a sealer with the keyring: rotation', () => {
  useFakeClock()
  const keyOf = (sealed: string) => sealed.slice(1, 9)

  it('a new key seals from its time of use, and seals of the old key open for 91 days more', async () => {
    const { objects, keyring } = openKeyring()
    const sealer = createSealer(objects, undefined)
    const old = await sealer.seal('client-id/1', plaintext, 'c')

    vi.setSystemTime(NOON + 29 * DAY_MS)
    await runDurableObjectAlarm(keyring)
    const last = await sealer.seal('client-id/1', plaintext, 'c')
    expect(keyOf(last)).toBe(keyOf(old))

    vi.setSystemTime(NOON + 30 * DAY_MS)
    const next = await sealer.seal('client-id/1', plaintext, 'c')
    expect(keyOf(next)).not.toBe(keyOf(old))
    expect(await sealer.open('client-id/1', old, 'c')).toEqual(plaintext)
    expect(await sealer.open('client-id/1', next, 'c')).toEqual(plaintext)

    vi.setSystemTime(NOON + 121 * DAY_MS - 1)
    expect(await sealer.open('client-id/1', old, 'c')).toEqual(plaintext)
    // The isolate refuses the key by its cached list, which still contains it.
    vi.setSystemTime(NOON + 121 * DAY_MS)
    expect(await sealer.open('client-id/1', old, 'c')).toBeUndefined()
    expect(await createSealer(objects, undefined).open('client-id/1', old, 'c')).toBeUndefined()
    expect(await sealer.open('client-id/1', next, 'c')).toEqual(plaintext)
  })

  it('an isolate knows a key before another isolate seals with it', async () => {
    const { objects, calls } = openKeyring()
    const outdated = createSealer(objects, undefined)
    await outdated.seal('session-id/1', plaintext, 'c')
    vi.setSystemTime(NOON + 30 * DAY_MS - HOUR_MS + 1)
    await outdated.seal('session-id/1', plaintext, 'c')
    const usedFrom = (await objects.keyring.named('').keys())[1]?.usedFrom ?? 0
    const before = calls.keys

    vi.setSystemTime(usedFrom - HOUR_MS + 1)
    await outdated.seal('session-id/1', plaintext, 'c')
    vi.setSystemTime(usedFrom)
    const sealed = await createSealer(objects, undefined).seal('session-id/1', plaintext, 'c')
    const after = calls.keys
    expect(await outdated.open('session-id/1', sealed, 'c')).toEqual(plaintext)
    expect(calls.keys).toBe(after)
    expect(after - before).toBe(2)
  })
})

describe('a deterministic seal', () => {
  const bytes = new Uint8Array(32).fill(7)
  const secret = 'frozen-secret-frozen-secret-frozen'

  it('has the same text in every isolate', async () => {
    for (let isolate = 0; isolate < 2; isolate++) {
      const sealer = createSealer({}, secret)
      const sealed = await sealer.seal('refresh-token/1', bytes, 'c', { deterministic: true })
      expect(sealed).toBe(
        '1envis6s9.KOHNDElokAvlHlJUlQtCW8zaX3RM0TUfCFHLV5C_ilybq0O4BuB66UlFO6WpxMIQHcGWIVFZEmHDiImA',
      )
    }
  })

  it('has another text under another key', async () => {
    const { objects, keyring } = openKeyring()
    vi.useFakeTimers({ toFake: ['Date'], now: NOON })
    const sealer = createSealer(objects, undefined)
    const seal = () => sealer.seal('refresh-token/1', bytes, 'c', { deterministic: true })
    const before = await seal()
    vi.setSystemTime(NOON + 29 * DAY_MS)
    await runDurableObjectAlarm(keyring)
    expect(await seal()).toBe(before)
    vi.setSystemTime(NOON + 30 * DAY_MS)
    const after = await seal()
    expect(after).not.toBe(before)
    for (const sealed of [before, after]) {
      expect(await sealer.open('refresh-token/1', sealed, 'c')).toEqual(bytes)
    }
    vi.useRealTimers()
  })
})

describe('a sealer with a secret: the setting', () => {
  const [older, newer] = [secretOf(), secretOf()]

  it('calls no keyring object, and a shard of redeemed names only to redeem one', async () => {
    const { objects, calls } = openKeyring()
    const sealer = createSealer(objects, secretOf())
    const sealed = await sealer.seal('session-id/1', plaintext, 'c')
    expect(await sealer.open('session-id/1', sealed, 'c')).toEqual(plaintext)
    expect(await sealer.open('session-id/1', `1AAAAAAAA.${BODY}`, 'c')).toBeUndefined()
    expect(calls).toMatchObject({ keys: 0, redeem: 0 })
    expect(sealed).toMatch(/^1env[A-Za-z0-9_-]{5}\./)
    await sealer.redeem('name', Date.now() + HOUR_MS)
    expect(calls).toMatchObject({ keys: 0, redeem: 1 })
  })

  it('opens seals of another isolate with the same secret', async () => {
    const sealed = await createSealer({}, older).seal('session-id/1', plaintext, 'c')
    const elsewhere = createSealer({}, `  ${older}\n`)
    expect(await elsewhere.open('session-id/1', sealed, 'c')).toEqual(plaintext)
  })

  it('seals with the first of two secrets and opens with both', async () => {
    const before = createSealer({}, older)
    const during = createSealer({}, `${newer} ${older}`)
    const after = createSealer({}, newer)
    const old = await before.seal('session-id/1', plaintext, 'c')
    const fresh = await during.seal('session-id/1', plaintext, 'c')
    expect(await during.open('session-id/1', old, 'c')).toEqual(plaintext)
    expect(await during.open('session-id/1', fresh, 'c')).toEqual(plaintext)
    expect(await after.open('session-id/1', fresh, 'c')).toEqual(plaintext)
    expect(await after.open('session-id/1', old, 'c')).toBeUndefined()
    expect(await before.open('session-id/1', fresh, 'c')).toBeUndefined()
  })

  it.each([
    ['of 32 characters', 'x'.repeat(32)],
    ['of any alphabet', 'пароль/ключ+№=«'.repeat(3)],
    ['listed twice', `${older} ${older}`],
    ['listed after seven others', Array.from({ length: 8 }, secretOf).join('\n')],
  ])('accepts a secret %s', async (_, secret) => {
    const sealer = createSealer({}, secret)
    const sealed = await sealer.seal('session-id/1', plaintext, 'c')
    expect(await sealer.open('session-id/1', sealed, 'c')).toEqual(plaintext)
  })

  it.each([
    ['empty', ''],
    ['white space', ' \n\t '],
    ['too short', 'x'.repeat(31)],
    ['two, of which one is too short', `${older} ${'x'.repeat(31)}`],
    ['a phrase of short words', 'correct horse battery staple and more of them'],
    ['nine secrets', Array.from({ length: 9 }, secretOf).join(' ')],
  ])('throws a TypeError that does not contain the setting when it is %s', (_, secret) => {
    let thrown: unknown
    try {
      createSealer({}, secret)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toBeInstanceOf(TypeError)
    if (secret.trim() !== '') expect(String(thrown)).not.toContain(secret)
  })
})

describe('a sealer without bindings', () => {
  it('names both ways to provide keys when it seals or opens', async () => {
    const sealer = createSealer({}, undefined)
    const ways = /MCP_OBJECTS.*EDGEWAY_SECRET/
    await expect(sealer.seal('session-id/1', plaintext, 'c')).rejects.toThrow(ways)
    await expect(sealer.open('session-id/1', `1AAAAAAAA.${BODY}`, 'c')).rejects.toThrow(ways)
  })

  it('names the missing binding when it redeems', async () => {
    const sealer = createSealer({}, secretOf())
    await expect(sealer.redeem('name', 1)).rejects.toThrow(/MCP_OBJECTS/)
  })
})

describe('a seal of another version of its purpose', () => {
  /** A purpose that exists from the next version on. */
  const NEXT = 'session-id/2' as SealPurpose

  it('begins with its version, and opens for its own version only', async () => {
    const sealer = createSealer({}, secretOf())
    for (const [own, other, version] of [
      ['session-id/1', NEXT, '1'],
      [NEXT, 'session-id/1', '2'],
    ] as const) {
      const sealed = await sealer.seal(own, plaintext, 'c')
      expect(sealed[0]).toBe(version)
      expect(await sealer.open(own, sealed, 'c')).toEqual(plaintext)
      expect(await sealer.open(other, sealed, 'c')).toBeUndefined()
    }
  })

  it('does not open after its first character was replaced', async () => {
    const sealer = createSealer({}, secretOf())
    const next = await sealer.seal(NEXT, plaintext, 'c')
    const old = await sealer.seal('session-id/1', plaintext, 'c')
    expect(await sealer.open('session-id/1', `1${next.slice(1)}`, 'c')).toBeUndefined()
    expect(await sealer.open(NEXT, `2${old.slice(1)}`, 'c')).toBeUndefined()
  })

  it('is reported when it is newer than every version of its purpose', async () => {
    const reported: string[] = []
    const { objects, calls } = openKeyring()
    const sealer = createSealer(objects, undefined, undefined, (purpose) => reported.push(purpose))
    for (const version of ['0', '1', '2', 'a', 'z', 'A', '-']) {
      await sealer.open('session-id/1', `${version}AAAAAAAA.${BODY}`, 'c')
    }
    // A reader of two versions opens both. The older one is not newer than the newest.
    await sealer.open(NEXT, `1AAAAAAAA.${BODY}`, 'c')
    expect(reported).toEqual(['session-id/2', 'session-id/a', 'session-id/z'])
    expect(calls.keys).toBe(1)
  })
})
