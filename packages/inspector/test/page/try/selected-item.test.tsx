/** The item that is selected: what the page says of it, and where it is none. */
import { act, screen, waitFor } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import { navigate, readRoute } from '../../../page/route.ts'
import { press, textOf } from '../support/controls.ts'
import { callsOf, openTry } from './open-try.tsx'

const discover = (capabilities: object) => ({ 'server/discover': { capabilities } })
const tools = (...names: readonly string[]) => ({ tools: names.map((name) => ({ name })) })

describe('the selected item', () => {
  const ITEM = {
    name: 'make',
    title: 'Maker',
    description: 'Makes things',
    annotations: {
      readOnlyHint: true,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: true,
    },
  }
  const open = (tool: object, path = '/tools/make') =>
    openTry({
      path,
      results: { ...discover({ tools: {}, resources: {} }), 'tools/list': { tools: [tool] } },
    })

  it('has its title, its description, its hints and its definition', async () => {
    open(ITEM)
    const heading = await screen.findByRole('heading', { level: 2, name: /^make ?Maker$/ })
    await waitFor(() => expect(document.activeElement).toBe(heading))
    expect(screen.getAllByText('Makes things').length).toBeGreaterThan(0)
    const hints = [...document.querySelectorAll('.detail .hints > li')]
    expect(hints.map((hint) => [textOf(hint), hint.className.trim()])).toEqual([
      ['reads only', 'badge'],
      ['may destroy', 'badge warn'],
      ['may be repeated', 'badge'],
      ['reaches other systems', 'badge'],
    ])
    expect(textOf(document.querySelector('details.raw .json > ul'))).toMatch(/^\{4\}name"make"/)
    expect(document.querySelector('.split')?.getAttribute('data-detail')).toBe('true')
  })

  it.each<[object, string]>([
    [{ name: 'make', title: 'make' }, 'make'],
    [{ name: 'make' }, 'make'],
    [{ name: 'make', annotations: { readOnlyHint: 'true', openWorldHint: false } }, 'make'],
  ])('of %j has its name alone', async (tool, name) => {
    open(tool)
    await screen.findByRole('heading', { level: 2, name })
    expect(screen.queryByRole('list', { name: 'Hints of the tool' })).toBeNull()
    expect(document.querySelector('.detail .question')).toBeNull()
  })

  it.each(['/tools/missing', '/odd/make', '/templates/missing'])(
    'at %s is none that the server lists',
    async (path) => {
      open(ITEM, path)
      await screen.findByText('The server does not list this')
      expect(textOf(document.querySelector('.empty .code'))).toBe(path.split('/')[2])
      expect(document.querySelector('.split')?.getAttribute('data-detail')).toBe('false')
    },
  )

  it('is a resource, also one that the server does not list', async () => {
    const opened = open(ITEM, '/resources/note%3A%2F%2Fz')
    await screen.findByRole('heading', { level: 2, name: 'note://z' })
    press('Read')
    await screen.findByText(/^Done/)
    expect(callsOf(opened, 'resources/read')[0]?.params.uri).toBe('note://z')
  })

  it('begins anew when another one is selected', async () => {
    openTry({
      path: '/tools/a',
      results: { ...discover({ tools: {} }), 'tools/list': tools('a', 'b') },
    })
    await screen.findByRole('heading', { level: 2, name: 'a' })
    press('Call the tool')
    await screen.findByText(/^Done/)
    act(() => navigate('try', 'tools', 'b'))
    act(readRoute)
    await screen.findByRole('heading', { level: 2, name: 'b' })
    expect(screen.queryByText(/^Done/)).toBeNull()
  })
})
