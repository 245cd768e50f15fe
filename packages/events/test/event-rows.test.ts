/** The rows of the conformance suite for MCP Events: each has a test in `packages/events/test/rows`, whose title begins with it. */
// features: all
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ROWS, ROWS_WITHOUT_TEST } from './support/row-table.ts'

const DIRECTORY = join(import.meta.dirname, 'rows')

/** What the titles of all tests begin with. */
const titles = readdirSync(DIRECTORY).flatMap((file) => {
  const source = readFileSync(join(DIRECTORY, file), 'utf8')
  return [...source.matchAll(/(?:\bit|\))\(\s*(['"`])([a-z0-9%-]+): /g)].map(
    ([, , row = '']) => row,
  )
})

/** A title of a table of tests: `delivery-%i-non-retryable`. */
const isTested = (row: string) =>
  titles.some((title) => new RegExp(`^${title.replace('%i', '\\d+')}$`).test(row))

describe('the rows of the conformance suite for MCP Events', () => {
  it('are 131, besides those of its later revision', () => {
    expect(ROWS).toHaveLength(131)
    expect(new Set(ROWS).size).toBe(131)
  })

  it('have a test each, except for those with a reason', () => {
    const untested = ROWS.filter((row) => !isTested(row))
    expect(untested).toEqual(Object.keys(ROWS_WITHOUT_TEST))
  })

  it('are what every title begins with', () => {
    const LATER = ['capability-empty-settings', 'fallback-method-not-found']
    const known = [...ROWS, ...LATER]
    const unknown = titles.filter((title) => !known.some((row) => matches(title, row)))
    expect(unknown).toEqual([])
  })
})

function matches(title: string, row: string): boolean {
  return new RegExp(`^${title.replace('%i', '\\d+')}$`).test(row)
}
