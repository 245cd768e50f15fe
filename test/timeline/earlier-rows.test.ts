/** The rows that an earlier version has stored in the keyring, for timeline and inspector. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createStatements, MIGRATIONS } from '../../durable-objects/keyring/schema.ts'
import { createTimelineStore } from '../../durable-objects/log/step-store.ts'
import { Tables } from '../../durable-objects/tables.ts'
import { createTrafficStore } from '../../durable-objects/traffic/traffic-store.ts'
import type { TimelineStep } from '../../src/ports/timeline.ts'

const HOUR_MS = 60 * 60 * 1000
const KEY = 'the-key-of-the-earlier-version'

const step = (at: number, network: string): TimelineStep => ({
  at,
  tookMs: 1,
  kind: 'endpoint',
  http: 'POST',
  status: 200,
  network,
  software: 'client',
  events: [],
  details: {},
})

const stored = (at: number, network: string) => {
  const one = step(at, network)
  return { at, origin: `${network} client`, isCall: false, step: JSON.stringify(one) }
}

/** The objects of one server, after a version that wrote to the keyring. */
async function openEarlier() {
  const server = crypto.randomUUID()
  const at = Date.now()
  const write = async (name: string, run: (sql: SqlStorage) => void) => {
    const keyring = env.MCP_KEYRING.getByName(name)
    await runInDurableObject(keyring, async (_, { storage }) => {
      void new Tables(storage, MIGRATIONS, createStatements).statements
      run(storage.sql)
      await storage.setAlarm(at + HOUR_MS)
    })
    await evictDurableObject(keyring)
  }
  const insertStep =
    "INSERT INTO timeline_steps (at, origin, is_call, step) VALUES (?, 'old client', 0, ?)"
  await write(`timeline-${server}`, (sql) => {
    for (const time of [at - 7 * HOUR_MS, at - 1000]) {
      sql.exec(insertStep, time, JSON.stringify(step(time, 'old')))
    }
    sql.exec('INSERT INTO timeline_settings (name, value) VALUES (?, ?)', 'key', KEY)
    sql.exec(
      'INSERT INTO timeline_settings (name, value) VALUES (?, ?)',
      'until',
      String(at + HOUR_MS),
    )
  })
  await write(`traffic-${server}`, (sql) => {
    for (const [number, time] of [at - 2 * HOUR_MS, at - 1000].entries()) {
      sql.exec(
        'INSERT INTO traffic (number, at, owner, entry) VALUES (?, ?, NULL, ?)',
        time * 8 + number,
        time,
        `{"from":"keyring ${number}"}`,
      )
    }
  })
  return {
    at,
    server,
    timeline: createTimelineStore(env.MCP_LOG, server, env.MCP_KEYRING),
    traffic: createTrafficStore(env.MCP_LOG, server, env.MCP_KEYRING),
  }
}

describe('the timeline after an upgrade', () => {
  it('has the steps of the earlier version that have not expired, before its own', async () => {
    const { at, timeline } = await openEarlier()
    await timeline.append([stored(at, 'new')])
    expect((await timeline.read()).map(({ network }) => network)).toEqual(['old', 'new'])
  })

  it('continues with the key and the switch of the earlier version, in every isolate', async () => {
    const { at, server, timeline } = await openEarlier()
    const settings = { key: KEY, until: at + HOUR_MS }
    expect(await timeline.settings(false)).toEqual(settings)
    expect(await createTimelineStore(env.MCP_LOG, server, undefined).settings(true)).toEqual(
      settings,
    )
  })

  it('can be switched off, although the earlier version had switched it on', async () => {
    const { server, timeline } = await openEarlier()
    await timeline.switchUntil(0)
    const other = createTimelineStore(env.MCP_LOG, server, env.MCP_KEYRING)
    expect((await other.settings(false)).until).toBe(0)
  })

  it('leaves no row in the keyring after the rows of the earlier version have expired', async () => {
    const { server } = await openEarlier()
    const keyring = env.MCP_KEYRING.getByName(`timeline-${server}`)
    await runInDurableObject(keyring, (_, { storage }) => {
      storage.sql.exec('UPDATE timeline_steps SET at = 0')
      storage.sql.exec("UPDATE timeline_settings SET value = '1' WHERE name = 'until'")
    })
    await runDurableObjectAlarm(keyring)
    const tables = await runInDurableObject(keyring, (_, { storage }) =>
      storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'timeline_steps'").toArray(),
    )
    expect(tables).toEqual([])
  })
})

describe('the inspector after an upgrade', () => {
  it('shows the entries of the earlier version that have not expired, then its own', async () => {
    const { at, traffic } = await openEarlier()
    await traffic.append([{ at, owner: null, entry: '{"from":"log"}' }])
    const entries: string[] = []
    for (let after = 0; ; ) {
      const page = await traffic.read({ after, waitMs: 0, watcher: 'one', subject: undefined })
      if (page === undefined || page.last === after) break
      entries.push(...page.entries.map(({ entry }) => entry))
      after = page.last
    }
    expect(entries).toEqual(['{"from":"keyring 1"}', '{"from":"log"}'])
  })
})

describe('a Worker of the earlier version that calls the keyring', () => {
  it('is served, and its steps and entries are not stored', async () => {
    const name = crypto.randomUUID()
    const keyring = env.MCP_KEYRING.getByName(name)
    await keyring.recordTimeline([stored(Date.now(), 'old')])
    await keyring.switchTimeline(Date.now() + HOUR_MS)
    const lease = await keyring.recordTraffic([{ at: Date.now(), owner: null, entry: '{}' }])
    expect(lease).toEqual({ until: 0, subjects: [] })
    expect(await keyring.trafficLease()).toEqual(lease)
    await keyring.leaveTraffic('one')
    expect(await keyring.timelineSettings(true)).toEqual({ key: undefined, until: 0 })
    expect(await keyring.readTimeline()).toEqual([])
    expect(await keyring.readTraffic({ after: 0 })).toEqual({ entries: [], last: 0 })
  })
})
