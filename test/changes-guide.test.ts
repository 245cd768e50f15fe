/** The guide of live updates lists every kind of change, as the table of the library has it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CHANGE_KINDS, CHANGES, type ChangeKindRow } from '../src/ports/change-kinds.ts'

const GUIDE = readFileSync(
  join(import.meta.dirname, '../docs/guides/sessions-and-streams.md'),
  'utf8',
)

describe('the guide of live updates', () => {
  it('has one row for each kind of change', () => {
    const kinds = [...GUIDE.matchAll(/^\|[^|]+\| `([a-z]+_[a-z_]+)` \|/gm)].map(([, kind]) => kind)
    expect(kinds.toSorted()).toEqual([...CHANGE_KINDS].toSorted())
  })

  it.each(CHANGE_KINDS)('names the filter and the notification of %s', (kind) => {
    const { filter, method } = CHANGES[kind]
    const [, written, notification] =
      new RegExp(`\\| \`${kind}\` \\| (?:\`(\\w+): [^|]+|– [^|]+) \\| \`([^\`]+)\` \\|`).exec(
        GUIDE,
      ) ?? []
    expect([written, `notifications/${notification}`]).toEqual([filter, method])
  })
})

describe('the table of kinds of change', () => {
  it('accepts no row without one of its members', () => {
    const { method, about, filter, capability } = CHANGES.resource_updated
    // @ts-expect-error A kind is received in some eras.
    const row: ChangeKindRow = { method, about, filter, capability }
    const { eras } = CHANGES.resource_updated
    expect(Object.keys({ ...row, eras })).toEqual(Object.keys(CHANGES.resource_updated))
  })
})
