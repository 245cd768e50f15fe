/** Lists that are read again when the server says that they have changed. */
import { describe, expect, it, vi } from 'vitest'
import { wait } from '../support/clock.ts'
import { textOf, type } from '../support/controls.ts'
import { type McpRequest, never, refusal } from '../support/played-server.ts'
import { callsOf, openTry } from './open-try.tsx'

const discover = (capabilities: object) => ({ 'server/discover': { capabilities } })
const tools = (...names: readonly string[]) => ({ tools: names.map((name) => ({ name })) })
const names = () => [...document.querySelectorAll('.item-name')].map(textOf)

describe('a list that has changed', () => {
  const ALL = {
    tools: { listChanged: true },
    resources: { listChanged: true },
    prompts: { listChanged: true },
  }

  /** A stream of notifications that the server ends. */
  const listening =
    (...methods: readonly string[]) =>
    ({ id }: McpRequest) => {
      const messages = [...methods.map((method) => ({ method })), { id, result: {} }]
      const events = messages.map((message) => `data: ${JSON.stringify(message)}\n\n`)
      return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } })
    }

  async function openListening(
    capabilities: object,
    listen: unknown,
    listTools: unknown = tools('a'),
  ) {
    vi.useFakeTimers()
    const opened = openTry({
      results: {
        ...discover(capabilities),
        'subscriptions/listen': listen,
        'tools/list': listTools,
      },
    })
    // Each of its requests waits for the one before.
    for (let round = 0; round < 20; round++) await wait(5)
    const before = opened.calls.findIndex(({ method }) => method === 'subscriptions/listen')
    const listed = () =>
      opened.calls
        .slice(before + 1)
        .map(({ method }) => method)
        .filter((method) => method.endsWith('/list'))
    return { ...opened, listed }
  }

  it.each([
    ['notifications/tools/list_changed', ['tools/list']],
    ['notifications/resources/list_changed', ['resources/list', 'resources/templates/list']],
    ['notifications/prompts/list_changed', ['prompts/list']],
    ['notifications/other', []],
  ])('by %s is read again', async (method, lists) => {
    const { listed } = await openListening(ALL, listening(method))
    expect(listed()).toEqual(lists)
  })

  it.each<[object, object | undefined]>([
    [ALL, { toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true }],
    [{ tools: { listChanged: true }, prompts: {} }, { toolsListChanged: true }],
    [{ resources: { listChanged: true } }, { resourcesListChanged: true }],
    [
      { prompts: { listChanged: true }, tools: { listChanged: 'yes' } },
      { promptsListChanged: true },
    ],
    [{ tools: {} }, undefined],
    [{}, undefined],
  ])('of a server with %j is listened for by %j', async (capabilities, notifications) => {
    const opened = await openListening(capabilities, never)
    const [call] = callsOf(opened, 'subscriptions/listen')
    expect(call?.params.notifications).toEqual(notifications)
  })

  it('while the page did not listen is read when it listens again: after a second', async () => {
    const opened = await openListening(ALL, listening())
    const count = () => callsOf(opened, 'subscriptions/listen').length
    expect([count(), opened.listed()]).toEqual([1, []])
    await wait(800)
    expect(count()).toBe(1)
    await wait(500)
    expect(count()).toBe(2)
    expect(opened.listed()).toEqual([
      'tools/list',
      'resources/list',
      'resources/templates/list',
      'prompts/list',
    ])
  })

  it('is listened for again ten seconds after an error', async () => {
    const opened = await openListening(ALL, () => refusal('no'))
    const count = () => callsOf(opened, 'subscriptions/listen').length
    await wait(9800)
    expect(count()).toBe(1)
    await wait(200)
    expect(count()).toBe(2)
  })

  it('is not listened for when the tab was left', async () => {
    const opened = await openListening(ALL, never)
    opened.unmount()
    await wait(20_000)
    expect(callsOf(opened, 'subscriptions/listen')).toHaveLength(1)
    expect(callsOf(opened, 'subscriptions/listen')[0]?.signal.aborted).toBe(true)
  })

  it('and cannot be read stays as it is', async () => {
    let lists = 0
    const opened = await openListening(
      { tools: { listChanged: true } },
      listening('notifications/tools/list_changed'),
      () => (++lists === 1 ? tools('a') : refusal('Not now')),
    )
    expect(opened.listed()).toEqual(['tools/list'])
    type('Search', 'a')
    expect(names()).toEqual(['a'])
  })

  it('shows the items that it has now', async () => {
    let lists = 0
    await openListening(
      { tools: { listChanged: true } },
      listening('notifications/tools/list_changed'),
      () => (++lists === 1 ? tools('a') : tools('a', 'b')),
    )
    expect(names()).toEqual(['a', 'b'])
  })
})
