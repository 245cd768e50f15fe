/** A JSON value as a tree. */
import { render, screen } from '@testing-library/preact'
import { describe, expect, it, vi } from 'vitest'
import { JsonTree } from '../../../page/elements/json-tree.tsx'
import { press, textOf } from '../support/controls.ts'

const listOf = (count: number) => Array.from({ length: count }, (_, index) => index)

/** The text of the tree without its copy button. */
const tree = () => textOf(document.querySelector('.json > ul'))

const isOpen = (name: string) =>
  screen.getByRole('button', { name }).getAttribute('aria-expanded') === 'true'

describe('a JSON value', () => {
  it.each([
    ['text', '"text"'],
    ['a"b\u202E', '"a\\"b\\u{202E}"'],
    [7, '7'],
    [null, 'null'],
    [false, 'false'],
    [undefined, 'undefined'],
    [[], '[]'],
    [{}, '{}'],
    [{ a: 1, b: [true, null] }, '{2}a1b[2]0true1null'],
    [[{ a: 'x' }], '[1]0{1}a"x"'],
  ])('%j is shown as %s', (value, text) => {
    render(<JsonTree value={value} label="it" />)
    expect(tree()).toBe(text)
  })

  it('closes and opens its parts', () => {
    render(<JsonTree value={{ part: { a: 1 } }} label="it" />)
    press(/^part/)
    expect(isOpen('part {1}')).toBe(false)
    expect(tree()).toBe('{1}part{1}')
    press(/^part/)
    expect(tree()).toBe('{1}part{1}a1')
  })

  it.each([
    [undefined, '{1}a{1}b{1}c{1}d{1}'],
    [2, '{1}a{1}b{1}'],
    [0, '{1}'],
  ])('with the depth %s is open to %s', (depth, text) => {
    const value = { a: { b: { c: { d: { e: 1 } } } } }
    render(<JsonTree value={value} label="it" {...(depth !== undefined && { depth })} />)
    expect(tree()).toBe(text)
  })

  it.each([
    [30, true],
    [31, false],
  ])('has a part of %i members that is open: %s', (count, expected) => {
    render(<JsonTree value={{ part: listOf(count) }} label="it" />)
    expect(isOpen(`part [${count}]`)).toBe(expected)
  })

  it('shows 100 members at a time', () => {
    render(<JsonTree value={listOf(250)} label="it" />)
    const members = () => document.querySelectorAll('.json-number').length
    expect(members()).toBe(100)
    press('100 of 150 more')
    expect(members()).toBe(200)
    press('50 of 50 more')
    expect(members()).toBe(250)
    expect(screen.queryByRole('button', { name: /more/ })).toBeNull()
  })

  it('has no button for more where 100 members are all', () => {
    render(<JsonTree value={listOf(100)} label="it" />)
    expect(screen.queryByRole('button', { name: /more/ })).toBeNull()
  })

  it('cuts a text after 1,000 characters until it is opened', () => {
    render(<JsonTree value={'x'.repeat(1001)} label="it" />)
    expect(tree()).toBe(`"${'x'.repeat(1000)}"All 1001 characters`)
    press('All 1001 characters')
    expect(tree()).toBe(`"${'x'.repeat(1001)}"`)
  })

  it('does not cut a text of 1,000 characters', () => {
    render(<JsonTree value={'x'.repeat(1000)} label="it" />)
    expect(screen.queryByRole('button', { name: /characters/ })).toBeNull()
  })

  it('cuts the name of a member after 200 characters', () => {
    render(<JsonTree value={{ ['n'.repeat(201)]: 1, '\u202E': 2 }} label="it" />)
    expect(tree()).toBe(`{2}${'n'.repeat(199)}…1\\u{202E}2`)
  })
})

describe('the copy button', () => {
  const playClipboard = (writeText: (text: string) => Promise<void>) =>
    vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(writeText)

  it('copies the value with indents, says so, and offers it again after two seconds', async () => {
    vi.useFakeTimers()
    const copied: string[] = []
    playClipboard(async (text) => void copied.push(text))
    render(<JsonTree value={{ a: 1 }} label="the message" />)
    press('Copy the message')
    await vi.advanceTimersByTimeAsync(1000)
    expect(copied).toEqual(['{\n  "a": 1\n}'])
    expect(screen.getByRole('button', { name: 'Copied the message' })).toBeTruthy()
    await vi.advanceTimersByTimeAsync(900)
    expect(screen.getByRole('button', { name: 'Copied the message' })).toBeTruthy()
    await vi.advanceTimersByTimeAsync(1000)
    expect(screen.getByRole('button', { name: 'Copy the message' })).toBeTruthy()
  })

  it('says that the browser does not allow it', async () => {
    playClipboard(() => Promise.reject(new Error('denied')))
    render(<JsonTree value={1} label="it" />)
    press('Copy it')
    expect(await screen.findByRole('button', { name: 'Not allowed it' })).toBeTruthy()
  })
})
