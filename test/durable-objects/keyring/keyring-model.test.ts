/** The keys and revocations of a deployment, its redeemed names, and the lists of sessions and tasks of principals. */
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { KeyringObject } from '../../../durable-objects/keyring/keyring-object.ts'
import type { PrincipalsObject } from '../../../durable-objects/keyring/principals-object.ts'
import type { RedeemedObject } from '../../../durable-objects/keyring/redeemed-object.ts'
import type { Kind } from '../../../src/ports/object-kinds.ts'
import { inPart, objectsOfKind, type TestStub } from '../../support/objects.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, useFakeClock } from '../fake-clock.ts'
import {
  type Acts,
  actsOf,
  alarmOf,
  checkModel,
  evict,
  fault,
  MODEL_TIMEOUT,
  runAlarm,
  runAllAlarms,
  tablesOf,
  withFault,
} from '../model.ts'

interface Real<Part> {
  readonly stub: TestStub<Part>
}

const nothing = fc.constant(undefined)

/** The commands that every model has. */
const common = <Model extends { purge(): void }, Part>(
  waits: readonly number[],
): Acts<Model, Real<Part>>[] => {
  const act = actsOf<Model, Real<Part>>()
  return [
    act(2, 'evict', nothing, async (_, { stub }) => evict(stub)),
    act(2, 'alarm', nothing, async (model, { stub }) => {
      if (await runAlarm(stub)) model.purge()
    }),
    act(4, 'wait', fc.constantFrom(...waits), async (_, __, ms) =>
      vi.setSystemTime(Date.now() + ms),
    ),
  ]
}

const opened = <Part>(kind: Kind): Real<Part> => ({
  stub: objectsOfKind<Part>(kind).named(crypto.randomUUID()),
})

useFakeClock()

interface Key {
  readonly usedFrom: number
  /** Undefined until a call has returned the key. */
  id?: string
}

const ACCEPTED_DAYS = { seal: 91, signing: 31 }

class Keys {
  rows: Key[] = []
  readonly #acceptMs: number

  constructor(acceptedDays: number) {
    this.#acceptMs = acceptedDays * DAY_MS
  }

  acceptedUntil(index: number): number | undefined {
    const successor = this.rows[index + 1]
    return successor && successor.usedFrom + this.#acceptMs
  }

  rotate(): void {
    const now = Date.now()
    const newest = this.rows.at(-1)
    const accepted = this.rows.filter((_, index) => now < (this.acceptedUntil(index) ?? Infinity))
    if (newest === undefined) accepted.push({ usedFrom: now })
    else if (now >= newest.usedFrom + 29 * DAY_MS) {
      accepted.push({ usedFrom: Math.max(newest.usedFrom + 30 * DAY_MS, now + DAY_MS) })
    }
    this.rows = accepted
  }

  replace(how: 'publish' | 'discard'): number | undefined {
    const now = Date.now()
    const newest = this.rows.at(-1)
    if (newest === undefined) return undefined
    if (how === 'publish' && newest.usedFrom <= now) this.rows.push({ usedFrom: now + DAY_MS })
    const isRepeated = this.rows.length === 1 && newest.usedFrom > now - MINUTE_MS
    if (how === 'discard' && !isRepeated) this.rows = [{ usedFrom: now }]
    return this.rows.at(-1)?.usedFrom
  }

  get nextDue(): number {
    const newest = this.rows.at(-1)
    const createAt = newest === undefined ? Infinity : newest.usedFrom + 29 * DAY_MS
    return Math.min(createAt, this.acceptedUntil(0) ?? Infinity)
  }

  /** Compares the keys of an answer, each of which keeps its id. */
  expect(answer: readonly (Key & { readonly acceptedUntil: number | undefined })[]): void {
    expect(answer.map(({ usedFrom, acceptedUntil }) => [usedFrom, acceptedUntil])).toEqual(
      this.rows.map(({ usedFrom }, index) => [usedFrom, this.acceptedUntil(index)]),
    )
    for (const [index, row] of this.rows.entries()) {
      row.id ??= answer[index]?.id
      expect(answer[index]?.id).toBe(row.id)
    }
    expect(new Set(this.rows.map(({ id }) => id)).size).toBe(this.rows.length)
  }
}

