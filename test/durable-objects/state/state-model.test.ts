/** The state object: entries and files under arbitrary operations, evictions, alarms and failing writes. */
// features: state
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { FilePlace, PlacedFile } from '../../../durable-objects/state/files.ts'
import type { StateObject } from '../../../durable-objects/state/state-object.ts'
import type { NewFile } from '../../../src/ports/files.ts'
import type { EntryWrite, EntryWritten } from '../../../src/ports/state-store.ts'
import { inPart, objectsOfKind, type TestStub } from '../../support/objects.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, useFakeClock } from '../fake-clock.ts'
import {
  actsOf,
  checkModel,
  evict,
  fault,
  MODEL_TIMEOUT,
  runAlarm,
  runAllAlarms,
  tablesOf,
  withFault,
} from '../model.ts'

const LIMIT = 3
const NAMES = ['a', 'b', 'c', 'd', 'e']
const FILES = { maxBytes: 60, maxFiles: 3, maxTotalBytes: 100 }

/** `value`: undefined after a deletion, which is remembered so that it can be repeated. */
interface Entry {
  readonly value: string | undefined
  readonly operation: string
  readonly createdAt: number
  readonly expiresAt: number
}

interface File {
  readonly id: string
  readonly state: 'storing' | 'stored' | 'closed'
  readonly size: number
  readonly expiresAt: number
  readonly file: NewFile
  readonly place: FilePlace
}

class Reference {
  readonly entries = new Map<string, Entry>()
  readonly files = new Map<string, File>()
  operations = 0
  closed = 0

  read(name: string): string | undefined {
    const { value, expiresAt = 0 } = this.entries.get(name) ?? {}
    return expiresAt > Date.now() ? value : undefined
  }

  write(name: string, write: EntryWrite): EntryWritten {
    const now = Date.now()
    const known = this.entries.get(name)
    if (known?.operation === write.operation) return 'written'
    const value = this.read(name)
    if (value === undefined) {
      if (write.mustExist) return 'absent'
      if (NAMES.filter((each) => this.read(each) !== undefined).length >= write.limit) return 'full'
    } else if (write.expected !== undefined && write.expected !== `digest of ${value}`) {
      return 'changed'
    }
    const createdAt = value === undefined ? now : (known?.createdAt ?? now)
    const unchanged = value === undefined ? Number.POSITIVE_INFINITY : (known?.expiresAt ?? now)
    const { lifetimeMs } = write
    const expiresAt =
      lifetimeMs === undefined ? unchanged : Math.min(now + lifetimeMs, createdAt + 89 * DAY_MS)
    this.entries.set(name, { value: write.value, operation: write.operation, createdAt, expiresAt })
    return 'written'
  }

  delete(name: string, operation: string): boolean {
    const known = this.entries.get(name)
    if (known === undefined) return false
    if (this.read(name) === undefined) return known.operation === operation
    const expiresAt = Date.now() + 10 * MINUTE_MS
    this.entries.set(name, { ...known, value: undefined, operation, expiresAt })
    return true
  }

  settled(id: string): File | undefined {
    const now = Date.now()
    return [...this.files.values()].find(
      (each) => each.id === id && each.state !== 'storing' && each.expiresAt > now,
    )
  }

  used(): { readonly files: number; readonly bytes: number } {
    const now = Date.now()
    const used = [...this.files.values()].filter(
      ({ state, expiresAt }) => state !== 'closed' && expiresAt > now,
    )
    return { files: used.length, bytes: used.reduce((sum, { size }) => sum + size, 0) }
  }

  /** Bytes in the bucket may still arrive, so that the alarm deletes them with the row. */
  drop(blob: string): void {
    const row = this.files.get(blob)
    if (row?.state !== 'storing') return
    if (row.place === 'object') this.files.delete(blob)
    else this.files.set(blob, { ...row, expiresAt: Date.now() })
  }

  /** What the alarm deletes. A deleted entry is forgotten only then. */
  purge(): void {
    const now = Date.now()
    for (const rows of [this.entries, this.files] as const) {
      for (const [key, { expiresAt }] of rows) if (expiresAt <= now) rows.delete(key)
    }
  }
}

interface Real {
  readonly stub: TestStub<StateObject>
}

const act = actsOf<Reference, Real>()
const name = fc.constantFrom(...NAMES)
const id = fc.constantFrom('x', 'y')
const place = fc.constantFrom('object' as const, 'bucket' as const)
const lifetimeMs = fc.constantFrom(MINUTE_MS, HOUR_MS, 80 * DAY_MS)

const fileOf = (of: string, lifetime: number): NewFile => ({
  id: of,
  name: `${of}.bin`,
  mimeType: 'text/plain',
  lifetimeMs: lifetime,
  ...FILES,
})

