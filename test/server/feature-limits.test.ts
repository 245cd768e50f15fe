/** The limits of features: each is an option of its feature, and one checker gives all errors the same form. */
import { describe, expect, it } from 'vitest'
import { code } from '../../packages/code/src/code/index.ts'
import { events } from '../../packages/events/src/index.ts'
import { changes } from '../../src/features/changes/index.ts'
import { files } from '../../src/features/files/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { state } from '../../src/features/state/index.ts'
import { tasks } from '../../src/features/tasks/index.ts'
import { asks, createEdgeway, McpServer } from '../../src/index.ts'
import { DEFAULT_FEATURE_LIMITS } from '../support/feature-limits.ts'

/** The features whose limits are options, by their names. */
const FEATURES: Readonly<Record<string, (options: Readonly<Record<string, unknown>>) => unknown>> =
  {
    asks,
    sessions,
    tasks,
    changes,
    state,
    files,
    code,
    events: (limits) => events({ types: [], limits }),
  }

const create = (feature: string, options: Readonly<Record<string, unknown>>) =>
  FEATURES[feature]?.(options)

const names = Object.keys(DEFAULT_FEATURE_LIMITS).map((name) => name.split('.') as [string, string])
const OTHERS = [
  ['code', 'maxCalls'],
  ['events', 'streamsPerType'],
] as const

describe('a limit of a feature', () => {
  it.each([...names, ...OTHERS])('%s({ %s }) must be a number above 0', (feature, option) => {
    for (const value of [0, -1, Number.NaN, '5', null]) {
      const error = new TypeError(`${feature}: ${option} must be a number above 0`)
      expect(() => create(feature, { [option]: value })).toThrow(error)
    }
    expect(() => create(feature, { [option]: undefined })).not.toThrow()
  })

  it.each([...names, ...OTHERS].filter(([, option]) => !option.endsWith('Ms')))(
    '%s({ %s }) must be an integer',
    (feature, option) => {
      const error = new TypeError(`${feature}: ${option} must be an integer`)
      expect(() => create(feature, { [option]: 1.5 })).toThrow(error)
    },
  )

  it.each([
    ['tasks', 'holdMs', 2_147_483_647, ', 24 days'],
    ['changes', 'shardTimeoutMs', 2_147_483_647, ', 24 days'],
    ['changes', 'changeRetentionMs', 2_147_483_647, ', 24 days'],
    ['events', 'pollMs', 2_147_483_647, ', 24 days'],
    ['state', 'bytes', 1_048_576, ''],
    ['code', 'maxCalls', 10_000, ''],
    ['code', 'cpuMs', 300_000, ''],
  ])('%s({ %s }) must be at most %d', (feature, option, maximum, days) => {
    const error = new TypeError(`${feature}: ${option} must be at most ${maximum}${days}`)
    expect(() => create(feature, { [option]: maximum + 1 })).toThrow(error)
    expect(() => create(feature, { [option]: maximum })).not.toThrow()
  })

  it.each(Object.keys(FEATURES))('that %s() does not have is refused by name', (feature) => {
    const error = new TypeError(`${feature}: there is no option "taskTtlMs"`)
    expect(() => create(feature, { taskTtlMs: 5 })).toThrow(error)
  })

  it('is no limit of the app', () => {
    const server = new McpServer({ name: 'limits', version: '1.0.0' })
    for (const [, option] of names) {
      expect(() => createEdgeway(server, { limits: { [option]: 5 } })).toThrow(
        new TypeError(`limits: there is no option "${option}"`),
      )
    }
  })
})
