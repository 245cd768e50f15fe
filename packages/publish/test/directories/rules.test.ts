/** The rules of directories: a clean server, and violations that are planted in it one by one. */
import { describe, expect, it } from 'vitest'
import { accepts, checkDirectory } from '../../src/directories/check.ts'
import { DIRECTORY_FAULTS } from '../../src/directories/faults.ts'
import type { DirectoryInput } from '../../src/directories/input.ts'
import { DIRECTORY_NAMES } from '../../src/directories/names.ts'
import { clean } from './clean.ts'
import { VIOLATIONS } from './planted.ts'

const findingsOf = (input: DirectoryInput) =>
  DIRECTORY_NAMES.map((name) => ({ name, findings: checkDirectory(name, input) }))

describe('a server that follows every rule', () => {
  it.each(DIRECTORY_NAMES)('has no findings of %s', (name) => {
    expect(checkDirectory(name, clean)).toEqual([])
  })

  it('has no findings where nothing of it is known', () => {
    expect(findingsOf({}).flatMap(({ findings }) => findings)).toEqual([])
  })
})

describe('a planted violation', () => {
  it.each(VIOLATIONS)(
    'is named $code, and by no other code: $what',
    ({ code, input, refusedBy }) => {
      const all = findingsOf(input)
      const codes = all.flatMap(({ findings }) => findings.map((finding) => finding.code))
      expect([...new Set(codes)]).toEqual([code])
      const refusing = all.filter(({ findings }) => !accepts(findings)).map(({ name }) => name)
      expect(refusing).toEqual(refusedBy)
      for (const { clause, fix, message } of all.flatMap(({ findings }) => findings)) {
        expect(clause).toMatch(/\(https:\/\/\S+\)$/)
        expect(fix).toMatch(/\.$/)
        expect(message).toMatch(/\.$/)
      }
    },
  )

  it('is there for every code of the catalogue', () => {
    const planted = new Set(VIOLATIONS.map(({ code }) => code))
    expect([...planted].sort()).toEqual(Object.keys(DIRECTORY_FAULTS).sort())
  })
})
