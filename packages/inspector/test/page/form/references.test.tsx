/** References within a schema, and schemas that contain themselves. */
import { fireEvent, screen } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../../page/form/schema.ts'
import { press, textOf, type } from '../support/controls.ts'
import { openForm, send } from './open-form.tsx'

const open = (it: unknown, $defs: Schema) => openForm({ properties: { it }, $defs })
const label = () => textOf(document.querySelector('label, legend'))

describe('a reference', () => {
  it.each<[string, unknown, Schema]>([
    ['a definition', { $ref: '#/$defs/count' }, { count: { type: 'integer' } }],
    [
      'a definition that is a reference',
      { $ref: '#/$defs/one' },
      { one: { $ref: '#/$defs/two' }, two: { type: 'integer' } },
    ],
    ['an allOf of one part', { allOf: [{ $ref: '#/$defs/c' }] }, { c: { type: 'integer' } }],
    ['an escaped name', { $ref: '#/$defs/a~1b' }, { 'a/b': { type: 'integer' } }],
  ])('to %s has the control of its target', (_, schema, definitions) => {
    const sent = open(schema, definitions)
    type('it', '1.5')
    send()
    expect(screen.getByText('Must be a whole number')).toBeTruthy()
    type('it', '2')
    send()
    expect(sent).toEqual([{ it: 2 }])
  })

  it.each<[unknown]>([[{ $ref: '#/$defs/x' }], [{ allOf: [{ $ref: '#/$defs/x' }] }]])(
    'has the texts beside it in the place of those of its target: %j',
    (schema) => {
      open({ ...(schema as Schema), title: 'own' }, { x: { type: 'string', title: 'other' } })
      expect(label()).toBe('own it')
    },
  )

  it('to nothing is entered as JSON, with the texts beside it', () => {
    open({ $ref: '#/$defs/missing', title: 'own' }, {})
    expect(label()).toBe('own it')
    expect(screen.getByPlaceholderText('JSON')).toBeTruthy()
  })

  it.each<[string, Schema]>([
    ['itself', { a: { $ref: '#/$defs/a' } }],
    ['itself by another one', { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }],
    ['itself in allOf', { a: { allOf: [{ $ref: '#/$defs/a' }] } }],
  ])('to %s is entered as JSON', (_, definitions) => {
    open({ $ref: '#/$defs/a' }, definitions)
    expect(screen.getByPlaceholderText('JSON')).toBeTruthy()
  })

  it('in the items of choices offers the values of its target', () => {
    const sent = open(
      { type: 'array', items: { $ref: '#/$defs/color' } },
      { color: { enum: ['red'] } },
    )
    fireEvent.click(screen.getByRole('checkbox', { name: 'red' }))
    send()
    expect(sent).toEqual([{ it: ['red'] }])
  })

  it('in a variant has the control of its target', () => {
    const sent = openForm({
      properties: { it: { anyOf: [{ $ref: '#/$defs/x' }, { type: 'null' }] } },
      required: ['it'],
      $defs: { x: { title: 'Name', type: 'string' } },
    })
    type('Name required', 'a')
    send()
    expect(sent).toEqual([{ it: 'a' }])
  })
})

describe('a schema that contains itself', () => {
  it('has six levels of controls, and JSON below', () => {
    const sent = open(
      { $ref: '#/$defs/node' },
      { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    )
    press('Add it')
    for (let level = 2; level <= 6; level++) {
      expect(screen.queryByPlaceholderText('JSON')).toBeNull()
      press('Add next')
    }
    expect(screen.queryByRole('button', { name: 'Add next' })).toBeNull()
    type('next', '{"next": 7}')
    send()
    expect(sent).toEqual([
      { it: { next: { next: { next: { next: { next: { next: { next: 7 } } } } } } } },
    ])
  })
})

describe('a malformed schema', () => {
  it.each<[Schema]>([
    [{ type: 'object', properties: { a: { type: 'odd' }, b: 7, c: { allOf: [{}, {}] } } }],
    [{ properties: { a: { enum: 7 }, b: { anyOf: 'x' } } }],
    [{ type: 'object', properties: { a: {} }, required: 'a' }],
  ])('has JSON controls, none of them required: %j', (schema) => {
    const sent = openForm(schema)
    const count = Object.keys(schema.properties as object).length
    expect(screen.getAllByPlaceholderText('JSON')).toHaveLength(count)
    send()
    expect(sent).toEqual([{}])
  })
})
