/** The list of tools, resources, templates and prompts. */
import { render, screen, within } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import type { Item } from '../../../page/try/catalog.ts'
import { ItemList } from '../../../page/try/item-list.tsx'
import { textOf, type } from '../support/controls.ts'

const item = (id: string, description?: string, title?: string): Item => ({
  id,
  title,
  description,
  definition: {},
})

const LISTS = {
  tools: [item('echo', 'Says it again'), item('Add', undefined, 'Sum of numbers')],
  resources: [item('note://a b', 'A note')],
  templates: [],
  prompts: [item('write', 'x'.repeat(161))],
}

const EMPTY = { tools: [], resources: [], templates: [], prompts: [] }

const open = (lists: Parameters<typeof ItemList>[0]['lists'] = LISTS, selected: string[] = []) =>
  render(<ItemList lists={lists} selected={selected} />)

const links = () => screen.queryAllByRole('link')
const names = () => links().map((link) => textOf(link.querySelector('.item-name')))
const headings = () => screen.queryAllByRole('heading', { level: 3 }).map(textOf)

describe('the list of items', () => {
  it('has a group for each list that is not empty, and counts it', () => {
    open()
    expect(headings()).toEqual(['Tools 2', 'Resources 1', 'Prompts 1'])
    const tools = screen.getByRole('navigation', { name: 'Tools' })
    expect(within(tools).getAllByRole('link').map(textOf)).toEqual(['echoSays it again', 'Add'])
  })

  it('names the templates', () => {
    open({ ...EMPTY, templates: [item('note://{id}')] })
    expect(headings()).toEqual(['Resource templates 1'])
    expect(links()[0]?.getAttribute('href')).toBe('#/try/templates/note%3A%2F%2F%7Bid%7D')
  })

  it('cuts a description after 160 characters, and a name after 200', () => {
    open({ ...EMPTY, tools: [item('n'.repeat(201), 'x'.repeat(161)), item('m'.repeat(200), 'y')] })
    const [long, short] = links()
    expect(textOf(long)).toBe(`${'n'.repeat(199)}…${'x'.repeat(159)}…`)
    expect(textOf(short)).toBe(`${'m'.repeat(200)}y`)
  })

  it.each<[string, readonly string[]]>([
    ['', ['echo', 'Add', 'note://a b', 'write']],
    ['ECHO', ['echo']],
    ['add', ['Add']],
    ['sum', ['Add']],
    ['says', ['echo']],
    ['again it', ['echo']],
    ['again note', []],
    ['  note  ', ['note://a b']],
    ['undefined', []],
  ])('that is searched for %j leaves %j', (search, expected) => {
    open()
    type('Search', search)
    expect(names()).toEqual(expected)
    expect(screen.queryByText('Nothing matches') !== null).toBe(expected.length === 0)
  })

  it('of a server without items says so, also while it is searched', () => {
    open(EMPTY)
    type('Search', 'x')
    expect(screen.getByText('The server offers nothing to this client')).toBeTruthy()
    expect(screen.queryByText('Nothing matches')).toBeNull()
  })

  it.each<[readonly string[], readonly number[], number]>([
    [[], [0, -1, 0, 0], -1],
    [['tools', 'Add'], [-1, 0, 0, 0], 1],
    [['tools', 'write'], [0, -1, 0, 0], -1],
    [['prompts', 'write'], [0, -1, 0, 0], 3],
    [['prompts', 'echo'], [0, -1, 0, 0], -1],
  ])(
    'with the selection %j has one stop of the Tab key in each group',
    (selected, stops, current) => {
      open(LISTS, [...selected])
      expect(links().map(({ tabIndex }) => tabIndex)).toEqual(stops)
      const isCurrent = links().findIndex((link) => link.getAttribute('aria-current') === 'true')
      expect(isCurrent).toBe(current)
    },
  )
})
