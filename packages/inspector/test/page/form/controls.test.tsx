/** The control of each kind of schema, and the value that it sends. */
import { fireEvent, screen } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import type { Schema } from '../../../page/form/schema.ts'
import { choose, enteredIn, optionsOf, textOf, type } from '../support/controls.ts'
import { openMember, openRequired, send } from './open-form.tsx'

const control = () => screen.getByLabelText(/^it/)
const enter = (value: string) => () => type(/^it/, value)
const select = (text: string) => () => choose(/^it/, text)

const DATA = { enum: [{ a: 1 }, [2], 'c', null, 4] }
const LEVEL = {
  oneOf: [
    { const: 1, title: 'low' },
    { const: 9, title: 'high' },
  ],
}

describe('the control of a member', () => {
  it.each<[string, Schema, () => void, unknown]>([
    ['a text', { type: 'string' }, enter('a'), 'a'],
    ['a text of several lines', { type: 'string' }, enter('a\nb'), 'a\nb'],
    ['an email address', { type: 'string', format: 'email' }, enter('a@b'), 'a@b'],
    ['a date', { type: 'string', format: 'date' }, enter('2026-07-28'), '2026-07-28'],
    ['a number', { type: 'number' }, enter('-1.5'), -1.5],
    ['a number with an exponent', { type: 'number' }, enter('1e3'), 1000],
    ['zero', { type: 'integer' }, enter('0'), 0],
    ['true', { type: 'boolean' }, select('true'), true],
    ['false', { type: 'boolean' }, select('false'), false],
    ['a value of an enum', { enum: ['a', 'b'] }, select('b'), 'b'],
    ['the first value of an enum', { enum: ['a', 'b'] }, select('a'), 'a'],
    ['an object of an enum', DATA, select('{"a":1}'), { a: 1 }],
    ['an array of an enum', DATA, select('[2]'), [2]],
    ['null of an enum', DATA, select('null'), null],
    ['a titled constant', LEVEL, select('high'), 9],
    ['a constant', { const: 2 }, select('2'), 2],
    ['null', { type: 'null' }, select('null'), null],
    ['any JSON', {}, enter('{"a": [1]}'), { a: [1] }],
    ['null as JSON', {}, enter('null'), null],
  ])('sends %s', (_, schema, act, expected) => {
    const sent = openMember(schema)
    act()
    send()
    expect(sent).toEqual([{ it: expected }])
  })

  it.each<[string, Schema, () => void, () => void]>([
    ['text', { type: 'string' }, enter('a'), enter('')],
    ['number', { type: 'number' }, enter('1'), enter(' ')],
    ['boolean', { type: 'boolean' }, select('true'), select('not set')],
    ['choice', { enum: ['a', 'b'] }, select('a'), select('not set')],
    ['JSON', {}, enter('1'), enter(' ')],
  ])('that is an optional %s is not sent after it was cleared', (_, schema, act, clear) => {
    const sent = openMember(schema)
    act()
    clear()
    send()
    expect(sent).toEqual([{}])
  })

  it('that is a required text is sent empty after it was cleared', () => {
    const sent = openRequired({ type: 'string' })
    type(/^it/, 'a')
    type(/^it/, '')
    send()
    expect(sent).toEqual([{ it: '' }])
  })

  it.each<[string, Schema, readonly string[], readonly string[]]>([
    ['boolean', { type: 'boolean' }, ['not set', 'true', 'false'], ['true', 'false']],
    ['enum', { enum: ['a', 'b'] }, ['not set', 'a', 'b'], ['Choose…', 'a', 'b']],
    [
      'enum with names',
      { enum: ['a', 'b'], enumNames: ['Alpha'] },
      ['not set', 'Alpha', 'b'],
      ['Choose…', 'Alpha', 'b'],
    ],
    ['oneOf of constants', LEVEL, ['not set', 'low', 'high'], ['Choose…', 'low', 'high']],
    [
      'anyOf of constants without titles',
      { anyOf: [{ const: 'x' }, { const: { y: 1 } }] },
      ['not set', 'x', '{"y":1}'],
      ['Choose…', 'x', '{"y":1}'],
    ],
  ])('of a schema of kind %s offers its values', (_, schema, optional, required) => {
    openMember(schema)
    expect(optionsOf('it')).toEqual(optional)
    document.body.replaceChildren()
    openRequired(schema)
    expect(optionsOf(/^it/)).toEqual(required)
  })

  it('cuts the text of a long choice and shows its invisible characters', () => {
    openMember({ enum: [`${'x'.repeat(250)}`, 'a\u202Eb'] })
    expect(optionsOf('it')).toEqual(['not set', `${'x'.repeat(199)}…`, 'a\\u{202E}b'])
  })

  it.each([
    [{}, 'TEXTAREA', null],
    [{ maxLength: 121 }, 'TEXTAREA', null],
    [{ maxLength: 120 }, 'INPUT', 'text'],
    [{ format: 'email' }, 'INPUT', 'email'],
    [{ format: 'uri' }, 'INPUT', 'url'],
    [{ format: 'date' }, 'INPUT', 'date'],
    [{ format: 'date-time' }, 'INPUT', 'text'],
    [{ format: 'uuid', maxLength: 500 }, 'INPUT', 'text'],
  ])('of a text with %j is an element %s of type %s', (keywords, tag, inputType) => {
    openMember({ type: 'string', ...keywords })
    expect([control().tagName, control().getAttribute('type')]).toEqual([tag, inputType])
    const isTime = 'format' in keywords && keywords.format === 'date-time'
    expect(control().getAttribute('placeholder')).toBe(isTime ? '2026-07-28T12:00:00Z' : null)
  })

  it.each([
    ['x'.repeat(80), '1'],
    ['x'.repeat(81), '5'],
    ['a\nb', '5'],
  ])('of a text grows with what it contains: %j', (text, rows) => {
    openMember({ type: 'string', default: text })
    expect(control().getAttribute('rows')).toBe(rows)
  })

  it.each([
    ['integer', 'numeric'],
    ['number', 'decimal'],
  ])('of a value of type %s asks for the keyboard %s', (kind, mode) => {
    openMember({ type: kind })
    expect(control().getAttribute('inputmode')).toBe(mode)
  })

  it.each(['1.', '1.50', '007', 'one'])('of a number keeps the text %s', (text) => {
    openMember({ type: 'number' })
    type('it', text)
    expect(enteredIn('it')).toBe(text)
  })

  it.each(['{"a": 1}', '{"a": ', '[1,  2]'])('of JSON keeps the text %s', (text) => {
    openMember({})
    type('it', text)
    expect(enteredIn('it')).toBe(text)
  })

  it.each([
    { type: 'string' },
    { type: 'string', maxLength: 5 },
    { type: 'number' },
    { enum: ['a', 'b'] },
  ])('of %j is required where the schema says so', (schema) => {
    openMember(schema)
    expect(control().hasAttribute('required')).toBe(false)
    document.body.replaceChildren()
    openRequired(schema)
    expect(control().hasAttribute('required')).toBe(true)
  })
})

describe('the checkboxes of an array of choices', () => {
  const SCHEMA = { type: 'array', items: { enum: ['red', 'green', 'blue'] } }
  const toggle = (name: string) => fireEvent.click(screen.getByRole('checkbox', { name }))

  it('send the chosen values in the order of the schema', () => {
    const sent = openMember(SCHEMA)
    toggle('blue')
    toggle('red')
    send()
    expect(sent).toEqual([{ it: ['red', 'blue'] }])
    toggle('red')
    send()
    expect(sent[1]).toEqual({ it: ['blue'] })
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'blue' }).checked).toBe(true)
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'red' }).checked).toBe(false)
  })

  it.each([
    [false, {}],
    [true, { it: [] }],
  ])('send nothing when the last one was removed, if required is %s', (isRequired, expected) => {
    const sent = openMember(SCHEMA, { isRequired })
    toggle('green')
    toggle('green')
    send()
    expect(sent).toEqual([expected])
  })

  it('are a group that is named for the member', () => {
    openMember({ ...SCHEMA, title: 'Colors', description: 'Of the frame' })
    const group = screen.getByRole('group')
    expect(textOf(group.querySelector('legend'))).toBe('Colors it')
    expect(textOf(group)).toContain('Of the frame')
  })
})
