/**
 * Models of objects: commands run on an object and on a small reference, and both must agree after each command. Every
 * model also evicts its object, moves the clock, runs alarms early and late, and fails writes.
 */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { vi } from 'vitest'
import type { CallsOf } from '../../src/ports/objects.ts'
import { inPart, type TestStub } from '../support/objects.ts'
import { NOON } from './fake-clock.ts'

/** The same commands in every run. `EDGEWAY_SEED` chooses others. */
const DEFAULT_SEED = 20_281_128

/** A command with its parameters. */
export interface Act<Model, Real> {
  readonly text: string
  can(model: Model): boolean
  run(model: Model, real: Real): Promise<unknown>
}

export type Acts<Model, Real> = fc.WeightedArbitrary<Act<Model, Real>>

export interface ObjectModel<Model, Real> {
  open(): Promise<{ readonly model: Model; readonly real: Real }>
  /** The time at which each sequence begins. Default: {@link NOON}. */
  readonly start?: () => number
  readonly acts: readonly Acts<Model, Real>[]
  /** Checks what holds after every command. */
  readonly check?: (model: Model, real: Real) => Promise<void> | void
  /** Checks what holds at the end, such as that nothing is left in storage. */
  readonly end?: (model: Model, real: Real) => Promise<void> | void
  readonly runs: number
  readonly commands: number
}

/** Each model makes about two thousand calls. */
export const MODEL_TIMEOUT = { timeout: 300_000 }

/** Creates the commands of one name. */
export function actsOf<Model, Real>() {
  return <Value>(
    weight: number,
    name: string,
    parameters: fc.Arbitrary<Value>,
    run: (model: Model, real: Real, value: Value) => Promise<unknown>,
    can: (model: Model, value: Value) => boolean = () => true,
  ): Acts<Model, Real> => ({
    weight,
    arbitrary: parameters.map((value) => ({
      text: `${name}(${fc.stringify(value)})`,
      can: (model) => can(model, value),
      run: (model, real) => run(model, real, value),
    })),
  })
}

/** Runs sequences of commands. Needs the fake clock. */
export async function checkModel<Model, Real>(kind: ObjectModel<Model, Real>): Promise<void> {
  const { acts, open, check, end, runs: numRuns, commands: maxCommands, start } = kind
  const command = fc.oneof(...acts).map(
    (act): fc.AsyncCommand<{ readonly model: Model }, { readonly real: Real }> => ({
      check: ({ model }) => act.can(model),
      run: async ({ model }, { real }) => {
        await act.run(model, real)
        await check?.(model, real)
      },
      toString: () => act.text,
    }),
  )
  const property = fc.asyncProperty(
    fc.commands([command], { maxCommands, size: 'max' }),
    async (sequence) => {
      vi.setSystemTime(start?.() ?? NOON)
      const { model, real } = await open()
      await fc.asyncModelRun(() => ({ model: { model }, real: { real } }), sequence)
      await end?.(model, real)
    },
  )
  const { EDGEWAY_SEED = '' } = env
  const seed = EDGEWAY_SEED === '' ? DEFAULT_SEED : Number(EDGEWAY_SEED)
  // The search for a shorter sequence ends after two minutes.
  await fc.assert(property, { numRuns, seed, interruptAfterTimeLimit: 120_000 })
}

/** Evicts an object. One that is not in memory stays as it is. */
export async function evict(stub: DurableObjectStub): Promise<void> {
  await evictDurableObject(stub).catch((error: unknown) => {
    if (!/not (currently )?running/.test(String(error))) throw error
  })
}

/** Runs the alarm of an object if it has one, also when it is not due. */
export const runAlarm = (stub: DurableObjectStub): Promise<boolean> => runDurableObjectAlarm(stub)

export const alarmOf = (stub: DurableObjectStub): Promise<number | null> =>
  runInDurableObject(stub, (_, { storage }) => storage.getAlarm())

/** Moves the clock to each alarm and runs it, until none is set. */
export async function runAllAlarms(stub: DurableObjectStub): Promise<void> {
  for (let alarms = 0; alarms < 50; alarms++) {
    const at = await alarmOf(stub)
    if (at === null) return
    vi.setSystemTime(Math.max(at, Date.now()))
    await runAlarm(stub)
  }
  throw new Error('The object sets one alarm after another')
}

/** The tables of an object. None: it has deleted its storage. */
export const tablesOf = (stub: DurableObjectStub): Promise<string[]> =>
  runInDurableObject(stub, (_, { storage: { sql } }) =>
    sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'")
      .toArray()
      .flatMap(({ name }) => (/^(_|sqlite_)/.test(name) ? [] : [name])),
  )

const WRITE = /^\s*(INSERT|UPDATE|DELETE|REPLACE)\b/i

/** Which write of a command fails: undefined for none, most of the time. */
export const fault = (most = 1): fc.Arbitrary<number | undefined> =>
  fc.oneof(
    { weight: 7, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: most }) },
  )

/** @returns the result, or `failed` when the write of that number has failed: then the call is made within the object */
export async function withFault<Part, Result>(
  stub: TestStub<Part>,
  nth: number | undefined,
  call: (object: CallsOf<Part>) => Promise<Result>,
): Promise<Result | 'failed'> {
  if (nth === undefined) return call(stub)
  return inPart<Part, Result | 'failed'>(stub, async (part, { storage: { sql } }) => {
    let writes = 0
    const exec = sql.exec.bind(sql)
    const spy = vi.spyOn(sql, 'exec').mockImplementation(((query: string, ...values: unknown[]) => {
      if (WRITE.test(query) && ++writes === nth) throw new Error('The disk is full')
      return exec(query, ...values)
    }) as typeof sql.exec)
    try {
      return await call(part as CallsOf<Part>)
    } catch (error) {
      if (!String(error).includes('The disk is full')) throw error
      return 'failed'
    } finally {
      spy.mockRestore()
    }
  })
}