class Keyring {
  readonly seal = new Keys(ACCEPTED_DAYS.seal)
  readonly signing = new Keys(ACCEPTED_DAYS.signing)
  readonly clients = new Map<string, number>()
  everyone = 0

  purge(): void {
    for (const keys of [this.seal, this.signing]) if (keys.rows.length > 0) keys.rotate()
  }

  revoke(client: string | undefined): number | undefined {
    const now = Date.now()
    const known = client === undefined ? this.everyone : this.clients.get(client)
    if (known !== undefined && known > now) return known
    if (client === undefined) {
      this.clients.clear()
      this.everyone = now + 30_000
      return this.everyone
    }
    if (known === undefined && this.clients.size >= 100) return undefined
    this.clients.set(client, now + 30_000)
    return now + 30_000
  }
}

describe('the keyring object', () => {
  const act = actsOf<Keyring, Real<KeyringObject>>()

  it(
    'publishes each key before its use, accepts it until nothing of it is left, and lists revocations',
    MODEL_TIMEOUT,
    async () => {
      await checkModel<Keyring, Real<KeyringObject>>({
        open: async () => ({ model: new Keyring(), real: opened('keyring') }),
        acts: [
          act(4, 'keys', fault(2), async (model, { stub }, nth) => {
            const keys = await withFault(stub, nth, (keyring) => keyring.keys())
            if (keys === 'failed') return
            model.seal.rotate()
            model.seal.expect(keys)
          }),
          act(4, 'signing keys', fault(2), async (model, { stub }, nth) => {
            const keys = await withFault(stub, nth, (keyring) => keyring.signingKeys())
            if (keys === 'failed') return
            model.signing.rotate()
            model.signing.expect(keys)
            const { clients, everyone } = model
            const revocations = { validFrom: everyone, clients: Object.fromEntries(clients) }
            const isAny = everyone > 0 || clients.size > 0
            expect(keys.at(-1)?.revocations).toEqual(isAny ? revocations : undefined)
          }),
          act(
            1,
            'replace',
            fc.constantFrom('publish' as const, 'discard' as const),
            async (model, { stub }, how) => {
              const replaced = {
                seal: model.seal.replace(how),
                signing: model.signing.replace(how),
              }
              expect(await stub.replaceKeys(how)).toEqual(replaced)
            },
          ),
          act(
            2,
            'revoke',
            fc.record({ first: fc.nat(60), clients: fc.constantFrom(0, 1, 60), nth: fault(2) }),
            async (model, { stub }, { first, clients, nth }) => {
              const names = Array.from({ length: clients }, (_, at) => `client ${first + at}`)
              for (const client of clients === 0 ? [undefined] : names) {
                const revoked = await withFault(stub, nth, async (object) => object.revoke(client))
                if (revoked !== 'failed') expect(revoked).toBe(model.revoke(client))
              }
            },
          ),
          ...common<Keyring, KeyringObject>([
            1,
            30_000,
            DAY_MS,
            28 * DAY_MS,
            29 * DAY_MS,
            61 * DAY_MS,
          ]),
        ],
        check: async ({ seal, signing }, { stub }) => {
          const due = Math.min(seal.nextDue, signing.nextDue)
          if (due === Infinity) return
          const alarm = await alarmOf(stub)
          expect(alarm, 'has an alarm').not.toBeNull()
          expect(alarm).toBeLessThanOrEqual(Math.max(due, Date.now()))
        },
        runs: 25,
        commands: 30,
      })
    },
  )
})

class Names {
  readonly names = new Map<string, number>()

  purge(): void {
    for (const [name, until] of this.names) if (until <= Date.now()) this.names.delete(name)
  }
}

