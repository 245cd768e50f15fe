/** The keys of access tokens: the contract, rotation, what the object keeps, and when it is asked. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { McpKeyring } from '../../../durable-objects/keyring/keyring-object.ts'
import { createSealer } from '../../../durable-objects/keyring/sealer.ts'
import { createSigningKeys } from '../../../durable-objects/keyring/signing-keys.ts'
import { kidOf, sign, testSigningKeys, verifies } from '../../contracts/signing-keys.ts'
import {
  alarmOf,
  DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  NOON,
  openKeyring,
  type Stub,
  tablesOf,
} from './keyring.ts'

testSigningKeys('the keyring', () => createSigningKeys(openKeyring().namespace))

it('takes the binding as it is', async () => {
  const keys = createSigningKeys(env.MCP_KEYRING)
  expect(await verifies(keys, await sign(keys))).toBe(true)
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
})
afterEach(() => {
  vi.useRealTimers()
})

const kidsOf = async (keys: ReturnType<typeof createSigningKeys>) =>
  (await keys.jwks()).keys.map(({ kid }) => kid)

/** Within the object, where calls take turns at every await. */
const askAtOnce = (stub: Stub) =>
  runInDurableObject(stub, (keyring: McpKeyring) =>
    Promise.all(Array.from({ length: 30 }, () => keyring.signingKeys())),
  )

describe('the object', () => {
  it('makes one key for however many ask first', async () => {
    const { keyring } = openKeyring()
    const answers = await askAtOnce(keyring)
    const ids = answers.flatMap((keys) => keys.map(({ id }) => id))
    expect(ids).toHaveLength(30)
    expect(new Set(ids).size).toBe(1)
  })

  it('makes one successor for however many ask first', async () => {
    const { keyring } = openKeyring()
    await keyring.signingKeys()
    vi.setSystemTime(NOON + 29 * DAY_MS)
    const answers = await askAtOnce(keyring)
    const ids = answers.flatMap((keys) => keys.map(({ id }) => id))
    expect(ids).toHaveLength(60)
    expect(new Set(ids).size).toBe(2)
  })

  it('keeps them through eviction, for every isolate', async () => {
    const { namespace, keyring } = openKeyring()
    const token = await sign(createSigningKeys(namespace))
    await evictDurableObject(keyring)
    expect(await verifies(createSigningKeys(namespace), token)).toBe(true)
  })

  it('makes none for whoever only seals, and seals none for whoever only signs', async () => {
    const { namespace, keyring } = openKeyring()
    await createSealer(namespace, undefined).seal('session-id', new Uint8Array(1), 'c')
    const count = (table: string) =>
      runInDurableObject(keyring, (_, { storage: { sql } }) =>
        sql.exec(`SELECT * FROM ${table}`).toArray(),
      )
    expect(await count('signing_keys')).toEqual([])
    vi.setSystemTime(NOON + 29 * DAY_MS)
    await runDurableObjectAlarm(keyring)
    expect(await count('signing_keys')).toEqual([])

    const signing = openKeyring()
    await createSigningKeys(signing.namespace).signingKey()
    vi.setSystemTime(NOON + 58 * DAY_MS)
    await runDurableObjectAlarm(signing.keyring)
    const sealing = await runInDurableObject(signing.keyring, (_, { storage: { sql } }) =>
      sql.exec('SELECT * FROM keys').toArray(),
    )
    expect(sealing).toEqual([])
  })

  it('rotates by alarm: a successor a day ahead, the old one dropped 31 days after', async () => {
    const { keyring } = openKeyring()
    const [first] = await keyring.signingKeys()
    expect(first).toMatchObject({ usedFrom: NOON, acceptedUntil: undefined })
    expect(await alarmOf(keyring)).toBe(NOON + 29 * DAY_MS)

    vi.setSystemTime(NOON + 29 * DAY_MS)
    await evictDurableObject(keyring)
    expect(await runDurableObjectAlarm(keyring)).toBe(true)
    expect(await alarmOf(keyring)).toBe(NOON + 59 * DAY_MS)
    const both = await keyring.signingKeys()
    expect(both).toEqual([
      { ...first, acceptedUntil: NOON + 61 * DAY_MS },
      expect.objectContaining({ usedFrom: NOON + 30 * DAY_MS, acceptedUntil: undefined }),
    ])

    vi.setSystemTime(NOON + 59 * DAY_MS)
    await runDurableObjectAlarm(keyring)
    expect(await alarmOf(keyring)).toBe(NOON + 61 * DAY_MS)
    expect(await keyring.signingKeys()).toHaveLength(3)
    vi.setSystemTime(NOON + 61 * DAY_MS)
    await runDurableObjectAlarm(keyring)
    expect((await keyring.signingKeys())[0]?.id).toBe(both[1]?.id)
    expect(await keyring.signingKeys()).toHaveLength(2)
  })

  it('rotates sealing and signing keys each in their time', async () => {
    const { keyring } = openKeyring()
    await keyring.keys()
    vi.setSystemTime(NOON + 10 * DAY_MS)
    await keyring.signingKeys()
    expect(await alarmOf(keyring)).toBe(NOON + 29 * DAY_MS)
    vi.setSystemTime(NOON + 29 * DAY_MS)
    await runDurableObjectAlarm(keyring)
    expect(await alarmOf(keyring)).toBe(NOON + 39 * DAY_MS)
    expect(await keyring.keys()).toHaveLength(2)
    expect(await keyring.signingKeys()).toHaveLength(1)
  })

  it('that had keys before there was signing keeps them, and can sign', async () => {
    const { keyring, namespace } = openKeyring()
    await runInDurableObject(keyring, (_, { storage: { sql } }) => {
      sql.exec('CREATE TABLE migrations (version INTEGER PRIMARY KEY) STRICT')
      sql.exec(`CREATE TABLE keys (id TEXT PRIMARY KEY, secret BLOB NOT NULL,
        created_at INTEGER NOT NULL, used_from INTEGER NOT NULL) STRICT, WITHOUT ROWID`)
      sql.exec(`CREATE TABLE redeemed_names (name TEXT PRIMARY KEY, expires_at INTEGER NOT NULL)
        STRICT, WITHOUT ROWID`)
      sql.exec('INSERT INTO migrations (version) VALUES (1)')
      sql.exec("INSERT INTO keys VALUES ('old-key_', ?, ?, ?)", new ArrayBuffer(32), NOON, NOON)
    })
    expect((await keyring.keys()).map(({ id }) => id)).toEqual(['old-key_'])
    const keys = createSigningKeys(namespace)
    expect(await verifies(keys, await sign(keys))).toBe(true)
    expect(await tablesOf(keyring)).toEqual([
      'keys',
      'migrations',
      'redeemed_names',
      'signing_keys',
    ])
  })
})

