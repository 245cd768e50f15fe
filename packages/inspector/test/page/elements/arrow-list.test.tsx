/** The keys of a list of links. */
import { fireEvent, render, screen } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import { ArrowList } from '../../../page/elements/arrow-list.tsx'

function open() {
  render(
    <ArrowList label="Letters">
      {['a', 'b', 'c'].map((name) => (
        <li key={name}>
          <a href={`#/${name}`}>{name}</a>
        </li>
      ))}
    </ArrowList>,
  )
}

const link = (name: string) => screen.getByRole('link', { name })
const focused = () => document.activeElement?.textContent

describe('the key', () => {
  it.each([
    ['ArrowDown', 'a', 'b'],
    ['ArrowDown', 'c', 'c'],
    ['ArrowUp', 'b', 'a'],
    ['ArrowUp', 'a', 'a'],
    ['Home', 'c', 'a'],
    ['End', 'a', 'c'],
    ['PageDown', 'a', 'a'],
  ])('%s at %s moves the focus to %s', (key, from, to) => {
    open()
    link(from).focus()
    const isLeftToBrowser = fireEvent.keyDown(link(from), { key })
    expect(focused()).toBe(to)
    expect(isLeftToBrowser).toBe(key === 'PageDown')
  })

  it.each(['altKey', 'ctrlKey', 'metaKey'])('ArrowDown with %s is left to the browser', (held) => {
    open()
    link('a').focus()
    expect(fireEvent.keyDown(link('a'), { key: 'ArrowDown', [held]: true })).toBe(true)
    expect(focused()).toBe('a')
  })

  it('ArrowDown is left to the browser while no link has the focus', () => {
    open()
    const list = screen.getByRole('navigation', { name: 'Letters' })
    expect(fireEvent.keyDown(list, { key: 'ArrowDown' })).toBe(true)
    expect(document.activeElement).toBe(document.body)
  })
})
