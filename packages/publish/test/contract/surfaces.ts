/** Contracts of servers that a test describes by their lists. */

import { DEPRECATED_META, deprecationText } from '../../../../src/protocol/deprecation.ts'
import type { Tool } from '../../../../src/protocol/primitives.ts'
import type { Surface } from '../../../doctor/src/definition/surface.ts'
import { compareContracts, differenceText } from '../../src/contract/compare/compare-contracts.ts'
import { type Contract, createContract } from '../../src/contract/contract.ts'
import { countTokens } from '../../src/contract/count-tokens.ts'

export const EMPTY: Surface = {
  info: { name: 'shop', version: '1.0.0' },
  tools: [],
  prompts: [],
  resources: [],
  resourceTemplates: [],
  events: [],
}

export const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { [`${name}_id`]: { type: 'string' } } },
  ...more,
})

export const deprecated = (name: string, until: string, use = 'current'): Tool =>
  tool(name, {
    description: `${deprecationText({ use, until })} Does ${name}.`,
    _meta: { [DEPRECATED_META]: { use, until } },
  })

export const contractOf = (surface: Partial<Surface>, path = '/mcp'): Contract =>
  createContract(
    [{ audience: 'shop', paths: [path], surface: { ...EMPTY, ...surface } }],
    countTokens,
  )

export const TODAY = '2027-03-01'

/** The differences as `kind: sentence`. */
export function differences(before: Partial<Surface>, after: Partial<Surface>): readonly string[] {
  return compareContracts(contractOf(before), contractOf(after), { today: TODAY }).map(
    (one) => `${one.kind}: ${differenceText(one)}`,
  )
}
