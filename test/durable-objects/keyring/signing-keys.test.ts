/** The signing keys of access tokens: the contract, rotation, storage, and the calls of the object. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { McpKeyring } from '../../../durable-objects/keyring/keyring-object.ts'
import { createSealer } from '../../../durable-objects/keyring/sealer.ts'
import { createSigningKeys } from '../../../durable-objects/keyring/signing-keys.ts'
import { isAccepted, kidOf, sign, testSigningKeys } from '../../contracts/signing-keys.ts'
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

testSigningKeys('signing keys of the keyring', () => createSigningKeys(openKeyring().namespace))

it('signing keys accept the namespace of the binding', async () => {
  const keys = createSigningKeys(env.MCP_KEYRING)
  expect(await isAccepted(keys, await sign(keys))).toBe(true)
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
})
afterEach(() => {
  vi.useRealTimers()
})

const kidsOf = async (keys: ReturnType<typeof createSigningKeys>) =>
  (await keys.jwks()).keys.map(({ kid }) => kid)

/** Calls within the object, which interleave at every await. */
const callConcurrently = (stub: Stub) =>
  runInDurableObject(stub, (keyring: McpKeyring) =>
    Promise.all(Array.from({ length: 30 }, () => keyring.signingKeys())),
  )

describe('McpKeyring: signing keys', () => {
  it('creates one key for concurrent first calls', async () => {
    const { keyring } = openKeyring()
    const answers = await callConcurrently(keyring)
    const ids = answers.flatMap((keys) => keys.map(({ id }) => id))
    expect(ids).toHaveLength(30)
    expect(new Set(ids).size).toBe(1)
  })

  it('creates one successor for concurrent calls', async () => {
    const { keyring } = openKeyring()
    await keyring.signingKeys()
    vi.setSystemTime(NOON + 29 * DAY_MS)
    const answers = await callConcurrently(keyring)
    const ids = answers.flatMap((keys) => keys.map(({ id }) => id))
    expect(ids).toHaveLength(60)
    expect(new Set(ids).size).toBe(2)
  })

  it('returns the same keys to every isolate after an eviction', async () => {
    const { namespace, keyring } = openKeyring()
    const token = await sign(createSigningKeys(namespace))
    await evictDurableObject(keyring)
    expect(await isAccepted(createSigningKeys(namespace), token)).toBe(true)
  })

  it('creates no signing key for a deployment that only seals, and no sealing key for one that only signs', async () => {
    const { namespace, keyring } = openKeyring()
    await createSealer(namespace, undefined).seal('session-id/1', new Uint8Array(1), 'c')
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

  it('the alarm creates a successor one day before its use, and deletes the old key 31 days after', async () => {
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

  it('rotates sealing and signing keys on separate schedules', async () => {
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

  it('migrates an object of the first schema, which keeps its sealing keys', async () => {
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
    expect(await isAccepted(keys, await sign(keys))).toBe(true)
    expect(await tablesOf(keyring)).toEqual([
      'keys',
      'migrations',
      'principal_sessions',
      'redeemed_names',
      'revocations',
      'signing_keys',
      'tasks',
      'timeline_settings',
      'timeline_steps',
      'traffic',
    ])
  })
})

describe('signing keys in an isolate', () => {
  it('are loaded once for concurrent first calls', async () => {
    const { namespace, calls } = openKeyring()
    const keys = createSigningKeys(namespace)
    await Promise.all([
      ...Array.from({ length: 10 }, () => keys.signingKey()),
      ...Array.from({ length: 10 }, () => keys.jwks()),
      ...Array.from({ length: 10 }, () => keys.verificationKey('AAAAAAAA')),
    ])
    expect(calls).toEqual({ keys: 0, redeem: 0, signingKeys: 1 })
  })

  it('call no object for an unknown key id', async () => {
    const { namespace, calls } = openKeyring()
    const keys = createSigningKeys(namespace)
    await keys.signingKey()
    for (let count = 0; count < 500; count++) {
      expect(await keys.verificationKey(crypto.randomUUID())).toBeUndefined()
    }
    expect(calls.signingKeys).toBe(1)
  })

  it('publish a key one day before it signs, and sign with the old key until then', async () => {
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

  it('verify a token for 31 days after its key stopped signing', async () => {
    const { namespace } = openKeyring()
    const keys = createSigningKeys(namespace)
    await sign(keys)
    vi.setSystemTime(NOON + 29 * DAY_MS)
    await keys.jwks()
    vi.setSystemTime(NOON + 30 * DAY_MS - 1)
    const token = await sign(keys)
    for (const hour of [30 * 24, 60 * 24, 61 * 24 - 1]) {
      vi.setSystemTime(NOON + hour * HOUR_MS)
      expect(await isAccepted(keys, token)).toBe(true)
    }
    vi.setSystemTime(NOON + 61 * DAY_MS)
    expect(await isAccepted(keys, token)).toBe(false)
    expect(await kidsOf(keys)).not.toContain(kidOf(token))
  })

  it('include the key that another isolate signs with, even when the cached list is an hour old', async () => {
    const { namespace, calls } = openKeyring()
    const outdated = createSigningKeys(namespace)
    await outdated.signingKey()
    vi.setSystemTime(NOON + 30 * DAY_MS - HOUR_MS + 1)
    await outdated.jwks()
    const usedFrom = (await namespace.getByName('keyring').signingKeys())[1]?.usedFrom ?? 0
    vi.setSystemTime(usedFrom - HOUR_MS + 1)
    await outdated.jwks()
    vi.setSystemTime(usedFrom)
    const token = await sign(createSigningKeys(namespace))
    const before = calls.signingKeys
    expect(await isAccepted(outdated, token)).toBe(true)
    expect(calls.signingKeys).toBe(before)
  })

  it('stay valid for twelve more hours while the object fails', async () => {
    const { namespace, failing } = openKeyring()
    const keys = createSigningKeys(namespace)
    const token = await sign(keys)
    failing.with = new Error('overloaded')
    vi.setSystemTime(NOON + 13 * HOUR_MS - 1)
    expect(await isAccepted(keys, token)).toBe(true)
    vi.setSystemTime(NOON + 13 * HOUR_MS)
    await expect(keys.verificationKey(kidOf(token))).rejects.toThrow('overloaded')
    await expect(keys.signingKey()).rejects.toThrow('overloaded')
  })

  it('sign with the first key when the isolate’s clock is behind the object’s', async () => {
    const { namespace } = openKeyring()
    const behind = createSigningKeys(namespace, () => Date.now() - 5 * MINUTE_MS)
    expect(await isAccepted(createSigningKeys(namespace), await sign(behind))).toBe(true)
  })

  it('throw when the keyring returns no key', async () => {
    const empty = createSigningKeys({ getByName: () => ({ signingKeys: async () => [] }) })
    await expect(empty.signingKey()).rejects.toThrow('no signing key')
    expect(await empty.jwks()).toEqual({ keys: [] })
  })
})
