import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { toFormSchema } from '../../../src/features/asks/journal/form-schema.ts'
import { jsonSchema } from '../../../src/index.ts'
import { compileSchema } from '../../../src/server/schema/compile.ts'

const form = (schema: Parameters<typeof compileSchema>[0]) =>
  toFormSchema(compileSchema(schema, 'input').json)
const raw = (properties: object) => jsonSchema({ type: 'object', properties })

describe('toFormSchema', () => {
  it('converts every zod type that a form can show', () => {
    const schema = z.object({
      name: z
        .string()
        .min(1)
        .max(50)
        .default('John Doe')
        .meta({ title: 'Name', description: 'Yours' }),
      mail: z.email(),
      site: z.url().optional(),
      born: z.iso.date(),
      at: z.iso.datetime(),
      age: z.int().min(0).max(150).default(30),
      score: z.number().default(95.5),
      status: z.enum(['active', 'inactive']).default('active'),
      one: z.literal('only'),
      titled: z.union([
        z.literal('a').meta({ title: 'An A' }),
        z.literal('b').meta({ title: 'A B' }),
      ]),
      several: z
        .array(z.enum(['x', 'y']))
        .min(1)
        .max(2),
      verified: z.boolean().default(true),
    })
    expect(form(schema)).toEqual({
      type: 'object',
      properties: {
        name: {
          type: 'string',
          minLength: 1,
          maxLength: 50,
          default: 'John Doe',
          title: 'Name',
          description: 'Yours',
        },
        mail: { type: 'string', format: 'email' },
        site: { type: 'string', format: 'uri' },
        born: { type: 'string', format: 'date' },
        at: { type: 'string', format: 'date-time' },
        age: { type: 'integer', minimum: 0, maximum: 150, default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive'], default: 'active' },
        one: { type: 'string', enum: ['only'] },
        titled: {
          type: 'string',
          oneOf: [
            { const: 'a', title: 'An A' },
            { const: 'b', title: 'A B' },
          ],
        },
        several: {
          type: 'array',
          minItems: 1,
          maxItems: 2,
          items: { type: 'string', enum: ['x', 'y'] },
        },
        verified: { type: 'boolean', default: true },
      },
      required: ['mail', 'born', 'at', 'one', 'titled', 'several'],
    })
  })

  it('keeps choices of raw JSON Schema unchanged', () => {
    const properties = {
      untitledSingle: { type: 'string', enum: ['option1', 'option2'] },
      titledSingle: { type: 'string', oneOf: [{ const: 'value1', title: 'First' }] },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['One', 'Two'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1'] } },
      titledMulti: {
        type: 'array',
        items: { anyOf: [{ const: 'value1', title: 'First' }] },
        default: ['value1'],
      },
    }
    expect(form(raw(properties))).toEqual({ type: 'object', properties })
  })

  it.each([
    ['an object', { a: { type: 'object' } }],
    ['null', { a: { type: 'null' } }],
    ['several types', { a: { type: ['string', 'null'] } }],
    ['nothing', { a: {} }],
    ['a list of anything', { a: { type: 'array' } }],
    ['a list of text', { a: { type: 'array', items: { type: 'string' } } }],
    ['a list of numbers', { a: { type: 'array', items: { type: 'number', enum: [1] } } }],
    ['choices that are numbers', { a: { type: 'string', enum: [1] } }],
    ['no choices', { a: { type: 'string', enum: [] } }],
    ['choices without a title', { a: { type: 'string', oneOf: [{ const: 'a' }] } }],
    ['a union of types', { a: { anyOf: [{ type: 'string' }, { type: 'number' }] } }],
  ])('throws with the name of the field for %s', (_, properties) => {
    expect(() => form(raw(properties))).toThrow(/^The field "a" cannot be shown in a form/)
  })

  it('throws for a schema that is not an object', () => {
    expect(() => form(z.string())).toThrow(/needs an object schema/)
  })
})