describe('a shard of redeemed names', () => {
  const act = actsOf<Names, Real<RedeemedObject>>()

  it(
    'redeems each name once before its expiry, and has no storage after the last one',
    MODEL_TIMEOUT,
    async () => {
      await checkModel<Names, Real<RedeemedObject>>({
        open: async () => ({ model: new Names(), real: opened('redeemed') }),
        acts: [
          act(
            6,
            'redeem',
            fc.record({
              name: fc.constantFrom('a', 'A', 'b', ''),
              life: fc.constantFrom(-1, 0, 1, MINUTE_MS, HOUR_MS),
              times: fc.constantFrom(1, 1, 20),
              nth: fault(),
            }),
            async ({ names }, { stub }, { name, life, times, nth }) => {
              const until = Date.now() + life
              const isFirst = life > 0 && !names.has(name)
              const calls = Array.from({ length: times }, (_, at) =>
                withFault(stub, at === 0 && times === 1 ? nth : undefined, (shard) =>
                  shard.redeem(name, until),
                ),
              )
              const answers = await Promise.all(calls)
              if (answers.includes('failed')) return
              expect(answers.filter(Boolean)).toHaveLength(isFirst ? 1 : 0)
              if (isFirst) names.set(name, until)
            },
          ),
          ...common<Names, RedeemedObject>([1, MINUTE_MS, HOUR_MS]),
        ],
        check: async ({ names }, { stub }) => {
          const [redeemed, alarm] = await inPart<RedeemedObject, [boolean[], number | null]>(
            stub,
            async (shard, { storage }) => [
              ['a', 'A', 'b'].map((name) => shard.isRedeemed(name)),
              await storage.getAlarm(),
            ],
          )
          expect(redeemed).toEqual(['a', 'A', 'b'].map((name) => names.has(name)))
          if (names.size === 0) return
          const due = Math.max(Math.min(...names.values()), Date.now()) + MINUTE_MS
          expect(alarm).toBeLessThanOrEqual(due)
        },
        end: async (_, { stub }) => {
          await runAllAlarms(stub)
          expect(await tablesOf(stub)).toEqual([])
        },
        runs: 30,
        commands: 20,
      })
    },
  )
})

interface Session {
  readonly principal: string
  readonly usedAt: number
  readonly expiresAt: number
  readonly server: string
}

interface Task {
  readonly principal: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly server: string
  freed: boolean
}

const SERVERS = ['notes', 'other']

class Lists {
  readonly sessions = new Map<string, Session>()
  readonly tasks = new Map<string, Task>()
  created = 0

  /** Of a principal, the most recently used first. */
  sessionsOf(principal: string, server?: string): string[] {
    return [...this.sessions]
      .filter(([, each]) => each.principal === principal && (server ?? each.server) === each.server)
      .toSorted(([, one], [, other]) => other.usedAt - one.usedAt)
      .map(([name]) => name)
  }

  liveTasks(principal: string | undefined, server?: string): [string, Task][] {
    const now = Date.now()
    return [...this.tasks]
      .filter(
        ([, each]) => each.expiresAt > now && (principal ?? each.principal) === each.principal,
      )
      .filter(([, each]) => (server ?? each.server) === each.server)
      .toSorted(([a, one], [b, other]) => other.createdAt - one.createdAt || (a < b ? -1 : 1))
  }

  purge(): void {
    for (const [name, { expiresAt }] of this.sessions) {
      if (expiresAt <= Date.now()) this.sessions.delete(name)
    }
  }
}

