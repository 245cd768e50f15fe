import { describe, expect, it } from 'vitest'
import { nearestNames } from '../../src/platform/likeness.ts'

const NAMES = ['create_invoice', 'list_invoices', 'delete_customer']

describe('nearestNames', () => {
  it.for([
    ['creat_invoice', 'create_invoice'],
    ['CreateInvoice', 'create_invoice'],
    ['invoices_list', 'list_invoices'],
    ['customer', 'delete_customer'],
  ] as const)('finds for %s the name %s first', ([wanted, nearest]) => {
    expect(nearestNames(NAMES, wanted, 3)[0]).toBe(nearest)
  })

  it('returns at most as many names as wanted, and none that has nothing in common', () => {
    expect(nearestNames(NAMES, 'invoice', 1)).toHaveLength(1)
    expect(nearestNames(NAMES, 'qqq', 3)).toEqual([])
    expect(nearestNames(NAMES, '', 3)).toEqual([])
    expect(nearestNames([], 'invoice', 3)).toEqual([])
  })
})
