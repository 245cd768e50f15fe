/** What the tab reads of a server, and what it shows of it. */
import { act, screen, waitFor } from '@testing-library/preact'
import { describe, expect, it } from 'vitest'
import { press, textOf, type } from '../support/controls.ts'
import { type McpRequest, refusal } from '../support/played-server.ts'
import { callsOf, openTry } from './open-try.tsx'

const CAPABILITIES = { tools: {}, resources: {}, prompts: {} }
const discover = (capabilities: object, more: object = {}) => ({
  'server/discover': { capabilities, ...more },
})
const tools = (...names: readonly string[]) => ({ tools: names.map((name) => ({ name })) })
const names = () => [...document.querySelectorAll('.item-name')].map(textOf)

describe('the catalog of a server', () => {
  it('has its tools, resources, templates and prompts', async () => {
    openTry({
      results: {
        ...discover(CAPABILITIES),
        'tools/list': tools('echo'),
        'resources/list': { resources: [{ uri: 'note://a', title: 'A', description: 'First' }] },
        'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'note://{id}' }] },
        'prompts/list': { prompts: [{ name: 'write', title: 7 }] },
      },
    })
    expect(screen.getByText('Loading what the server offers…')).toBeTruthy()
    await screen.findByText('echo')
    expect(names()).toEqual(['echo', 'note://a', 'note://{id}', 'write'])
    expect(screen.queryByText('Loading what the server offers…')).toBeNull()
  })

  it.each<[object, readonly string[]]>([
    [{}, []],
    [{ tools: {} }, ['tools/list']],
    [{ resources: {} }, ['resources/list', 'resources/templates/list']],
    [{ prompts: {} }, ['prompts/list']],
  ])('of a server with %j is read by %j', async (capabilities, methods) => {
    const { calls } = openTry({ results: discover(capabilities) })
    await screen.findByText('The server offers nothing to this client')
    expect(calls.map(({ method }) => method)).toEqual(['server/discover', ...methods])
  })

  it('has the items of all pages', async () => {
    const pages: Record<string, object> = {
      start: { ...tools('a'), nextCursor: '2' },
      2: { ...tools('b', 'c'), nextCursor: '' },
      '': tools('d'),
    }
    const { calls } = openTry({
      results: {
        ...discover({ tools: {} }),
        'tools/list': ({ params }: McpRequest) => pages[String(params.cursor ?? 'start')],
      },
    })
    await screen.findByText('a')
    expect(names()).toEqual(['a', 'b', 'c', 'd'])
    const cursors = callsOf({ calls }, 'tools/list').map(({ params }) => params.cursor)
    expect(cursors).toEqual([undefined, '2', ''])
  })

  it('ends after 50 pages', async () => {
    let page = 0
    const { calls } = openTry({
      results: {
        ...discover({ tools: {} }),
        'tools/list': () => ({ ...tools(`t${++page}`), nextCursor: 'again' }),
      },
    })
    await screen.findByText('t50')
    expect(callsOf({ calls }, 'tools/list')).toHaveLength(50)
  })

  it.each([{}, { tools: null }, { tools: 'odd' }])('has no tool of %j', async (result) => {
    openTry({ results: { ...discover({ tools: {} }), 'tools/list': result } })
    expect(await screen.findByText('The server offers nothing to this client')).toBeTruthy()
  })

  it('that cannot be read says why, and is read again', async () => {
    let answer: unknown = () => refusal('Not now')
    openTry({
      results: { 'server/discover': () => (typeof answer === 'function' ? answer() : answer) },
    })
    await screen.findByText('Not now (-32602)')
    expect(screen.queryByLabelText('Search')).toBeNull()
    answer = { capabilities: {} }
    press('Try again')
    await screen.findByText('The server offers nothing to this client')
  })

  it('says what the server says of itself', async () => {
    openTry({ results: discover({}, { instructions: 'Be \u202Ekind' }) })
    expect(await screen.findByText('Be \\u{202E}kind')).toBeTruthy()
    expect(screen.getByText('Instructions for the model')).toBeTruthy()
    expect(screen.getByText('Select a tool, a resource or a prompt to try it.')).toBeTruthy()
    expect(textOf(document.querySelector('.json > ul'))).toContain('instructions"Be \\u{202E}kind"')
  })

  it.each(['', '/tools', '/odd'])('is what the tab shows at the address %j', async (path) => {
    openTry({ path, results: discover({}) })
    expect(await screen.findByText('server/discover')).toBeTruthy()
  })

  it.each([undefined, 7])('has no instructions where they are %j', async (instructions) => {
    openTry({ results: discover({}, { instructions }) })
    await screen.findByText('server/discover')
    expect(screen.queryByText('Instructions for the model')).toBeNull()
  })
})

describe('the endpoint of the catalog', () => {
  const endpointsOf = ({ calls }: { calls: readonly McpRequest[] }) => calls.map(({ path }) => path)

  it.each<[readonly string[], string]>([
    [['/mcp', '/other'], '/mcp'],
    [['https://server.example/a/mcp'], '/a/mcp'],
    [['https://server.example/%7Borg%7D/mcp'], '/{org}/mcp'],
    [[], '/mcp'],
  ])('of a server with %j is %s', async (endpoints, path) => {
    openTry({ endpoints })
    expect(screen.getByLabelText<HTMLInputElement>('Endpoint').value).toBe(path)
  })

  it('is another one when the person connects to it', async () => {
    const opened = openTry({ results: discover({}) })
    await screen.findByText('server/discover')
    type('Endpoint', '/acme')
    press('Connect')
    await waitFor(() => expect(endpointsOf(opened)).toEqual(['/mcp', '/acme']))
    expect(screen.getByRole('button', { name: 'Reload' })).toBeTruthy()
    press('Reload')
    await waitFor(() => expect(endpointsOf(opened)).toHaveLength(3))
  })

  it('that answers late does not replace the one that was connected to since', async () => {
    const late = Promise.withResolvers<object>()
    const { calls } = openTry({
      results: {
        'server/discover': ({ path }: McpRequest) =>
          path === '/mcp' ? late.promise : { capabilities: {}, instructions: 'of the second' },
      },
    })
    type('Endpoint', '/second')
    press('Connect')
    await screen.findByText('of the second')
    late.resolve({ capabilities: {}, instructions: 'of the first' })
    await act(() => new Promise((resolve) => setTimeout(resolve, 50)))
    expect(screen.queryByText('of the first')).toBeNull()
    expect(calls).toHaveLength(2)
  })

  it('is not read again when the tab is opened again', async () => {
    const opened = openTry({ results: discover({}) })
    await screen.findByText('server/discover')
    opened.unmount()
    const again = openTry({ results: discover({}) })
    await screen.findByText('server/discover')
    expect(again.calls).toEqual([])
  })
})
