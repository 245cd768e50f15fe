/** What the guide of events states: the options of an event type, and the limits with their defaults. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveEventLimits } from '../src/objects/event-settings.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const read = (file: string) => readFileSync(resolve(ROOT, file), 'utf8')

const guide = read('docs/guides/events.md')

const UNITS: Readonly<Record<string, number>> = { s: 1000, min: 60_000, h: 3_600_000 }

/** The number of a cell such as `10,000` or `6 h`, or the numbers of several. */
function numbersIn(cell: string): number | number[] {
  const numbers = [...cell.matchAll(/([\d,]*\d)(?: (s|min|h))?/g)].map(
    ([, number = '', unit]) => Number(number.replaceAll(',', '')) * (UNITS[unit ?? ''] ?? 1),
  )
  return numbers.length === 1 ? (numbers[0] ?? 0) : numbers
}

describe('docs/guides/events.md', () => {
  it('lists every limit with its default', () => {
    const rows = [...guide.matchAll(/^\| `(\w+)` \| (\d[\d, a-z]*) \| /gm)]
    const listed = rows.map(([, name = '', cell = '']) => [name, numbersIn(cell)])
    expect(Object.fromEntries(listed)).toEqual(resolveEventLimits())
  })

  it('has a row for every option of defineEvent', () => {
    const [, options = ''] = read('packages/events/src/define-event.ts').split(
      'export interface EventOptions<',
    )
    const [body = ''] = options.split('\n}\n')
    const names = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name = '']) => name)
    const [, table = ''] = guide.split('| option of `defineEvent` |')
    const rows = table.split('\n\n')[0] ?? ''
    expect(names).toContain('payload')
    expect(names.filter((name) => !rows.includes(`\`${name}`))).toEqual(['_meta'])
  })
})
