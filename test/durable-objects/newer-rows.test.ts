/** Objects whose rows were written by the next version, as after a rollback: they work, and lose nothing. */
// features: state
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { HubChangeBus } from '../../durable-objects/hub/change-bus.ts'
import type { PrincipalsObject } from '../../durable-objects/keyring/principals-object.ts'
import { createStatements } from '../../durable-objects/session/statements.ts'
import type { StateObject } from '../../durable-objects/state/state-object.ts'
import { openLog } from '../../packages/events/test/objects/log.ts'
import { ADDED, asNextVersion } from '../support/next-version.ts'
import { objectsOfKind } from '../support/objects.ts'
import { openSession, type SessionClient, textOf } from '../support/session-client.ts'
import { openAccounts } from './account/account.ts'
import {
  advance,
  connect,
  DAY_MS,
  GRANT,
  HOUR_MS,
  isActive,
  issued,
  refreshWith,
  useFakeClock,
} from './account/grant-requests.ts'
import { freshHub, listen, shard } from './hub/hub.ts'
import { openKeyring } from './keyring/keyring.ts'
import { runDueAlarms } from './session/lifetime.ts'
import { NOTHING, storedBy } from './session/stored.ts'

useFakeClock()

type Stub = DurableObjectStub<undefined>

const TABLES = `SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'migrations'
  AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`

/** Does what a migration of the next version may do, and evicts the object. */
async function migrateToNextVersion(stub: unknown): Promise<void> {
  await runInDurableObject(stub as Stub, (_, { storage: { sql } }) => {
    for (const { name } of sql.exec<{ name: string }>(TABLES).toArray()) {
      sql.exec(`ALTER TABLE ${name} ADD COLUMN added_later TEXT NOT NULL DEFAULT 'default'`)
    }
    sql.exec('CREATE TABLE added_later (id TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT')
    sql.exec("INSERT INTO added_later VALUES ('row', 'of the next version')")
    sql.exec('INSERT INTO migrations (version) SELECT max(version) + 1 FROM migrations')
  })
  await evictDurableObject(stub as Stub)
}