/** A write whose row was deleted meanwhile would be a new one, so only recent operations are repeated. */
const acts = [
  act(
    8,
    'write',
    fc.record({
      name,
      value: fc.constantFrom('1', '2'),
      mustExist: fc.boolean(),
      expected: fc.constantFrom(undefined, undefined, 'digest of 1', 'digest of 2'),
      lifetimeMs: fc.option(lifetimeMs, { nil: undefined }),
      repeated: fc.boolean(),
      nth: fault(),
    }),
    async (model, { stub }, { name: of, repeated, nth, ...rest }) => {
      const known = model.entries.get(of)
      const isRepeated = repeated && known !== undefined && known.expiresAt > Date.now()
      const operation = isRepeated ? known.operation : `${model.operations++}`
      const write = { ...rest, operation, limit: LIMIT, digest: `digest of ${rest.value}` }
      const written = await withFault(stub, nth, (state) => state.write(of, write))
      if (written !== 'failed') expect(written).toBe(model.write(of, write))
    },
  ),
  act(
    3,
    'delete',
    fc.record({ name, repeated: fc.boolean(), nth: fault() }),
    async (model, { stub }, { name: of, repeated, nth }) => {
      const known = model.entries.get(of)
      const isRepeated = repeated && known !== undefined && known.expiresAt > Date.now()
      const operation = isRepeated ? known.operation : `${model.operations++}`
      const deleted = await withFault(stub, nth, (state) => state.delete(of, operation))
      if (deleted !== 'failed') expect(deleted).toBe(model.delete(of, operation))
    },
  ),
  act(4, 'begin', fc.record({ id, lifetimeMs, place }), async (model, { stub }, rest) => {
    const { id: of } = rest
    const file = fileOf(of, rest.lifetimeMs)
    const begun = await stub.beginFile(file, rest.place)
    const settled = model.settled(of)
    const { files, bytes } = model.used()
    if (settled !== undefined) {
      expect(begun).toMatchObject({ kind: 'existing', file: { id: of, size: settled.size } })
    } else if (files >= FILES.maxFiles || model.files.size >= 2 * FILES.maxFiles) {
      expect(begun).toEqual({ kind: 'too-many' })
    } else {
      const kind = { kind: 'begun', bytes: Math.min(FILES.maxBytes, FILES.maxTotalBytes - bytes) }
      expect(begun).toMatchObject(kind)
      const { blob } = begun as { readonly blob: string }
      const expiresAt = Date.now() + 2 * HOUR_MS
      const row = { id: of, state: 'storing', size: 0, expiresAt, file, place: rest.place } as const
      model.files.set(blob, row)
    }
  }),
  act(
    4,
    'complete',
    fc.record({ at: fc.nat(5), size: fc.constantFrom(10, 50), nth: fault() }),
    async (model, { stub }, { at, size, nth }) => {
      const blobs = [...model.files].filter(([, { state }]) => state === 'storing')
      const [blob, row] = blobs[at % blobs.length] ?? []
      if (blob === undefined || row === undefined) return
      const settled = model.settled(row.id)
      const tooLate = row.expiresAt - HOUR_MS <= Date.now()
      const noSpace = model.used().bytes + size > FILES.maxTotalBytes
      const completed = await withFault(stub, nth, (state) =>
        state.completeFile(blob, size, row.file),
      )
      if (completed === 'failed') return
      if (settled !== undefined || tooLate || noSpace) {
        model.drop(blob)
        const refused = tooLate ? 'expired' : 'no-space'
        expect(completed.kind).toBe(settled === undefined ? refused : 'existing')
        return
      }
      const expiresAt = Date.now() + row.file.lifetimeMs
      model.files.set(blob, { ...row, state: 'stored', size, expiresAt })
      const file = { id: row.id, name: row.file.name, mimeType: 'text/plain', size, expiresAt }
      expect(completed).toEqual({ kind: 'stored', file })
    },
  ),
  act(2, 'chunk', fc.nat(5), async (model, { stub }, at) => {
    const [blob, row] = [...model.files][at % model.files.size] ?? []
    if (blob === undefined) return
    const isOpen = row?.state === 'storing'
    const bytes = new TextEncoder().encode(blob)
    expect(await stub.addChunk(blob, 0, bytes.buffer as ArrayBuffer)).toBe(isOpen)
    const read = await stub.readChunk(blob, 0)
    if (isOpen) expect(new TextDecoder().decode(read)).toBe(blob)
  }),
  act(2, 'drop', fc.nat(5), async (model, { stub }, at) => {
    const [blob] = [...model.files][at % model.files.size] ?? []
    if (blob === undefined) return
    await stub.dropFile(blob)
    model.drop(blob)
  }),
  act(1, 'close', fc.record({ id, lifetimeMs }), async (model, { stub }, { id: of, ...rest }) => {
    const until = Date.now() + rest.lifetimeMs
    await stub.closeUpload(of, until)
    if (model.settled(of) !== undefined) return
    const file = fileOf(of, rest.lifetimeMs)
    const row = {
      id: of,
      state: 'closed',
      size: 0,
      expiresAt: until,
      file,
      place: 'object',
    } as const
    model.files.set(`closed ${model.closed++}`, row)
  }),
  act(1, 'erase', fc.constant(undefined), async (model, { stub }) => {
    const now = Date.now()
    const hadAny = model.files.size + NAMES.filter((each) => hasValue(model, each)).length > 0
    expect(await stub.erase()).toBe(hadAny)
    model.entries.clear()
    for (const [blob, row] of model.files) {
      if (row.state !== 'storing') model.files.delete(blob)
      else model.files.set(blob, { ...row, expiresAt: Math.min(row.expiresAt, now + HOUR_MS) })
    }
    model.purge()
  }),
  act(2, 'evict', fc.constant(undefined), async (_, { stub }) => evict(stub)),
  act(2, 'alarm', fc.constant(undefined), async (model, { stub }) => {
    if (await runAlarm(stub)) model.purge()
  }),
  act(
    4,
    'wait',
    fc.constantFrom(1, MINUTE_MS - 1, MINUTE_MS, 10 * MINUTE_MS, HOUR_MS, 79 * DAY_MS),
    async (_, __, ms) => vi.setSystemTime(Date.now() + ms),
  ),
]

