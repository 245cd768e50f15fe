/** The signing keys of access tokens in an isolate, and the storage of both kinds of keys. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it, vi } from 'vitest'
import type { KeyringObject } from '../../../durable-objects/keyring/keyring-object.ts'
import { createSealer } from '../../../durable-objects/keyring/sealer.ts'
import { createSigningKeys } from '../../../durable-objects/keyring/signing-keys.ts'
import { objectsOfKind } from '../../support/objects.ts'
import {
  DAY_MS,
  fakeObjects,
  HOUR_MS,
  MINUTE_MS,
  NOON,
  openKeyring,
  useFakeClock,
} from './keyring.ts'
import { isAccepted, kidOf, sign } from './signed-token.ts'

it('signing keys are those of the object of the binding', async () => {
  const keys = createSigningKeys(objectsOfKind<KeyringObject>('keyring'))
  expect(await isAccepted(keys, await sign(keys))).toBe(true)
})

useFakeClock()

const kidsOf = async (keys: ReturnType<typeof createSigningKeys>) =>
  (await keys.jwks()).keys.map(({ kid }) => kid)

describe('the signing keys of a deployment', () => {
  it('verify a token of their own deployment and no other', async () => {
    const keys = createSigningKeys(openKeyring().objects.keyring)
    const token = await sign(keys)
    expect(await isAccepted(keys, token)).toBe(true)
    const elsewhere = createSigningKeys(openKeyring().objects.keyring)
    await elsewhere.signingKey()
    expect(await isAccepted(elsewhere, token)).toBe(false)
  })

  it('have a private part that cannot be exported', async () => {
    const { key } = await createSigningKeys(openKeyring().objects.keyring).signingKey()
    expect(key).toMatchObject({ extractable: false, type: 'private', usages: ['sign'] })
    expect(key.algorithm).toMatchObject({ name: 'ECDSA', namedCurve: 'P-256' })
    await expect(crypto.subtle.exportKey('jwk', key)).rejects.toThrow()
  })

  it('are published without a private member', async () => {
    const keys = createSigningKeys(openKeyring().objects.keyring)
    const { kid } = await keys.signingKey()
    const point = expect.stringMatching(/^[A-Za-z0-9_-]{43}$/)
    expect(await keys.jwks()).toStrictEqual({
      keys: [{ kid, alg: 'ES256', use: 'sig', kty: 'EC', crv: 'P-256', x: point, y: point }],
    })
    const verifying = await keys.verificationKey(kid)
    expect(verifying).toMatchObject({ type: 'public', usages: ['verify'] })
  })

  it.each(['', 'AAAAAAAA', 'toString', '__proto__', '0'])(
    'have no key for the key id %j',
    async (kid) => {
      expect(
        await createSigningKeys(openKeyring().objects.keyring).verificationKey(kid),
      ).toBeUndefined()
    },
  )
})

describe('KeyringObject: signing keys', () => {
  it('creates no signing key for a deployment that only seals, and no sealing key for one that only signs', async () => {
    const { objects, keyring } = openKeyring()
    await createSealer(objects, undefined).seal('session-id/1', new Uint8Array(1), 'c')
    const count = (table: string) =>
      runInDurableObject(keyring, (_, { storage: { sql } }) =>
        sql.exec(`SELECT * FROM ${table}`).toArray(),
      )
    expect(await count('signing_keys')).toEqual([])
    vi.setSystemTime(NOON + 29 * DAY_MS)
    await runDurableObjectAlarm(keyring)
    expect(await count('signing_keys')).toEqual([])

    const signing = openKeyring()
    await createSigningKeys(signing.objects.keyring).signingKey()
    vi.setSystemTime(NOON + 58 * DAY_MS)
    await runDurableObjectAlarm(signing.keyring)
    const sealing = await runInDurableObject(signing.keyring, (_, { storage: { sql } }) =>
      sql.exec('SELECT * FROM keys').toArray(),
    )
    expect(sealing).toEqual([])
  })
})

describe('signing keys in an isolate', () => {
  it('call no object for an unknown key id', async () => {
    const { objects, calls } = openKeyring()
    const keys = createSigningKeys(objects.keyring)
    await keys.signingKey()
    for (let count = 0; count < 500; count++) {
      expect(await keys.verificationKey(crypto.randomUUID())).toBeUndefined()
    }
    expect(calls.signingKeys).toBe(1)
  })

  it('publish a key one day before it signs, and sign with the old key until then', async () => {
    const { objects } = openKeyring()
    const keys = createSigningKeys(objects.keyring)
    const old = kidOf(await sign(keys))
    vi.setSystemTime(NOON + 29 * DAY_MS)
    const [next, last] = await kidsOf(keys)
    expect(last).toBe(old)
    expect(next).not.toBe(old)
    vi.setSystemTime(NOON + 30 * DAY_MS - 1)
    expect(kidOf(await sign(keys))).toBe(old)
    vi.setSystemTime(NOON + 30 * DAY_MS)
    expect(kidOf(await sign(keys))).toBe(next)
  })

  it('verify a token for 31 days after its key stopped signing', async () => {
    const { objects } = openKeyring()
    const keys = createSigningKeys(objects.keyring)
    await sign(keys)
    vi.setSystemTime(NOON + 29 * DAY_MS)
    await keys.jwks()
    vi.setSystemTime(NOON + 30 * DAY_MS - 1)
    const token = await sign(keys)
    for (const hour of [30 * 24, 60 * 24, 61 * 24 - 0.5]) {
      vi.setSystemTime(NOON + hour * HOUR_MS)
      expect(await isAccepted(keys, token)).toBe(true)
    }
    // The isolate refuses the key by its cached list, which still contains it.
    vi.setSystemTime(NOON + 61 * DAY_MS)
    expect(await isAccepted(keys, token)).toBe(false)
    expect(await kidsOf(keys)).not.toContain(kidOf(token))
  })

  it('include the key that another isolate signs with, even when the cached list is an hour old', async () => {
    const { objects, calls } = openKeyring()
    const outdated = createSigningKeys(objects.keyring)
    await outdated.signingKey()
    vi.setSystemTime(NOON + 30 * DAY_MS - HOUR_MS + 1)
    await outdated.jwks()
    const usedFrom = (await objects.keyring.named('').signingKeys())[1]?.usedFrom ?? 0
    vi.setSystemTime(usedFrom - HOUR_MS + 1)
    await outdated.jwks()
    vi.setSystemTime(usedFrom)
    const token = await sign(createSigningKeys(objects.keyring))
    const before = calls.signingKeys
    expect(await isAccepted(outdated, token)).toBe(true)
    expect(calls.signingKeys).toBe(before)
  })

  it('sign with the first key when the isolate’s clock is behind the object’s', async () => {
    const { objects } = openKeyring()
    const behind = createSigningKeys(objects.keyring, () => Date.now() - 5 * MINUTE_MS)
    expect(await isAccepted(createSigningKeys(objects.keyring), await sign(behind))).toBe(true)
  })

  it('throw when the keyring returns no key', async () => {
    const signingKeys = async () => []
    const empty = createSigningKeys(
      fakeObjects<Pick<KeyringObject, 'signingKeys'>>({ signingKeys }),
    )
    await expect(empty.signingKey()).rejects.toThrow('no signing key')
    expect(await empty.jwks()).toEqual({ keys: [] })
  })
})
