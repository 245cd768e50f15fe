/** The pages of the names that telemetry and errors report. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REFUSALS } from '../../../src/protocol/refusals.ts'
import { errorPages } from '../error-pages.ts'

const REASONS = resolve(import.meta.dirname, '../../../docs/reference/reasons.md')
const pages = new Map(
  errorPages(readFileSync(REASONS, 'utf8')).map(({ path, text }) => [path, text]),
)
const pageOf = (name: string) => pages.get(`reference/errors/${name}.md`)

describe('the page of a name', () => {
  it.each(Object.entries(REFUSALS))(
    'of the refusal %s has status, code, cause and cure',
    (name, { status, code }) => {
      const text = pageOf(name)
      expect(text).toContain(`# ${name}\n`)
      expect(text).toContain(`- status: ${status}\n- code: ${code}\n`)
      expect(text).toMatch(/\*\*Cause\.\*\* \S/)
      expect(text).toMatch(/\*\*Cure\.\*\* \S/)
    },
  )

  it('has every meaning of a name that several tables have', () => {
    expect(pageOf('person-not-allowed')?.match(/^## .*$/gm)).toEqual([
      '## Sign-in refusal reasons',
      '## Grant refusal reasons',
    ])
  })

  it('links from its own folder', () => {
    expect(pageOf('rate-limited')).toContain('](../../guides/limits.md)')
  })
})
