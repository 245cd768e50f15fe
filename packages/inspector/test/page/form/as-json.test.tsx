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

  it('returns to the controls with what they contained', () => {
    openForm(SCHEMA)
    type(/^a/, 'text')
    press('Edit as JSON')
    expect(toggle().getAttribute('aria-pressed')).toBe('true')
    type('JSON', '{}')
    press('Edit as JSON')
    expect(toggle().getAttribute('aria-pressed')).toBe('false')
    expect(enteredIn(/^a/)).toBe('text')
  })

  it('begins without problems in both directions', () => {
    openForm(SCHEMA)
    send()
    expect(screen.getByText('A value is required')).toBeTruthy()
    press('Edit as JSON')
    expect(descriptionOf(screen.getByLabelText('JSON'))).toBe('')
    press('Edit as JSON')
    expect(screen.queryByText('A value is required')).toBeNull()
    press('Edit as JSON')
    type('JSON', '{')
    send()
    expect(screen.getByText(/This is not JSON/)).toBeTruthy()
    press('Edit as JSON')
    press('Edit as JSON')
    expect(screen.queryByText(/This is not JSON/)).toBeNull()
  })

  it('is an empty object where nothing was entered', () => {
    openForm({ type: 'object', additionalProperties: true })
    press('Edit as JSON')
    expect(enteredIn('JSON')).toBe('{}')
  })

  it('leaves out a member whose control contains no JSON, and keeps its text', () => {
    openMember({})
    type('it', '{')
    press('Edit as JSON')
    expect(enteredIn('JSON')).toBe('{}')
    press('Edit as JSON')
    expect(enteredIn('it')).toBe('{')
  })
})
