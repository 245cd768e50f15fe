/** What the page of operations states: its commands, and the limits with their defaults. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ADMIN_OPERATIONS } from '../packages/inspector/src/admin/admin-operations.ts'
import { DEFAULT_AUTH_LIMITS } from '../src/auth/server/auth-limits.ts'
import { DEFAULT_LIMITS } from '../src/ports/app-limits.ts'
import { DEFAULT_FEATURE_LIMITS } from './support/feature-limits.ts'

const page = readFileSync(resolve(import.meta.dirname, '../docs/operations.md'), 'utf8')

describe('docs/operations.md', () => {
  it('names every operation of the admin API, and no other one', () => {
    const named = [...page.matchAll(/edgeway admin ([a-z-]+)/g)].map(([, name]) => name)
    expect([...new Set(named)].sort()).toEqual(Object.keys(ADMIN_OPERATIONS).sort())
  })

  it('lists every limit with its default, what it protects and what its excess looks like', () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| (\d+) \| (.+) \| (.+) \|$/gm)]
    const defaults = Object.fromEntries(rows.map(([, name, value]) => [name, Number(value)]))
    expect(defaults).toEqual({ ...DEFAULT_LIMITS, ...DEFAULT_AUTH_LIMITS })
  })

  it('lists every limit of a feature in the same form', () => {
    const rows = [...page.matchAll(/^\| `(\w+)\(\{ (\w+) \}\)` \| (\d+) \| (.+) \| (.+) \|$/gm)]
    const defaults = rows.map(([, feature, option, value]) => [
      `${feature}.${option}`,
      Number(value),
    ])
    // The guide to live updates has the other options of changes().
    const listed = Object.entries(DEFAULT_FEATURE_LIMITS).filter(
      ([name]) => !name.startsWith('changes.') || name === 'changes.listenLifetimeMs',
    )
    expect(Object.fromEntries(defaults)).toEqual(Object.fromEntries(listed))
  })

  it('has at most twelve limits of every app', () => {
    expect(Object.keys(DEFAULT_LIMITS).length).toBeLessThanOrEqual(12)
  })
})
