/** The table of planted faults has every fault of the catalogue. */
import { describe, expect, it } from 'vitest'
import { FAULT_GROUPS, FAULTS } from '../src/faults.ts'
import { OTHERWISE, SEEN } from './planted/seen.ts'
import { ELSEWHERE, OPEN, PROTECTED, WITH_EVENTS } from './planted/table.ts'

const ROWS = [...OPEN, ...PROTECTED, ...WITH_EVENTS]
const planted = new Set<string>(ROWS.map(({ fault }) => fault))

describe('the table of planted faults', () => {
  it('has every fault of a server, or says where it is tested', () => {
    // Those of a project are in the table of `packages/doctor/test/planted-projects.ts`.
    const ofProjects = Object.keys(FAULT_GROUPS['Configuration of a project'])
    const known = [...planted, ...Object.keys(ELSEWHERE), ...ofProjects]
    expect(known.toSorted()).toEqual(Object.keys(FAULTS).toSorted())
  })

  it('has no name for a fault that it does not plant, or for a way that it does not have', () => {
    expect(Object.keys(SEEN).filter((code) => !planted.has(code))).toEqual([])
    const ways = ROWS.map(({ when }) => when)
    expect(
      Object.keys(OTHERWISE).filter((when) => ways.filter((one) => one === when).length !== 1),
    ).toEqual([])
  })
})
