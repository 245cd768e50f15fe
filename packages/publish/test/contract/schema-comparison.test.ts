/** Laws of the comparison of schemas, with ajv as the oracle. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../../../../src/protocol/content.ts'
import { checkFormat } from '../../../../src/server/schema/formats.ts'
import { compareSchemas, type Direction } from '../../src/contract/schema/compare-schemas.ts'
import { accepted, changed, schema, valuesNear } from './schema-values.ts'

const RUNS = Number(process.env.EDGEWAY_RUNS ?? 600)

function validatorOf(one: unknown) {
  const ajv = new Ajv2020({ strict: false, validateSchema: false })
  for (const format of ['email', 'date']) {
    ajv.addFormat(format, (text) => checkFormat({ format } as JsonSchema, text) === undefined)
  }
  return ajv.compile(one as object)
}

const pairs = schema.chain((before) =>
  fc.tuple(
    fc.constant(before),
    fc.oneof(changed(before), changed(before).chain(changed), schema),
    fc.array(valuesNear(before), { minLength: 20, maxLength: 20 }),
  ),
)

const kindsOf = (before: unknown, after: unknown, direction: Direction) =>
  compareSchemas(before as JsonSchema, after as JsonSchema, direction).map(({ kind }) => kind)

const asSchema = (one: unknown) => (typeof one === 'boolean' ? { allOf: [one] } : one)

describe('a change of an input schema that is not breaking', () => {
  it('accepts every value that clients could send before', () => {
    let compared = 0
    fc.assert(
      fc.property(pairs, ([before, after, values]) => {
        if (kindsOf(asSchema(before), asSchema(after), 'input').includes('breaking')) return
        const [old, now] = [validatorOf(before), validatorOf(after)]
        const valid = accepted(old, values)
        compared += valid.length
        expect(accepted(now, valid)).toEqual(valid)
      }),
      { numRuns: RUNS },
    )
    expect(compared).toBeGreaterThan(RUNS / 10)
  })
})

describe('a change of an output schema that is not breaking', () => {
  it('allows no value that readers could not expect before', () => {
    let compared = 0
    fc.assert(
      fc.property(pairs, ([after, before, values]) => {
        if (kindsOf(asSchema(before), asSchema(after), 'output').includes('breaking')) return
        const [old, now] = [validatorOf(before), validatorOf(after)]
        const valid = accepted(now, values)
        compared += valid.length
        expect(accepted(old, valid)).toEqual(valid)
      }),
      { numRuns: RUNS },
    )
    expect(compared).toBeGreaterThan(RUNS / 10)
  })
})

describe('a schema that is compared with itself', () => {
  it('has no difference, also in another order of its keywords', () => {
    fc.assert(
      fc.property(schema, (one) => {
        const reordered = JSON.parse(
          JSON.stringify(asSchema(one), (_, value) =>
            typeof value === 'object' && value !== null && !Array.isArray(value)
              ? Object.fromEntries(Object.entries(value).reverse())
              : value,
          ),
        )
        expect(kindsOf(asSchema(one), reordered, 'input')).toEqual([])
        expect(kindsOf(asSchema(one), reordered, 'output')).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
