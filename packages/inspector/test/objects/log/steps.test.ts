/** The rows of the connection timeline: their bounds. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { Tables } from '../../../../../durable-objects/tables.ts'
import type { StoredStep } from '../../../src/objects/log/port.ts'
import { createStatements, MIGRATIONS, type Statements } from '../../../src/objects/log/schema.ts'
import {
  append,
  MAX_CALLS_PER_ORIGIN,
  MAX_STEP_CHARACTERS,
  MAX_STEPS,
  MAX_STEPS_PER_ORIGIN,
  purge,
  settings,
  switchUntil,
  TIMELINE_RETENTION_MS,
} from '../../../src/objects/log/steps.ts'

const NOW = Date.UTC(2100, 0, 1)

const stored = (at: number, origin: string, changes: Partial<StoredStep> = {}): StoredStep => ({
  at,
  origin,
  isCall: false,
  step: `{"at":${at}}`,
  ...changes,
})

function withStatements<T>(run: (statements: Statements) => T): Promise<T> {
  const stub = env.MCP_OBJECTS.getByName(crypto.randomUUID())
  return runInDurableObject(stub, (_, { storage }) =>
    run(new Tables(storage, MIGRATIONS, createStatements).statements),
  )
}

const origins = ({ steps }: Statements) => [...new Set(steps(NOW).map(({ origin }) => origin))]

describe('the rows of the timeline', () => {
  it('keep the latest steps of one origin', async () => {
    const times = await withStatements((statements) => {
      for (let at = 0; at < MAX_STEPS_PER_ORIGIN + 5; at++) {
        append(statements, [stored(NOW + at, 'a')], NOW)
      }
      return statements.steps(NOW).map(({ at }) => at - NOW)
    })
    expect([times.length, times[0], times.at(-1)]).toEqual([
      MAX_STEPS_PER_ORIGIN,
      5,
      MAX_STEPS_PER_ORIGIN + 4,
    ])
  })

  it('keep the first successful calls of one origin', async () => {
    const count = await withStatements((statements) => {
      for (let at = 0; at < MAX_CALLS_PER_ORIGIN + 5; at++) {
        append(statements, [stored(NOW + at, 'a', { isCall: true })], NOW)
      }
      append(statements, [stored(NOW, 'a')], NOW)
      return statements.steps(NOW).length
    })
    expect(count).toBe(MAX_CALLS_PER_ORIGIN + 1)
  })

  it('delete the origin whose last step is the oldest, whole, beyond the number of steps', async () => {
    const left = await withStatements((statements) => {
      const count = MAX_STEPS / 100 + 1
      for (let origin = 0; origin < count; origin++) {
        const steps = Array.from({ length: 100 }, (_, at) => stored(NOW + at, `origin-${origin}`))
        // The first one continues last.
        append(statements, steps, NOW)
        append(statements, [stored(NOW + 1_000 + origin, 'origin-0')], NOW)
      }
      return { names: origins(statements), total: statements.totals().rows }
    })
    expect(left.total).toBeLessThanOrEqual(MAX_STEPS)
    expect(left.names).toContain('origin-0')
    expect(left.names).not.toContain('origin-1')
  })

  it('delete origins beyond the number of characters', async () => {
    const step = `"${'x'.repeat(8_000)}"`
    const left = await withStatements((statements) => {
      for (let origin = 0; origin < 8; origin++) {
        const steps = Array.from({ length: 100 }, (_, at) =>
          stored(NOW + origin * 1_000 + at, `origin-${origin}`, { step }),
        )
        append(statements, steps, NOW)
      }
      return { names: origins(statements), total: statements.totals().characters }
    })
    expect(left.total).toBeLessThanOrEqual(MAX_STEP_CHARACTERS)
    expect(left.names).not.toContain('origin-0')
    expect(left.names).toContain('origin-7')
  })

  it('refuse a step that is too long, and more steps than one call stores', async () => {
    const count = await withStatements((statements) => {
      append(statements, [stored(NOW, 'a', { step: 'x'.repeat(8_193) })], NOW)
      append(
        statements,
        Array.from({ length: 300 }, (_, at) => stored(NOW + at, `o${at % 3}`)),
        NOW,
      )
      return statements.steps(NOW).length
    })
    expect(count).toBe(200)
  })

  it('date a step at most a minute after the clock of the object', async () => {
    const at = await withStatements((statements) => {
      append(statements, [stored(NOW + 10 * TIMELINE_RETENTION_MS, 'a')], NOW)
      return statements.steps(NOW)[0]?.at
    })
    expect(at).toBe(NOW + 60_000)
  })

  it('delete what is older than the retention, and the key with the last step', async () => {
    const kept = await withStatements((statements) => {
      const { key } = settings(statements, true)
      append(statements, [stored(NOW, 'a')], NOW)
      purge(statements, NOW + TIMELINE_RETENTION_MS - 1)
      const before = settings(statements, false).key === key
      purge(statements, NOW + TIMELINE_RETENTION_MS)
      return { before, after: settings(statements, false).key, rows: statements.steps(NOW).length }
    })
    expect(kept).toEqual({ before: true, after: undefined, rows: 0 })
  })

  it('keep the key while production is recorded', async () => {
    const keys = await withStatements((statements) => {
      switchUntil(statements, NOW + 1_000)
      purge(statements, NOW)
      const during = settings(statements, false)
      purge(statements, NOW + 1_000)
      return [during.key !== undefined, during.until, settings(statements, false)]
    })
    expect(keys).toEqual([true, NOW + 1_000, { key: undefined, until: 0 }])
  })
})
