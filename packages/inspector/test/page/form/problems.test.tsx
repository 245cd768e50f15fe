/** What the form refuses to send, and how it says so. */
import { screen, waitFor } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../../page/form/schema.ts'
import { descriptionOf, press, type } from '../support/controls.ts'
import { openForm, openMember, openRequired, send } from './open-form.tsx'

const text = (keywords: object) => ({ type: 'string', ...keywords })
const EMAIL = text({ format: 'email' })
const TIME = text({ format: 'date-time' })
const URI = text({ format: 'uri' })

describe('a value that the schema does not allow', () => {
  it.each<[string, Schema, string]>([
    ['a', text({ minLength: 2 }), 'At least 2 characters'],
    ['abcd', text({ maxLength: 3 }), 'At most 3 characters'],
    ['a', EMAIL, 'Must be an email address'],
    ['a@b@c', EMAIL, 'Must be an email address'],
    ['a b@c', EMAIL, 'Must be an email address'],
    ['a', URI, 'Must be a URI'],
    ['soon', TIME, 'Must be a time: 2026-07-28T12:00:00Z'],
    ['one', { type: 'number' }, 'Must be a number'],
    ['Infinity', { type: 'number' }, 'Must be a number'],
    ['1.5', { type: 'integer' }, 'Must be a whole number'],
    ['0', { type: 'integer', minimum: 1 }, 'Must be at least 1'],
    ['0.9', { type: 'number', minimum: 1 }, 'Must be at least 1'],
    ['10', { type: 'integer', maximum: 9 }, 'Must be at most 9'],
    ['1', { type: 'number', maximum: 0 }, 'Must be at most 0'],
    ['{', {}, 'This is not JSON'],
  ])('such as %j for %j is not sent', (entered, schema, problem) => {
    const sent = openMember(schema)
    type('it', entered)
    expect(screen.queryByText(problem)).toBeNull()
    send()
    expect(sent).toEqual([])
    const control = screen.getByLabelText('it')
    expect(control.getAttribute('aria-invalid')).toBe('true')
    expect(descriptionOf(control)).toContain(problem)
  })

  it.each(['28.7.2026', '2026-7-28', '2026-07-28T', 'x2026-07-28'])(
    'such as the default date %s is not sent',
    (date) => {
      const sent = openMember(text({ format: 'date', default: date }))
      send()
      expect(sent).toEqual([])
      expect(screen.getByText('Must be a date: 2026-07-28')).toBeTruthy()
    },
  )
})

describe('a value at a bound of the schema', () => {
  it.each<[string, Schema, unknown]>([
    ['ab', text({ minLength: 2 }), 'ab'],
    ['abc', text({ maxLength: 3 }), 'abc'],
    ['😀😀😀', text({ maxLength: 3 }), '😀😀😀'],
    ['a@b.example', EMAIL, 'a@b.example'],
    ['urn:a', URI, 'urn:a'],
    ['2026-07-28T12:00:00Z', TIME, '2026-07-28T12:00:00Z'],
    ['1', { type: 'integer', minimum: 1, maximum: 9 }, 1],
    ['9', { type: 'integer', minimum: 1, maximum: 9 }, 9],
    ['0', { type: 'number', minimum: 0, maximum: 0 }, 0],
  ])('is sent: %j for %j', (entered, schema, expected) => {
    const sent = openMember(schema)
    type('it', entered)
    send()
    expect(sent).toEqual([{ it: expected }])
  })
})

describe('a missing value', () => {
  it.each<[string, Schema]>([
    ['text', { type: 'string' }],
    ['number', { type: 'number' }],
    ['choice', { enum: ['a', 'b'] }],
    ['JSON', {}],
  ])('of a required %s is named', (_, schema) => {
    const sent = openRequired(schema)
    send()
    expect(sent).toEqual([])
    expect(descriptionOf(screen.getByLabelText('it required'))).toContain('A value is required')
  })

  it('of a member in an object is named at the member', () => {
    const city = { type: 'string' }
    const sent = openRequired({ type: 'object', required: ['city'], properties: { city } })
    send()
    expect(sent).toEqual([])
    expect(descriptionOf(screen.getByLabelText('city required'))).toBe('A value is required')
  })

  it('of an item in a list is named at the item', () => {
    const sent = openMember({ type: 'array', items: { type: 'string' } })
    press('Add an item')
    press('Add an item')
    type(/^1/, 'a')
    send()
    expect(sent).toEqual([])
    expect(descriptionOf(screen.getByLabelText('1 required'))).toBe('')
    expect(descriptionOf(screen.getByLabelText('2 required'))).toBe('A value is required')
  })

  it('has no name where the member is optional', () => {
    const sent = openMember({ type: 'string' })
    send()
    expect(sent).toEqual([{}])
    expect(screen.queryByText('required')).toBeNull()
  })
})

describe('the number of items', () => {
  const list = (keywords: object) => ({ type: 'array', items: { type: 'boolean' }, ...keywords })

  it.each([
    [1, { minItems: 2 }, 'At least 2 are required'],
    [2, { maxItems: 1 }, 'At most 1 are allowed'],
  ])('%i with %j is not sent', (count, keywords, problem) => {
    const sent = openMember(list(keywords))
    for (let index = 0; index < count; index++) press('Add an item')
    send()
    expect(sent).toEqual([])
    expect(screen.getByText(problem)).toBeTruthy()
  })

  it.each([
    [2, { minItems: 2 }],
    [1, { maxItems: 1 }],
    [3, {}],
  ])('%i with %j is sent', (count, keywords) => {
    const sent = openMember(list(keywords))
    for (let index = 0; index < count; index++) press('Add an item')
    send()
    expect(sent).toEqual([{ it: Array(count).fill(false) }])
  })

  it('that are chosen is bounded too', () => {
    const items = { enum: ['a', 'b'] }
    const sent = openRequired({ type: 'array', items, minItems: 1 })
    send()
    expect(sent).toEqual([])
    expect(screen.getByText('At least 1 are required')).toBeTruthy()
  })
})

describe('a form that was not sent', () => {
  const SCHEMA = {
    type: 'object',
    required: ['a', 'b'],
    properties: { a: { type: 'string' }, b: { type: 'integer', maximum: 3 } },
  }

  it('moves the focus to the first control with a problem', async () => {
    openForm(SCHEMA)
    type(/^a/, 'text')
    send()
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('b required')))
  })

  it('removes a problem as soon as it is solved, and shows a new one at once', () => {
    const sent = openForm(SCHEMA)
    send()
    expect(screen.getAllByText('A value is required')).toHaveLength(2)
    type(/^a/, 'text')
    expect(screen.getAllByText('A value is required')).toHaveLength(1)
    type(/^b/, '4')
    expect(screen.getByText('Must be at most 3')).toBeTruthy()
    type(/^b/, '3')
    expect(screen.getByLabelText(/^b/).getAttribute('aria-invalid')).toBe('false')
    send()
    expect(sent).toEqual([{ a: 'text', b: 3 }])
  })
})