describe('a shard of the lists of principals', () => {
  const act = actsOf<Lists, Real<PrincipalsObject>>()
  const who = fc.constantFrom('anna', 'boris')
  const server = fc.constantFrom('notes', ...SERVERS)
  const limit = fc.constantFrom(1, 2, 2, 3)
  const life = fc.constantFrom(MINUTE_MS, HOUR_MS)

  it(
    'counts and lists the sessions and tasks of each, and has no storage after the last one',
    MODEL_TIMEOUT,
    async () => {
      await checkModel<Lists, Real<PrincipalsObject>>({
        open: async () => ({ model: new Lists(), real: opened('principals') }),
        acts: [
          act(
            5,
            'enter session',
            fc.record({ who, server, limit, life, name: fc.nat(3), nth: fault(3) }),
            async (
              model,
              { stub },
              { who: principal, server: of, limit: most, life: ms, name, nth },
            ) => {
              vi.setSystemTime(Date.now() + 1)
              const session = `${principal} ${of} ${name}`
              const expiresAt = Date.now() + ms
              const excess = await withFault(stub, nth, (shard) =>
                shard.enterSession(principal, session, expiresAt, most, of),
              )
              if (excess === 'failed') return
              const used = { principal, usedAt: Date.now(), expiresAt, server: of }
              model.sessions.set(session, used)
              const beyond = model.sessionsOf(principal, of).slice(most)
              const expected = beyond.map((each) => model.sessions.get(each)?.expiresAt)
              expect(excess.map((each) => each.name)).toEqual(beyond)
              expect(excess.map((each) => each.expiresAt)).toEqual(expected)
              for (const each of beyond) model.sessions.delete(each)
            },
          ),
          act(
            1,
            'leave session',
            fc.record({ who, server, name: fc.nat(3) }),
            async (model, { stub }, { who: principal, server: of, name }) => {
              await stub.leaveSession(principal, `${principal} ${of} ${name}`)
              model.sessions.delete(`${principal} ${of} ${name}`)
            },
          ),
          act(
            7,
            'enter task',
            fc.record({
              who,
              server,
              limit,
              life,
              back: fc.constantFrom(0, 0, 0, 1, 2),
              nth: fault(2),
            }),
            async (
              model,
              { stub },
              { who: principal, server: of, limit: most, life: ms, back, nth },
            ) => {
              if (back === 0) model.created += 1
              const name = `${principal} ${model.created - back}`
              const createdAt = Date.now()
              const task = { owner: 'o', principal, name, createdAt, expiresAt: createdAt + ms }
              const entered = await withFault(stub, nth, (shard) =>
                shard.enterTask({ ...task, server: of }, most),
              )
              if (entered === 'failed') return
              const listed = model.liveTasks(principal)
              const counted = listed.filter(([, { freed }]) => !freed)
              const isFull = counted.length >= most || listed.length >= most * 10
              const hasPlace = counted.some(([each]) => each === name)
              expect(entered).toBe(hasPlace || !isFull)
              if (entered) model.tasks.set(name, { ...task, server: of, freed: false })
            },
          ),
          act(
            3,
            'end task',
            fc.record({
              at: fc.nat(9),
              how: fc.constantFrom('freeTask' as const, 'leaveTask' as const),
            }),
            async (model, { stub }, { at, how }) => {
              const [name, task] = model.liveTasks(undefined)[at] ?? ['unknown']
              await stub[how]('o', name)
              if (how === 'leaveTask') model.tasks.delete(name)
              else if (task !== undefined) task.freed = true
            },
          ),
          act(
            2,
            'page of tasks',
            fc.record({
              who: fc.option(who, { nil: undefined }),
              server: fc.option(server, { nil: undefined }),
              after: fc.nat(3),
            }),
            async (model, { stub }, { who: principal, server: of, after }) => {
              const all = model.liveTasks(principal, of)
              const [name, task] = all[after] ?? []
              const position =
                name === undefined || task === undefined
                  ? undefined
                  : { name, createdAt: task.createdAt }
              const page = await stub.listTasks('o', principal, position, 1000, of)
              const live = page.filter(
                (each) => (model.tasks.get(each.name)?.expiresAt ?? 0) > Date.now(),
              )
              const rest = position === undefined ? all : all.slice(after + 1)
              expect(live.map((each) => each.name)).toEqual(rest.map(([each]) => each))
              const two = await stub.listTasks('o', principal, position, 2, of)
              expect(two).toEqual(page.slice(0, 2))
            },
          ),
          ...common<Lists, PrincipalsObject>([1, MINUTE_MS, HOUR_MS]),
        ],
        check: async (model, { stub }) => {
          const [sessions, alarm] = await inPart<PrincipalsObject, [string[][], number | null]>(
            stub,
            async (shard, { storage }) => [
              ['anna', 'boris'].map((each) => shard.listSessions(each).map(({ name }) => name)),
              await storage.getAlarm(),
            ],
          )
          expect(sessions).toEqual(['anna', 'boris'].map((each) => model.sessionsOf(each)))
          const live = [
            ...model.sessions.values(),
            ...model.liveTasks(undefined).map(([, task]) => task),
          ]
          if (live.length === 0) return
          const due = Math.min(...live.map(({ expiresAt }) => expiresAt))
          expect(alarm).toBeLessThanOrEqual(Math.max(due, Date.now()) + MINUTE_MS)
        },
        end: async (_, { stub }) => {
          await runAllAlarms(stub)
          expect(await tablesOf(stub)).toEqual([])
        },
        runs: 25,
        commands: 35,
      })
    },
  )
})
