/** The guide of live updates lists every kind of change. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHANGE_KINDS } from '../src/ports/change-bus.ts'

const GUIDE = readFileSync(join(import.meta.dirname, '../docs/guides/live-updates.md'), 'utf8')

describe('the guide of live updates', () => {
  it('has one row for each kind of change', () => {
    const kinds = [...GUIDE.matchAll(/^\|[^|]+\| `([a-z]+_[a-z_]+)` \|/gm)].map(([, kind]) => kind)
    expect(kinds.toSorted()).toEqual([...CHANGE_KINDS].toSorted())
  })
})
