/** The form as one JSON text. */
import { screen } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import { descriptionOf, enteredIn, press, type } from '../support/controls.ts'
import { openForm, openMember, send } from './open-form.tsx'

const SCHEMA = {
  type: 'object',
  required: ['a'],
  properties: { a: { type: 'string' }, list: { type: 'array', items: { type: 'string' } } },
}
const toggle = () => screen.getByRole('button', { name: 'Edit as JSON' })

describe('a form as JSON', () => {
  it('begins with what the controls contain', () => {
    openForm(SCHEMA)
    type(/^a/, 'text')
    press('Add an item')
    press('Edit as JSON')
    expect(JSON.parse(enteredIn('JSON'))).toEqual({ a: 'text', list: [null] })
    expect(enteredIn('JSON')).toContain('\n  "a": "text"')
    expect(screen.queryByLabelText(/^a/)).toBeNull()
  })

  it('sends what the schema does not allow, as it was written', () => {
    const sent = openForm(SCHEMA)
    press('Edit as JSON')
    type('JSON', '{"a": 1, "more": null}')
    send()
    type('JSON', '7')
    send()
    expect(sent).toEqual([{ a: 1, more: null }, 7])
  })

  it('does not send a text that is not JSON, and says so until it is sent again', () => {
    const sent = openForm(SCHEMA)
    press('Edit as JSON')
    type('JSON', '{"a": }')
    send()
    expect(sent).toEqual([])
    const control = screen.getByLabelText('JSON')
    expect(control.getAttribute('aria-invalid')).toBe('true')
    expect(descriptionOf(control)).toMatch(/^This is not JSON: .+/)
    type('JSON', '{}')
    send()
    expect(descriptionOf(control)).toBe('')
    expect(sent).toEqual([{}])
  })

  it('returns to the controls without problems, with what they contained', () => {
    openForm(SCHEMA)
    send()
    expect(screen.getByText('A value is required')).toBeTruthy()
    type(/^a/, 'text')
    press('Edit as JSON')
    expect(toggle().getAttribute('aria-pressed')).toBe('true')
    type('JSON', '{')
    send()
    press('Edit as JSON')
    expect(toggle().getAttribute('aria-pressed')).toBe('false')
    expect(enteredIn(/^a/)).toBe('text')
    expect(screen.queryByText(/This is not JSON/)).toBeNull()
  })

  it('is an empty object where nothing was entered', () => {
    openForm({ type: 'object', additionalProperties: true })
    press('Edit as JSON')
    expect(enteredIn('JSON')).toBe('{}')
  })

  it('leaves out a member whose control contains no JSON', () => {
    openMember({})
    type('it', '{')
    press('Edit as JSON')
    expect(enteredIn('JSON')).toBe('{}')
  })
})
