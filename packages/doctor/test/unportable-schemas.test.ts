/** Keywords of foreign servers that Edgeway does not publish: the doctor names each. */
import { describe, expect, it } from 'vitest'
import { toolFaults } from '../src/doctor/steps/tools.ts'

const findingsOf = (argument: unknown) =>
  toolFaults([{ name: 't', inputSchema: { type: 'object', properties: { a: argument } } }])

/** An argument that Edgeway would publish otherwise, and what the doctor names. */
const UNPORTABLE: readonly (readonly [string, object, RegExp])[] = [
  ['an array has no items', { type: 'array' }, /an array without items/],
  ['the items of an array are false', { type: 'array', items: false }, /items false/],
  [
    'an array in an array has no items',
    { type: 'array', items: { type: 'array' } },
    /an array without items/,
  ],
  ['a tuple ends with its items', { prefixItems: [{}], items: false }, /items false/],
  ['a member of enum is repeated', { enum: ['x', 'x'] }, /enum \["x","x"\]/],
  ['a required name is repeated', { required: ['x', 'x'] }, /required \["x","x"\]/],
  ['a type is repeated', { type: ['string', 'string'] }, /type \["string","string"\]/],
  ['a pattern has lookaround', { pattern: '^(?!x)' }, /pattern "\^\(\?!x\)"/],
  ['a class of a pattern has a bracket', { pattern: '[[]' }, /pattern "\[\[\]"/],
  [
    'a pattern for names has lookaround',
    { patternProperties: { '^(?=x)': {} } },
    /patternProperties/,
  ],
  ['other members may be anything', { additionalProperties: {} }, /additionalProperties \{\}/],
  ['any name is permitted', { propertyNames: { type: 'string' } }, /propertyNames/],
]

const deep = (levels: number): object =>
  levels === 0 ? { type: 'array' } : { items: deep(levels - 1) }

describe('the doctor at a tool of another server', () => {
  it.each(UNPORTABLE)(
    'names the keyword that hosts refuse or misread when %s',
    (_, argument, seen) => {
      const found = findingsOf(argument)
      expect(found.map(({ code }) => code)).toEqual(['tool-schema-unportable'])
      expect(found[0]?.message).toMatch(seen)
      expect(found[0]?.message).toMatch(/the inputSchema of "t"/)
    },
  )

  it.each([
    ['each array has items', { type: 'array', items: {} }],
    ['a tuple has items', { type: 'array', prefixItems: [{}], items: {}, maxItems: 1 }],
    ['members have the names of keywords', { properties: { pattern: {}, enum: {} } }],
    ['a pattern has the whole syntax of each host', { pattern: '^\\[[a-z]+\\]$' }],
    ['the keyword is in an exclusion', { not: { pattern: '^(?!x)' } }],
    ['the schema is too deep for any client', deep(5000)],
  ])('names nothing when %s', (_, argument) => {
    expect(findingsOf(argument).filter(({ code }) => code === 'tool-schema-unportable')).toEqual([])
  })
})
