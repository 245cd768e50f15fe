/** What a form contains before a person has entered anything. */
import { screen } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../../page/form/schema.ts'
import { enteredIn, press, textOf } from '../support/controls.ts'
import { openForm, openMember, openRequired, send } from './open-form.tsx'

const LIST = { type: 'array', items: { type: 'string' } }
const CHOICES = { type: 'array', items: { enum: ['a', 'b'] } }

describe('a form that is sent at once', () => {
  it.each<[string, Schema, unknown]>([
    ['false for a boolean', { type: 'boolean' }, false],
    ['the value of a constant', { const: 2 }, 2],
    ['the only value of an enum', { enum: ['a'] }, 'a'],
    ['null', { type: 'null' }, null],
    ['an empty list', LIST, []],
    ['an empty list of choices', CHOICES, []],
    ['an empty object', { type: 'object', properties: { a: { type: 'string' } } }, {}],
    ['the first variant', { anyOf: [{ type: 'boolean' }, { type: 'string' }] }, false],
  ])('contains %s where it is required', (_, schema, expected) => {
    const sent = openRequired(schema)
    send()
    expect(sent).toEqual([{ it: expected }])
  })

  it.each<[string, Schema]>([
    ['boolean', { type: 'boolean' }],
    ['constant', { const: 2 }],
    ['list', LIST],
    ['list of choices', CHOICES],
    ['object', { type: 'object', properties: { a: { const: 1 } }, required: ['a'] }],
    ['value of several forms', { anyOf: [{ const: 1, type: 'boolean' }, { type: 'string' }] }],
    ['text', { type: 'string' }],
    ['JSON', {}],
  ])('contains no optional %s', (_, schema) => {
    const sent = openMember(schema)
    send()
    expect(sent).toEqual([{}])
  })

  it.each<[Schema]>([
    [{ type: 'string', default: 'a' }],
    [{ type: 'number', default: 0 }],
    [{ type: 'boolean', default: false }],
    [{ type: 'boolean', default: true }],
    [{ enum: ['a', 'b'], default: 'b' }],
    [{ ...LIST, default: ['x', 'y'] }],
    [{ ...CHOICES, default: ['b'] }],
    [{ type: 'object', properties: { a: { type: 'string' } }, default: { a: 'x' } }],
    [{ default: { any: [1] } }],
    [{ type: ['string', 'null'], default: null }],
  ])('contains the default of %j', (schema) => {
    const sent = openMember(schema)
    send()
    expect(sent).toEqual([{ it: schema.default }])
  })

  it('shows a default as JSON on several lines', () => {
    openMember({ default: { any: 1 } })
    expect(enteredIn('it')).toBe('{\n  "any": 1\n}')
  })

  it('contains what was entered before, and the defaults of the other members', () => {
    const properties = {
      a: { type: 'string', default: 'A' },
      b: { type: 'string', default: 'B' },
      c: { type: 'boolean' },
    }
    const entered = { a: 'entered' }
    const sent = openForm({ type: 'object', properties, required: ['c'] }, { entered })
    send()
    expect(sent).toEqual([{ a: 'entered', b: 'B', c: false }])
  })

  it.each([null, [1], 'text'])('ignores what was entered if it is %j', (entered) => {
    const properties = { a: { const: 1 } }
    const sent = openForm({ type: 'object', properties, required: ['a'] }, { entered })
    send()
    expect(sent).toEqual([{ a: 1 }])
  })

  it('without members says that there are no arguments, and sends an empty object', () => {
    const sent = openForm({ type: 'object' })
    expect(screen.getByText('No arguments.')).toBeTruthy()
    send()
    expect(sent).toEqual([{}])
  })

  it.each([
    { type: 'object', additionalProperties: true },
    { type: 'object', allOf: [{}, {}] },
    { type: 'object', not: {} },
    { type: 'odd' },
    {},
  ])('asks for JSON where the schema is %j', (schema) => {
    const sent = openForm(schema)
    expect(screen.getByLabelText('Value').getAttribute('placeholder')).toBe('JSON')
    send()
    expect(sent).toEqual([])
    expect(screen.getByText('A value is required')).toBeTruthy()
  })

  it('cannot be sent while it is disabled', () => {
    openForm({ type: 'object' }, { disabled: true })
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true)
  })
})

describe('an optional object', () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string' }, isCapital: { type: 'boolean' } },
    required: ['isCapital'],
  }

  it('is added with its required members, and removed', () => {
    const sent = openMember(schema)
    press('Add it')
    expect(screen.getByLabelText('city')).toBeTruthy()
    send()
    press('Remove it')
    expect(screen.queryByLabelText('city')).toBeNull()
    send()
    expect(sent).toEqual([{ it: { isCapital: false } }, {}])
  })

  it('cannot be removed where it is required', () => {
    openRequired(schema)
    expect(screen.queryByRole('button', { name: /Remove|Add/ })).toBeNull()
    expect(textOf(screen.getByRole('group').querySelector('legend'))).toBe('it required')
  })
})