/** Changes the JSON of a column in every row. */
function rewriteJson(stub: unknown, table: string, column: string): Promise<void> {
  return runInDurableObject(stub as Stub, (_, { storage: { sql } }) => {
    for (const { text } of sql
      .exec<{ text: string }>(`SELECT DISTINCT ${column} AS text FROM ${table}`)
      .toArray()) {
      const next = JSON.stringify(asNextVersion(JSON.parse(text)))
      sql.exec(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`, next, text)
    }
  })
}

/** Whether the row of the next version is there, and the time of the alarm. */
const keptBy = (stub: unknown) =>
  runInDurableObject(stub as Stub, async (_, { storage }) => ({
    rows: storage.sql.exec('SELECT id FROM added_later').toArray().length,
    alarm: await storage.getAlarm(),
  }))

const asksForRoots = (session: SessionClient) =>
  session.stream(async ({ log, listRoots }) => {
    await log('info', 'asking')
    return `${(await listRoots()).length} roots`
  })

describe('a session object with rows of the next version', () => {
  it('resumes a run with its answer, replays its log and subscribes', async () => {
    const session = await openSession()
    const call = await asksForRoots(session)
    await call.message()
    const question = await call.message()
    await migrateToNextVersion(await session.stub())
    expect(await session.answer(question, { roots: [] })).toBe(202)
    expect(textOf(await call.message())).toBe('0 roots')
    expect(await (await session.listen(call.ids[0])).rest()).toHaveLength(3)
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      expect(await session.request(method, { uri: 'note://a' })).toHaveProperty('result')
    }
    expect(await (await asksForRoots(session)).message()).toHaveProperty('method')
  })

  it('reads its claims, requests, records and settings with members that it does not know', async () => {
    const session = await openSession()
    const call = await asksForRoots(session)
    await call.message()
    const question = await call.message()
    const stub = await session.stub()
    await rewriteJson(stub, 'runs', 'request')
    await rewriteJson(stub, 'runs', 'sent')
    await runInDurableObject(stub, (_, { storage: { sql } }) => {
      const where = "WHERE name = 'claims'"
      const { value } = sql.exec<{ value: string }>(`SELECT value FROM settings ${where}`).one()
      sql.exec(
        `UPDATE settings SET value = ? ${where}`,
        JSON.stringify({ ...JSON.parse(value), ...ADDED }),
      )
      sql.exec("INSERT INTO settings (name, value) VALUES ('added-later', 'not JSON')")
      sql.exec(
        "INSERT INTO journal (run_id, key, kind, value) SELECT id, 'k', 'next', 'not JSON' FROM runs",
      )
    })
    await evictDurableObject(stub)
    await runDurableObjectAlarm(stub)
    expect(await session.answer(question, { roots: [] })).toBe(202)
    expect(textOf(await call.message())).toBe('0 roots')
  })

  it('leaves a run in a state that it does not know alone', async () => {
    const session = await openSession()
    const call = await asksForRoots(session)
    await call.message()
    await call.message()
    const stub = await session.stub()
    await runInDurableObject(stub, (_, { storage: { sql } }) => {
      sql.exec("UPDATE runs SET state = 'of the next version'")
    })
    await evictDurableObject(stub)
    expect(await session.request('ping')).toHaveProperty('result')
    const states = await runInDurableObject(stub, (_, { storage: { sql } }) =>
      sql.exec('SELECT state, interruptions FROM runs').toArray(),
    )
    expect(states).toEqual([{ state: 'of the next version', interruptions: 0 }])
  })

  it('prunes no event whose retention it does not know', async () => {
    const session = await openSession()
    const call = await asksForRoots(session)
    await call.message()
    await call.message()
    const prunable = await runInDurableObject(await session.stub(), (_, { storage: { sql } }) => {
      sql.exec('UPDATE events SET retention = 9 WHERE retention = 0')
      const { prunableEvents, deletePrunable } = createStatements(sql)
      const [stream] = sql.exec<{ id: string }>('SELECT id FROM streams').toArray()
      deletePrunable(stream?.id ?? '', Number.MAX_SAFE_INTEGER)
      return {
        listed: prunableEvents(stream?.id ?? ''),
        left: sql.exec('SELECT 1 FROM events').toArray().length,
      }
    })
    expect(prunable).toEqual({ listed: [], left: 2 })
  })

  it('keeps tables that it does not know when it has nothing else, until the session ends', async () => {
    const session = await openSession()
    await (
      await session.stream(async ({ log }) => {
        await log('info', 'x')
        return 'done'
      })
    ).rest()
    const stub = await session.stub()
    await migrateToNextVersion(stub)
    advance(HOUR_MS)
    await runDueAlarms(session)
    expect(await keptBy(stub)).toEqual({ rows: 1, alarm: Date.now() + DAY_MS })
    expect((await session.end()).status).toBe(204)
    expect(await storedBy(session)).toEqual(NOTHING)
  })
})

describe('an account with rows of the next version', () => {
  it('redeems, refreshes, checks, lists and revokes', async () => {
    const { accounts, stubOfSubject } = openAccounts()
    const account = accounts.of('ada')
    const stub = await stubOfSubject('ada')
    const grant = await connect(account, { rememberConsent: true })
    await account.endSignIn('sign-in', Date.now() + DAY_MS)
    await migrateToNextVersion(stub)
    await rewriteJson(stub, 'grants', 'client')
    const next = issued(await refreshWith(account, grant, grant.refreshSecret))
    expect(next.client).toMatchObject({ id: 'client-1', authMethod: 'none' })
    expect(await account.check(grant.grantId, grant.grantKey)).toMatchObject({ active: true })
    expect(await account.listGrants()).toMatchObject([{ client: { id: 'client-1' } }])
    const { redirectUri, resource, scopes } = GRANT
    expect(await account.hasConsent('client-1', redirectUri, resource, scopes)).toBe(true)
    expect(await account.hasSignInEnded('sign-in')).toBe(true)
    expect(await isActive(account, await connect(account, { rememberConsent: true }))).toBe(true)
    expect(await account.revoke(grant.grantId)).toBe(true)
    await account.deleteConsents('client-1')
    await account.endSignIn('another', Date.now() + DAY_MS)
  })

  it('keeps tables that it does not know when everything else has expired', async () => {
    const { accounts, stubOfSubject } = openAccounts()
    await accounts.of('ada').approve(GRANT)
    const stub = await stubOfSubject('ada')
    await migrateToNextVersion(stub)
    advance(HOUR_MS)
    await runDurableObjectAlarm(stub)
    expect(await keptBy(stub)).toEqual({ rows: 1, alarm: Date.now() + DAY_MS })
  })

  it('still throttles guesses and stores client documents', async () => {
    const { accounts, objects } = openAccounts()
    const url = 'https://client.example/document'
    const document = { value: { client: 1 }, fetchedAt: Date.now(), freshUntil: Date.now() }
    const guess = () => objects.throttles.named('0').guess('key', false)
    await guess()
    await migrateToNextVersion(objects.throttles.named('0'))
    expect(await guess()).toEqual({ allowed: true, retryAfterSeconds: 0 })
    await accounts.documents.put(url, document)
    expect(await accounts.documents.get(url)).toEqual(document)
  })
})

describe('a keyring with rows of the next version', () => {
  it('returns its keys, and rotates them', async () => {
    const { keyring } = openKeyring()
    const [keys, [signing]] = [await keyring.keys(), await keyring.signingKeys()]
    await migrateToNextVersion(keyring)
    await rewriteJson(keyring, 'signing_keys', 'jwk')
    expect(await keyring.keys()).toEqual(keys)
    expect(await keyring.signingKeys()).toMatchObject([{ id: signing?.id }])
    advance(60 * DAY_MS)
    await runDurableObjectAlarm(keyring)
    expect((await keyring.keys()).length).toBeGreaterThan(1)
  })
})

describe('a shard of redeemed names with rows of the next version', () => {
  it('redeems each name once', async () => {
    const shardOfNames = openKeyring().shardOf('1')
    const expiresAt = Date.now() + HOUR_MS
    await shardOfNames.redeem('name', expiresAt)
    await migrateToNextVersion(shardOfNames)
    expect(await shardOfNames.redeem('name', expiresAt)).toBe(false)
    expect(await shardOfNames.redeem('another name', expiresAt)).toBe(true)
  })

  it('keeps tables that it does not know when everything else has expired', async () => {
    const shardOfNames = openKeyring().shardOf('1')
    await shardOfNames.redeem('name', Date.now() + HOUR_MS)
    await migrateToNextVersion(shardOfNames)
    advance(2 * HOUR_MS)
    await runDurableObjectAlarm(shardOfNames)
    expect(await keptBy(shardOfNames)).toEqual({ rows: 1, alarm: Date.now() + DAY_MS })
  })
})

describe('a shard of principals with rows of the next version', () => {
  it('counts sessions and tasks', async () => {
    const principals = objectsOfKind<PrincipalsObject>('principals').named(crypto.randomUUID())
    const expiresAt = Date.now() + HOUR_MS
    const task = {
      owner: 'ada',
      principal: 'ada',
      createdAt: Date.now(),
      expiresAt,
      server: 'notes',
    }
    await principals.enterSession('ada', 'one', expiresAt, 1, 'notes')
    await principals.enterTask({ ...task, name: 'first' }, 1)
    await migrateToNextVersion(principals)
    advance(1)
    expect(await principals.enterSession('ada', 'two', expiresAt, 1, 'notes')).toEqual([
      { name: 'one', expiresAt },
    ])
    expect(await principals.enterTask({ ...task, name: 'second' }, 1)).toBe(false)
  })
})

describe('a hub shard with rows of the next version', () => {
  it('stores changes and replays the ones from before', async () => {
    const hub = freshHub()
    const bus = new HubChangeBus(hub, 'notes')
    const since = await bus.position(undefined)
    await bus.publish({ kind: 'resource_updated', uri: 'note://before' })
    await migrateToNextVersion(shard(hub))
    await bus.publish({ kind: 'resource_updated', uri: 'note://after' })
    const { received, gaps } = await listen(bus, { since })
    const uris = () => received.map((change) => 'uri' in change && change.uri)
    await expect.poll(uris).toEqual(['note://before', 'note://after'])
    expect(gaps).toEqual([])
  })
})

describe('a log of events with rows of the next version', () => {
  it('reads, stores, hands over and expires events, and drops no tables', async () => {
    const log = await openLog()
    const { log: name } = await log.read()
    await log.emit()
    await log.register('ada')
    await migrateToNextVersion(log.stub)
    await log.emit()
    await log.register('bob', { start: { after: { log: name, position: 0 }, maxAgeMs: DAY_MS } })
    await log.runDue()
    expect(log.received()).toEqual({ ada: [2], bob: [1, 2] })
    const page = await log.read({ after: { log: name, position: 0 } })
    expect(page).toMatchObject({ position: 2, truncated: false })
    await log.unregister('ada')
    await log.unregister('bob')
    for (let months = 1; months <= 3; months++) {
      advance(32 * DAY_MS)
      await log.runDue()
    }
    expect(await log.rows('SELECT position FROM occurrences')).toEqual([])
    expect(await keptBy(log.stub)).toEqual({ rows: 1, alarm: expect.any(Number) })
  })

  it('leaves a control word that it does not know to its readers', async () => {
    const log = await openLog()
    await log.register('ada')
    await log.emit({}, { control: 'of the next version' as 'gap' })
    await log.runDue()
    const [accepted] = log.accepted
    expect(accepted?.page.entries[0]?.occurrence.control).toBe('of the next version')
  })
})

describe('a state object with rows of the next version', () => {
  it('reads, replaces and deletes entries, and drops no tables', async () => {
    const object = objectsOfKind<StateObject>('state').named(crypto.randomUUID())
    const first = {
      value: '1',
      digest: 'one',
      operation: 'a',
      mustExist: false,
      expected: undefined,
      lifetimeMs: HOUR_MS,
      limit: 9,
    }
    await object.write('handle x', first)
    await migrateToNextVersion(object)
    expect(await object.read('handle x')).toBe('1')
    const second = { ...first, value: '2', operation: 'b', mustExist: true, expected: 'one' }
    expect(await object.write('handle x', second)).toBe('written')
    expect(await object.read('handle x')).toBe('2')
    expect(await object.delete('handle x', 'c')).toBe(true)
    advance(2 * HOUR_MS)
    await runDurableObjectAlarm(object)
    expect(await keptBy(object)).toEqual({ rows: 1, alarm: expect.any(Number) })
  })
})

describe('an object with rows of this version', () => {
  it('drops its tables when everything has expired', async () => {
    const object = openKeyring().shardOf('1')
    await object.redeem('name', Date.now() + HOUR_MS)
    advance(2 * HOUR_MS)
    await runDurableObjectAlarm(object)
    const tables = await runInDurableObject(object, (_, { storage: { sql } }) =>
      sql.exec(TABLES).toArray(),
    )
    expect(tables).toEqual([])
  })
})
