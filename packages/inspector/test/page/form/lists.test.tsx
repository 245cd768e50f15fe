/** The items of an array. */
import { screen } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import { enteredIn, press, type } from '../support/controls.ts'
import { openMember, openRequired, send } from './open-form.tsx'

const TEXTS = { type: 'array', items: { type: 'string' } }

function openWith(...texts: readonly string[]) {
  const sent = openMember(TEXTS)
  texts.forEach((text, index) => {
    press('Add an item')
    type(`${index + 1} required`, text)
  })
  return sent
}

describe('a list', () => {
  it('sends its items in their order', () => {
    const sent = openWith('a', 'b', 'c')
    type('2 required', 'B')
    send()
    expect(sent).toEqual([{ it: ['a', 'B', 'c'] }])
  })

  it('removes the item of the button', () => {
    const sent = openWith('a', 'b', 'c')
    press('Remove item 2')
    expect(enteredIn('2 required')).toBe('c')
    expect(screen.queryByLabelText('3 required')).toBeNull()
    send()
    expect(sent).toEqual([{ it: ['a', 'c'] }])
  })

  it('is not sent when its last item was removed, where it is optional', () => {
    const sent = openWith('a')
    press('Remove item 1')
    send()
    expect(sent).toEqual([{}])
  })

  it('is sent empty when its last item was removed, where it is required', () => {
    const sent = openRequired(TEXTS)
    press('Add an item')
    press('Remove item 1')
    send()
    expect(sent).toEqual([{ it: [] }])
  })

  it('has items that are objects, and lists of lists', () => {
    const cell = { type: 'object', properties: { x: { type: 'integer' } } }
    const sent = openMember({ type: 'array', items: { type: 'array', items: cell } })
    press('Add an item')
    press('Add an item')
    type('x', '3')
    send()
    expect(sent).toEqual([{ it: [[{ x: 3 }]] }])
  })

  it('adds an item with the default of the schema', () => {
    const sent = openMember({ type: 'array', items: { type: 'string', default: 'new' } })
    press('Add an item')
    send()
    expect(sent).toEqual([{ it: ['new'] }])
  })

  it.each([
    { type: 'array' },
    { type: 'array', items: true },
    { type: 'array', items: {}, prefixItems: [{}] },
  ])('is entered as JSON where the schema is %j', (schema) => {
    const sent = openMember(schema)
    type('it', '[1, "a"]')
    send()
    expect(sent).toEqual([{ it: [1, 'a'] }])
  })
})
