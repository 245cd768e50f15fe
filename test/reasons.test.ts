/** The documentation of the names that telemetry reports. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REFUSALS } from '../src/protocol/refusals.ts'
import { verifies } from './support/verifies.ts'

const ROOT = resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')

/** The rows of the table under a heading, as cells. */
function rowsUnder(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = read('docs/reference/reasons.md').split(`\n## ${heading}\n`)
  const [table = ''] = section.split('\n## ')
  return [...table.matchAll(/^\| `.*$/gm)].map(([row]) =>
    row.split('|').flatMap((cell) => (cell === '' ? [] : cell.trim().replaceAll('`', ''))),
  )
}

const namesUnder = (heading: string) => rowsUnder(heading).map(([name]) => name)

/** The members of a union of string literals, in the order of the source. */
function membersOf(type: string, file: string): string[] {
  const [, union = ''] =
    read(file).match(new RegExp(`export type ${type} =((?:\\s+\\| '.*')+)`)) ?? []
  return [...union.matchAll(/'(.*)'/g)].map(([, name = '']) => name)
}

describe('docs/reference/reasons.md', () => {
  it('lists every refusal with its status and code, in the order of REFUSALS', () => {
    verifies('base-protocol/error-codes-are-integers', 'base-protocol/reserved-error-codes')
    expect(rowsUnder('Refusals').map(([name, status, code]) => [name, status, code])).toEqual(
      Object.entries(REFUSALS).map(([name, { status, code }]) => [name, `${status}`, `${code}`]),
    )
  })

  it('lists token-missing and every OAuthErrorCode', () => {
    const codes = membersOf('OAuthErrorCode', 'src/protocol/oauth-error-code.ts')
    expect(namesUnder('Refusals of authorization')).toEqual(['token-missing', ...codes])
  })

  it.each([
    ['Refusals of subscriptions', 'EventRefusalReason', 'src/ports/event-refusal.ts'],
    ['Leniencies', 'Leniency', 'src/ports/telemetry.ts'],
    ['Cancel reasons', 'CancelReason', 'src/ports/cancel-reason.ts'],
    ['Sign-in refusal reasons', 'SignInRefusalReason', 'src/ports/telemetry.ts'],
    ['Grant refusal reasons', 'GrantRefusalReason', 'src/ports/grant-refusal.ts'],
    ['State error reasons', 'StateErrorReason', 'src/server/state.ts'],
    ['File error reasons', 'FileErrorReason', 'src/server/file.ts'],
    ['Emit error reasons', 'EmitErrorReason', 'src/server/event.ts'],
  ])('lists under "%s" every %s, in the order of the type', (heading, type, file) => {
    const members = membersOf(type, file)
    expect(members).not.toEqual([])
    expect(namesUnder(heading)).toEqual(members)
  })

  it('has a meaning and an advice for every name', () => {
    const headings = [
      'Refusals',
      'Refusals of authorization',
      'Refusals of subscriptions',
      'Leniencies',
      'Cancel reasons',
      'Sign-in refusal reasons',
      'Grant refusal reasons',
      'State error reasons',
      'File error reasons',
      'Emit error reasons',
    ]
    const incomplete = headings
      .flatMap(rowsUnder)
      .filter((cells) => cells.some((cell) => cell === ''))
    expect(incomplete).toEqual([])
  })
})
