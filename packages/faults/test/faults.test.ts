/** The catalogue of faults and its page. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  AFFECTED_CLIENTS_MODULE,
  affectedClientsModule,
} from '../../../scripts/support/affected-clients.ts'
import { FAULTS_PAGE, faultsPage } from '../../../scripts/support/faults-page.ts'
import { CLIENT_NAMES } from '../../client/src/names.ts'
import { effectOn } from '../src/fault.ts'
import { FAULT_GROUPS, FAULTS } from '../src/faults.ts'

const ROOT = resolve(import.meta.dirname, '../../..')
const entries = Object.entries(FAULTS)

describe('the catalogue of faults', () => {
  it('is the page in docs/reference/faults.md', () => {
    expect(readFileSync(join(ROOT, FAULTS_PAGE), 'utf8')).toBe(faultsPage())
  })

  it('is the table of affected clients of the timeline', () => {
    expect(readFileSync(join(ROOT, AFFECTED_CLIENTS_MODULE), 'utf8')).toBe(affectedClientsModule())
  })

  it('has each code once', () => {
    const codes = Object.values(FAULT_GROUPS).flatMap((group) => Object.keys(group))
    expect(codes).toEqual([...new Set(codes)])
    expect(codes.sort()).toEqual(Object.keys(FAULTS).sort())
  })

  it.each(entries)('describes %s completely and concerns at least one client', (code, fault) => {
    expect(code).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    for (const text of [fault.meaning, fault.fix]) expect(text).toMatch(/^\S.*\.$/s)
    expect(fault.clause).not.toBe('')
    expect(URL.canParse(fault.source)).toBe(true)
    expect(CLIENT_NAMES.some((name) => effectOn(fault, name) !== undefined)).toBe(true)
  })
})
