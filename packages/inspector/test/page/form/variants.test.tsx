/** Values of several forms: the choice between them, and what is sent. */
import { screen } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../../page/form/schema.ts'
import { choose, enteredIn, optionsOf, type } from '../support/controls.ts'
import { openForm, openMember, openRequired, send } from './open-form.tsx'

const FORM = 'Form of it'
const SHAPE = {
  anyOf: [
    { title: 'circle', type: 'object', properties: { radius: { type: 'number' } } },
    { title: 'name', type: 'string' },
    { type: 'null' },
  ],
}

describe('a value of several forms', () => {
  it('has the first form where it is required, and another one when it is chosen', () => {
    const sent = openRequired(SHAPE)
    expect(optionsOf(FORM)).toEqual(['circle', 'name', 'null'])
    type('radius', '2')
    send()
    choose(FORM, 'name')
    expect(screen.queryByLabelText('radius')).toBeNull()
    type('name required', 'square')
    send()
    choose(FORM, 'null')
    expect(screen.queryByRole('textbox')).toBeNull()
    send()
    expect(sent).toEqual([{ it: { radius: 2 } }, { it: 'square' }, { it: null }])
  })

  it('is not set where it is optional, until a form is chosen', () => {
    const sent = openMember(SHAPE)
    expect(optionsOf(FORM)).toEqual(['not set', 'circle', 'name', 'null'])
    expect(enteredIn(FORM)).toBe('-1')
    expect(screen.queryByLabelText('radius')).toBeNull()
    choose(FORM, 'circle')
    expect(screen.getByLabelText('radius')).toBeTruthy()
    send()
    choose(FORM, 'not set')
    send()
    expect(sent).toEqual([{ it: {} }, {}])
  })

  it('begins with its default, in the first form', () => {
    const sent = openMember({ anyOf: [{ type: 'string' }, { type: 'null' }], default: 'a' })
    expect(enteredIn('value required')).toBe('a')
    send()
    expect(sent).toEqual([{ it: 'a' }])
  })

  it('forgets what was entered in another form', () => {
    const sent = openRequired(SHAPE)
    choose(FORM, 'name')
    type('name required', 'square')
    choose(FORM, 'circle')
    choose(FORM, 'name')
    expect(enteredIn('name required')).toBe('')
    send()
    expect(sent).toEqual([])
  })

  it.each<[Schema, readonly (string | null)[]]>([
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, ['1: text', '2: number']],
    [{ type: ['string', 'null'] }, ['string', 'null']],
    [
      { oneOf: [{ enum: ['a', 'b'] }, { type: 'array', items: {} }, {}] },
      ['a, b', '2: list', '3: json'],
    ],
    [
      {
        oneOf: [
          { type: 'object', properties: { a: {}, b: {} } },
          { type: 'object', properties: {} },
        ],
      },
      ['1: a, b', '2: group'],
    ],
    [{ anyOf: [{ title: 'x'.repeat(120) }, {}] }, [`${'x'.repeat(99)}…`, '2: json']],
    [{ anyOf: [7, { type: 'string' }] }, ['1: json', '2: text']],
  ])('names the forms of %j', (schema, names) => {
    openRequired(schema)
    expect(optionsOf(FORM)).toEqual(names)
  })

  it.each<[Schema]>([[{ anyOf: [] }], [{ oneOf: [], type: 'object' }]])(
    'is JSON where there are no forms: %j',
    (schema) => {
      openMember(schema)
      expect(screen.getByLabelText('it').getAttribute('placeholder')).toBe('JSON')
    },
  )

  it('has the members of the schema around the forms too', () => {
    const sent = openForm({
      type: 'object',
      title: 'outer',
      properties: { a: { type: 'string' } },
      required: ['a'],
      oneOf: [
        { title: 'with b', properties: { b: { type: 'boolean' } }, required: ['b'] },
        { title: 'alone' },
      ],
    })
    expect(optionsOf('Form of the value')).toEqual(['with b', 'alone'])
    expect(screen.getByLabelText('b required')).toBeTruthy()
    type('a required', 'x')
    send()
    choose('Form of the value', 'alone')
    expect(screen.queryByLabelText(/^b/)).toBeNull()
    type('a required', 'y')
    send()
    expect(sent).toEqual([{ a: 'x', b: false }, { a: 'y' }])
  })
})