/** Expired entries count as some until they are deleted. */
const hasValue = (model: Reference, of: string) => model.entries.get(of)?.value !== undefined

interface State {
  readonly read: (string | undefined)[]
  readonly files: (PlacedFile | undefined)[]
  readonly alarm: number | null
  readonly expiries: ReturnType<typeof expiriesOf>
}

/** When each entry expires, by its name. */
function expiriesOf(sql: SqlStorage): [string, number][] {
  const tables = sql.exec("SELECT name FROM sqlite_master WHERE name = 'entries'").toArray()
  const query = 'SELECT name, expires_at AS at FROM entries WHERE value IS NOT NULL ORDER BY name'
  return (tables.length === 0 ? [] : sql.exec<{ name: string; at: number | null }>(query).toArray())
    .map(({ name: of, at }): [string, number] => [of, at ?? Number.POSITIVE_INFINITY])
    .filter(([, at]) => at > Date.now())
}

async function check(model: Reference, { stub }: Real): Promise<void> {
  const { read, files, alarm, expiries } = await inPart<StateObject, State>(
    stub,
    async (part, ctx) => ({
      read: await Promise.all(NAMES.map((each) => part.read(each))),
      files: await Promise.all(['x', 'y'].map((each) => part.findFile(each))),
      alarm: await ctx.storage.getAlarm(),
      expiries: expiriesOf(ctx.storage.sql),
    }),
  )
  expect(read).toEqual(NAMES.map((each) => model.read(each)))
  const live = NAMES.filter((each) => model.read(each) !== undefined)
  expect(expiries).toEqual(live.map((each) => [each, model.entries.get(each)?.expiresAt]))
  for (const [at, of] of ['x', 'y'].entries()) {
    const found = files[at]
    const settled = model.settled(of)
    expect(found && [found.size, found.expiresAt, found.closed ?? false]).toEqual(
      settled && [settled.size, settled.expiresAt, settled.state === 'closed'],
    )
  }
  const rows = [...model.entries.values(), ...model.files.values()]
  const expiry = Math.min(...rows.map(({ expiresAt }) => expiresAt))
  if (expiry === Number.POSITIVE_INFINITY) return
  expect(alarm, 'has an alarm').not.toBeNull()
  // An alarm that the clock has passed is still set.
  expect(alarm).toBeLessThanOrEqual(Math.max(expiry, Date.now()) + MINUTE_MS)
}

describe('a state object', () => {
  useFakeClock()

  it(
    'has the entries and files of its operations, and no storage after the last of them',
    MODEL_TIMEOUT,
    async () => {
      await checkModel<Reference, Real>({
        open: async () => ({
          model: new Reference(),
          real: { stub: objectsOfKind<StateObject>('state').named(crypto.randomUUID()) },
        }),
        acts,
        check,
        end: async (model, { stub }) => {
          await runAllAlarms(stub)
          model.purge()
          const lasting = NAMES.filter((each) => hasValue(model, each)).length
          expect((await tablesOf(stub)).length > 0).toBe(lasting > 0)
        },
        runs: 30,
        commands: 40,
      })
    },
  )
})
