/** The columns and queries of the telemetry guide, and the queries of the dashboard. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BLOBS, DOUBLES } from '../src/telemetry/analytics-columns.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

const guide = read('docs/guides/telemetry.md')
const dashboard: {
  readonly panels: readonly {
    readonly title: string
    readonly targets: readonly { readonly query: string }[]
  }[]
} = JSON.parse(read('docs/reference/telemetry-dashboard.json'))

const shown = [...guide.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, query = '']) => query.trim())
const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ query }) => query))

/** Functions and keywords that the SQL of Analytics Engine has. */
const WORDS = `
  select as from where and or in group by order desc limit interval day now
  sum sumif count distinct max argmax quantileexactweighted tostartoffifteenminutes
  timestamp _sample_interval edgeway
`
  .trim()
  .split(/\s+/)

const COLUMNS = [
  ...BLOBS.map((_, at) => `blob${at + 1}`),
  ...DOUBLES.map((_, at) => `double${at + 1}`),
]

/** The words of a query that are neither of the language, nor columns, nor names that the query defines. */
function unknownWords(query: string): readonly string[] {
  const code = query.replace(/'[^']*'/g, '')
  const defined = [...code.matchAll(/\bAS (\w+)/g)].map(([, name = '']) => name)
  const words = code.match(/\b[a-z_]\w*\b/gi) ?? []
  const known = new Set([...WORDS, ...COLUMNS, ...defined])
  return words.filter((word) => !known.has(word) && !known.has(word.toLowerCase()))
}

describe('docs/guides/telemetry.md', () => {
  it('lists every column of a data point, in the order of analytics-columns.ts', () => {
    const cells = [...guide.matchAll(/`((?:blob|double)\d+)` `(\w+)`/g)]
    const listed = new Map(cells.map(([, column = '', value = '']) => [column, value]))
    const expected = [...BLOBS, ...DOUBLES].map((value, at) => [COLUMNS[at], value])
    expect([...listed].sort()).toEqual(expected.sort())
  })

  it('shows queries of the dashboard', () => {
    expect(shown.length).toBeGreaterThan(0)
    expect(queries).toEqual(expect.arrayContaining(shown))
  })
})

describe('docs/reference/telemetry-dashboard.json', () => {
  it('has seven queries', () => {
    expect(queries).toHaveLength(7)
  })

  it.each(queries)('uses only existing columns and functions, and the sampling, in %s', (query) => {
    expect(unknownWords(query)).toEqual([])
    expect(query).toContain('_sample_interval')
  })

  it('has a check that finds a column which does not exist', () => {
    expect(unknownWords(`SELECT blob${BLOBS.length + 1} FROM edgeway`)).not.toEqual([])
    expect(unknownWords(`SELECT double${DOUBLES.length + 1} FROM edgeway`)).not.toEqual([])
  })
})
