import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createChangeBus } from '../../durable-objects/hub/change-bus.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { ListenSource } from '../../src/transport/modern/listen.ts'
import {
  acknowledged,
  EVERYTHING,
  MemoryBus,
  open,
  reading,
  result,
  tagged,
} from '../support/listen.ts'

describe.each([
  ['a bus in memory', () => new MemoryBus()],
  [
    'the hub',
    () => {
      const prefix = crypto.randomUUID()
      const getByName = (name: string) => env.MCP_HUB.getByName(`${prefix}/${name}`)
      return createChangeBus({ getByName })
    },
  ],
])('a subscription over %s', (_, createBus) => {
  it('is acknowledged first, then hears everything it asked for, once and in order', async () => {
    const bus = createBus()
    const { next, leave } = await reading(open({ notifications: EVERYTHING }, { bus }))
    for (const kind of [
      'tools_list_changed',
      'prompts_list_changed',
      'resources_list_changed',
    ] as const)
      await bus.publish({ kind })
    await bus.publish({ kind: 'resource_updated', uri: 'note://b' })
    await bus.publish({ kind: 'resource_updated', uri: 'note://c' })
    await bus.publish({ kind: 'tools_list_changed' })
    expect(await next()).toEqual(acknowledged(EVERYTHING))
    expect(await next()).toEqual(tagged('tools/list_changed'))
    expect(await next()).toEqual(tagged('prompts/list_changed'))
    expect(await next()).toEqual(tagged('resources/list_changed'))
    expect(await next()).toEqual(tagged('resources/updated', 1, { uri: 'note://b' }))
    expect(await next()).toEqual(tagged('tools/list_changed'))
    await leave()
  })

  it('hears only what it asked for, and only its own subject’s news', async () => {
    const bus = createBus()
    const notifications = { toolsListChanged: false, promptsListChanged: true }
    const opened = open({ notifications }, { bus, subject: 'ada' })
    const { next, leave } = await reading(opened)
    expect(await next()).toEqual(acknowledged({ promptsListChanged: true }))
    await bus.publish({ kind: 'tools_list_changed' })
    await bus.publish({ kind: 'resources_list_changed' })
    await bus.publish({ kind: 'resource_updated', uri: 'note://a' })
    await bus.publish({ kind: 'prompts_list_changed', subject: 'bob' })
    await bus.publish({ kind: 'prompts_list_changed', subject: 'ada' })
    await bus.publish({ kind: 'prompts_list_changed' })
    expect(await next()).toEqual(tagged('prompts/list_changed'))
    expect(await next()).toEqual(tagged('prompts/list_changed'))
    await leave()
  })

  it.each([0, '', -1, 'listen:1', '</s>\n"'])('carries the id %j as it came', async (id) => {
    const bus = createBus()
    const { next, leave } = await reading(
      open({ notifications: { toolsListChanged: true } }, { bus, id }),
    )
    expect(await next()).toEqual(acknowledged({ toolsListChanged: true }, id))
    await bus.publish({ kind: 'tools_list_changed' })
    expect(await next()).toEqual(tagged('tools/list_changed', id))
    await leave()
  })

  it('ends with its result when it has lasted long enough', async () => {
    const opened = open(
      { notifications: EVERYTHING },
      { bus: createBus(), id: 'x', source: { maxLifetimeMs: 30 } },
    )
    const { next } = await reading(opened)
    expect(await next()).toEqual(acknowledged(EVERYTHING, 'x'))
    expect(await next()).toEqual(result('x'))
    expect(await next()).toBe('end')
    expect(opened.events).toEqual([])
  })
})

describe('a filter', () => {
  const asking = async (notifications: JsonObject, source: Partial<ListenSource> = {}) => {
    const bus = new MemoryBus()
    const { next, leave } = await reading(open({ notifications }, { bus, source }))
    const honoured = await next()
    await leave()
    return { honoured, asked: bus.asked }
  }

  it('is honoured as far as the server declares what is asked for', async () => {
    expect(await asking(EVERYTHING, { offered: ['tools_list_changed'] })).toEqual({
      honoured: acknowledged({ toolsListChanged: true }),
      asked: { kinds: ['tools_list_changed'], subject: undefined },
    })
    expect((await asking(EVERYTHING, { offered: [] })).honoured).toEqual(acknowledged({}))
  })

  it('is honoured without the resources that the caller may not read', async () => {
    const mayRead = (uri: string) => uri === 'note://b'
    expect(await asking({ resourceSubscriptions: ['note://a', 'note://b'] }, { mayRead })).toEqual({
      honoured: acknowledged({ resourceSubscriptions: ['note://b'] }),
      asked: { kinds: ['resource_updated'], subject: undefined },
    })
    const none = await asking({ resourceSubscriptions: ['note://a'] }, { mayRead })
    expect(none.honoured).toEqual(acknowledged({ resourceSubscriptions: [] }))
    expect(none.asked).toEqual({ kinds: [], subject: undefined })
  })

  it('may be empty, hold the same twice and what nobody knows', async () => {
    expect((await asking({})).honoured).toEqual(acknowledged({}))
    const uris = ['note://a', 'note://a', 'NOTE://a']
    const notifications = { resourceSubscriptions: uris, taskIds: ['t'], __proto__: { x: 1 } }
    expect((await asking(notifications)).honoured).toEqual(
      acknowledged({ resourceSubscriptions: ['note://a'] }),
    )
  })

  it('takes a thousand URIs, and tells of one in the spelling it was asked in', async () => {
    const bus = new MemoryBus()
    const uris = Array.from({ length: 1000 }, (_, i) => `HTTPS://x.example/${i}`)
    uris[7] = `HTTPS://x.example/7?${'y'.repeat(8172)}`
    const { next, leave } = await reading(
      open({ notifications: { resourceSubscriptions: uris } }, { bus }),
    )
    expect(await next()).toEqual(acknowledged({ resourceSubscriptions: uris }))
    await bus.publish({ kind: 'resource_updated', uri: new URL(uris[7] ?? '').href })
    expect(await next()).toEqual(tagged('resources/updated', 1, { uri: uris[7] }))
    await leave()
  })

  it.each<[string, JsonObject | undefined]>([
    ['no params', undefined],
    ['no filter', {}],
    ['a filter that is null', { notifications: null }],
    ['a filter that is a list', { notifications: [] }],
    ['a filter that is text', { notifications: 'toolsListChanged' }],
    ['text for a boolean', { notifications: { toolsListChanged: 'true' } }],
    ['a number for a boolean', { notifications: { promptsListChanged: 1 } }],
    ['null for a boolean', { notifications: { resourcesListChanged: null } }],
    ['one URI for a list', { notifications: { resourceSubscriptions: 'note://a' } }],
    ['null for a list', { notifications: { resourceSubscriptions: null } }],
    ['a number for a URI', { notifications: { resourceSubscriptions: ['note://a', 1] } }],
    ['a path for a URI', { notifications: { resourceSubscriptions: ['/a'] } }],
    ['an empty URI', { notifications: { resourceSubscriptions: [''] } }],
    ['8,193', { notifications: { resourceSubscriptions: ['note://'.padEnd(8193, 'a')] } }],
    ['1,001', { notifications: { resourceSubscriptions: Array(1001).fill('note://a') } }],
    ['10,000', { notifications: { resourceSubscriptions: Array(10_000).fill('note://a') } }],
  ])('is refused with %s', async (_, params) => {
    await expect(open(params, { id: 0 }).response).rejects.toMatchObject({
      name: 'params-malformed',
      id: 0,
    })
  })
})
