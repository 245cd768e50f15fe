/** The labels, descriptions and hints of controls. */
import { screen } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../../page/form/schema.ts'
import { descriptionOf, textOf } from '../support/controls.ts'
import { openMember, openRequired } from './open-form.tsx'

const LONG = `^${'a'.repeat(49)}$`
const SHORT = `^${'a'.repeat(48)}$`
const MAX = Number.MAX_SAFE_INTEGER

describe('the label of a control', () => {
  it.each<[string, Schema]>([
    ['it required', {}],
    ['it required', { title: 'it' }],
    ['The thing it required', { title: 'The thing' }],
    ['it required', { title: 7 }],
    [`${'x'.repeat(119)}… it required`, { title: 'x'.repeat(121) }],
    ['\\u{202E}x it required', { title: '\u202Ex' }],
  ])('is %j for %j', (label, schema) => {
    openRequired({ type: 'string', ...schema })
    expect(textOf(document.querySelector('label'))).toBe(label)
  })
})

describe('the description of a control', () => {
  it.each<[string, Schema]>([
    ['', { type: 'string' }],
    ['What it is', { type: 'string', description: 'What it is' }],
    ['2 to 5 characters', { type: 'string', minLength: 2, maxLength: 5 }],
    ['at least 0 characters', { type: 'string', minLength: 0 }],
    ['at most 5 characters', { type: 'string', maxLength: 5 }],
    ['date-time', { type: 'string', format: 'date-time' }],
    ['pattern ^a$', { type: 'string', pattern: '^a$' }],
    [`date, pattern ${SHORT}`, { type: 'string', format: 'date', pattern: SHORT }],
    ['date', { type: 'string', format: 'date', pattern: LONG }],
    [`pattern ${LONG}`, { type: 'string', pattern: LONG }],
    ['', { type: 'number' }],
    ['integer', { type: 'integer' }],
    ['integer, 1 to 9', { type: 'integer', minimum: 1, maximum: 9 }],
    ['at least 0', { type: 'number', minimum: 0 }],
    ['at most -1', { type: 'number', maximum: -1 }],
    ['integer', { type: 'integer', minimum: -MAX, maximum: MAX }],
    [`integer, at most ${MAX - 1}`, { type: 'integer', maximum: MAX - 1 }],
    ['', { type: 'boolean' }],
    ['', { type: 'string', minLength: '2', maxLength: null }],
  ])('is %j for %j', (text, schema) => {
    openMember(schema)
    expect(descriptionOf(screen.getByLabelText('it'))).toBe(text)
  })

  it.each<[string, Schema]>([
    ['at least 1 items', { items: { type: 'string' }, minItems: 1 }],
    ['at most 2 items', { items: { enum: ['a'] }, maxItems: 2 }],
    ['1 to 2 items', { items: {}, minItems: 1, maxItems: 2 }],
  ])('is %j for an array of %j', (text, schema) => {
    openMember({ type: 'array', ...schema })
    expect(descriptionOf(screen.getByRole('group'))).toBe(text)
  })
})
