/** The catalogue of directory faults and its page. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  DIRECTORY_FAULTS_PAGE,
  directoryFaultsPage,
} from '../../../scripts/support/directory-faults-page.ts'
import { DIRECTORY_FAULT_GROUPS, DIRECTORY_FAULTS } from '../src/directories/faults.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

describe('the catalogue of directory faults', () => {
  it('is the page in docs/reference/directory-faults.md', () => {
    expect(readFileSync(join(ROOT, DIRECTORY_FAULTS_PAGE), 'utf8')).toBe(directoryFaultsPage())
  })

  it('has each code once', () => {
    const codes = Object.values(DIRECTORY_FAULT_GROUPS).flatMap((group) => Object.keys(group))
    expect(codes.sort()).toEqual(Object.keys(DIRECTORY_FAULTS).sort())
  })

  it.each(Object.entries(DIRECTORY_FAULTS))(
    'describes %s completely and concerns at least one directory',
    (code, { meaning, fix, directories }) => {
      expect(code).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
      for (const text of [meaning, fix]) expect(text).toMatch(/^\S.*\.$/s)
      const rules = Object.values(directories)
      expect(rules).not.toEqual([])
      for (const { clause, source } of rules) {
        expect(clause).not.toBe('')
        expect(URL.canParse(source)).toBe(true)
      }
    },
  )
})