describe('an isolate', () => {
  it('asks once for however many sign and verify first', async () => {
    const { namespace, calls } = openKeyring()
    const keys = createSigningKeys(namespace)
    await Promise.all([
      ...Array.from({ length: 10 }, () => keys.signingKey()),
      ...Array.from({ length: 10 }, () => keys.jwks()),
      ...Array.from({ length: 10 }, () => keys.verificationKey('AAAAAAAA')),
    ])
    expect(calls).toEqual({ keys: 0, redeem: 0, signingKeys: 1 })
  })

  it('asks nobody about a key that it does not know', async () => {
    const { namespace, calls } = openKeyring()
    const keys = createSigningKeys(namespace)
    await keys.signingKey()
    for (let count = 0; count < 500; count++) {
      expect(await keys.verificationKey(crypto.randomUUID())).toBeUndefined()
    }
    expect(calls.signingKeys).toBe(1)
  })

  it('publishes a key a day before it signs with it, and signs with the old one until then', async () => {
    const { namespace } = openKeyring()
    const keys = createSigningKeys(namespace)
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

  it('verifies what was signed last with a key for 31 days more', async () => {
    const { namespace } = openKeyring()
    const keys = createSigningKeys(namespace)
    await sign(keys)
    vi.setSystemTime(NOON + 29 * DAY_MS)
    await keys.jwks()
    vi.setSystemTime(NOON + 30 * DAY_MS - 1)
    const token = await sign(keys)
    for (const hour of [30 * 24, 60 * 24, 61 * 24 - 1]) {
      vi.setSystemTime(NOON + hour * HOUR_MS)
      expect(await verifies(keys, token)).toBe(true)
    }
    vi.setSystemTime(NOON + 61 * DAY_MS)
    expect(await verifies(keys, token)).toBe(false)
    expect(await kidsOf(keys)).not.toContain(kidOf(token))
  })

  it('knows the key that another signs with, though its list is old', async () => {
    const { namespace, calls } = openKeyring()
    const lagging = createSigningKeys(namespace)
    await lagging.signingKey()
    vi.setSystemTime(NOON + 30 * DAY_MS - HOUR_MS + 1)
    await lagging.jwks()
    const usedFrom = (await namespace.getByName('keyring').signingKeys())[1]?.usedFrom ?? 0
    vi.setSystemTime(usedFrom - HOUR_MS + 1)
    await lagging.jwks()
    vi.setSystemTime(usedFrom)
    const token = await sign(createSigningKeys(namespace))
    const asked = calls.signingKeys
    expect(await verifies(lagging, token)).toBe(true)
    expect(calls.signingKeys).toBe(asked)
  })

  it('goes by the keys it has while the object does not answer, for twelve hours', async () => {
    const { namespace, failing } = openKeyring()
    const keys = createSigningKeys(namespace)
    const token = await sign(keys)
    failing.with = new Error('overloaded')
    vi.setSystemTime(NOON + 13 * HOUR_MS - 1)
    expect(await verifies(keys, token)).toBe(true)
    vi.setSystemTime(NOON + 13 * HOUR_MS)
    await expect(keys.verificationKey(kidOf(token))).rejects.toThrow('overloaded')
    await expect(keys.signingKey()).rejects.toThrow('overloaded')
  })

  it('signs with the first key where its clock is behind the object', async () => {
    const { namespace } = openKeyring()
    const behind = createSigningKeys(namespace, () => Date.now() - 5 * MINUTE_MS)
    expect(await verifies(createSigningKeys(namespace), await sign(behind))).toBe(true)
  })

  it('says so where the keyring gives it nothing', async () => {
    const empty = createSigningKeys({ getByName: () => ({ signingKeys: async () => [] }) })
    await expect(empty.signingKey()).rejects.toThrow('no signing key')
    expect(await empty.jwks()).toEqual({ keys: [] })
  })
})
