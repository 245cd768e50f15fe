import { describe, expect, it } from 'vitest'
import { HubChangeBus } from '../../durable-objects/hub/change-bus.ts'
import type { HubObject } from '../../durable-objects/hub/hub-object.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import {
  acknowledged,
  EVERYTHING,
  MemoryBus,
  open,
  reading,
  result,
  type Setting,
  tagged,
} from '../support/listen.ts'
import { objectsOfKind } from '../support/objects.ts'
import { verifies } from '../support/verifies.ts'

describe.each([
  ['a bus in memory', () => new MemoryBus()],
  [
    'the hub',
    () => {
      const prefix = crypto.randomUUID()
      const named = (name: string) => objectsOfKind<HubObject>('hub').named(`${prefix}-${name}`)
      return new HubChangeBus({ named }, 'notes')
    },
  ],
])('subscriptions/listen over %s', (_, createBus) => {
  it('acknowledges the filter and then sends each requested change once, in order', async () => {
    verifies('base-protocol/required-components-of-modern-servers')
    verifies('base-protocol/notification-has-no-id', 'meta/subscription-id')
    verifies('subscriptions/acknowledgement-comes-first')
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

  it('sends only requested kinds of change, and only changes for all or for its own subject', async () => {
    verifies('subscriptions/requested-kinds-only')
    verifies('streamable-http/notifications-relate-to-their-request')
    verifies('logging/messages-stay-on-their-stream')
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

  it.each([0, '', -1, 'listen:1', '</s>\n"'])(
    'echoes the request id %j in every message',
    async (id) => {
      verifies('meta/subscription-id')
      const bus = createBus()
      const { next, leave } = await reading(
        open({ notifications: { toolsListChanged: true } }, { bus, id }),
      )
      expect(await next()).toEqual(acknowledged({ toolsListChanged: true }, id))
      await bus.publish({ kind: 'tools_list_changed' })
      expect(await next()).toEqual(tagged('tools/list_changed', id))
      await leave()
    },
  )

  it('ends the stream with its result after the maximum lifetime', async () => {
    verifies('cancellation/no-other-cancellation-by-the-server')
    verifies('cancellation/server-cancels-subscriptions-only')
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

describe('the filter of subscriptions/listen', () => {
  const honouredBy = async (notifications: JsonObject, source: Setting['source'] = {}) => {
    const bus = new MemoryBus()
    const { next, leave } = await reading(open({ notifications }, { bus, source }))
    const honoured = await next()
    await leave()
    return { honoured, asked: bus.asked }
  }

  it('is reduced to the kinds of change that the server declares', async () => {
    verifies('subscriptions/requested-kinds-only')
    expect(await honouredBy(EVERYTHING, { offered: ['tools_list_changed'] })).toEqual({
      honoured: acknowledged({ toolsListChanged: true }),
      asked: { kinds: ['tools_list_changed'], subject: undefined, network: 'local' },
    })
    expect((await honouredBy(EVERYTHING, { offered: [] })).honoured).toEqual(acknowledged({}))
  })

  it('leaves out resources that the caller may not read', async () => {
    const mayRead = (uri: string) => uri === 'note://b'
    expect(
      await honouredBy({ resourceSubscriptions: ['note://a', 'note://b'] }, { mayRead }),
    ).toEqual({
      honoured: acknowledged({ resourceSubscriptions: ['note://b'] }),
      asked: { kinds: ['resource_updated'], subject: undefined, network: 'local' },
    })
    const none = await honouredBy({ resourceSubscriptions: ['note://a'] }, { mayRead })
    expect(none.honoured).toEqual(acknowledged({ resourceSubscriptions: [] }))
    expect(none.asked).toEqual({ kinds: [], subject: undefined, network: 'local' })
  })

  it('may be empty, and may contain duplicate URIs and unknown members', async () => {
    expect((await honouredBy({})).honoured).toEqual(acknowledged({}))
    const uris = ['note://a', 'note://a', 'NOTE://a']
    const notifications = { resourceSubscriptions: uris, taskIds: ['t'], __proto__: { x: 1 } }
    expect((await honouredBy(notifications)).honoured).toEqual(
      acknowledged({ resourceSubscriptions: ['note://a'] }),
    )
  })

  it('accepts a thousand URIs, and reports an update with the spelling of the request', async () => {
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
    ['a filter that is a string', { notifications: 'toolsListChanged' }],
    ['a string instead of a boolean', { notifications: { toolsListChanged: 'true' } }],
    ['a number instead of a boolean', { notifications: { promptsListChanged: 1 } }],
    ['null instead of a boolean', { notifications: { resourcesListChanged: null } }],
    ['one URI instead of a list', { notifications: { resourceSubscriptions: 'note://a' } }],
    ['null instead of a list', { notifications: { resourceSubscriptions: null } }],
    ['a number instead of a URI', { notifications: { resourceSubscriptions: ['note://a', 1] } }],
    ['a path instead of a URI', { notifications: { resourceSubscriptions: ['/a'] } }],
    ['an empty URI', { notifications: { resourceSubscriptions: [''] } }],
    [
      'a URI of 8193 characters',
      { notifications: { resourceSubscriptions: ['note://'.padEnd(8193, 'a')] } },
    ],
    ['1001 URIs', { notifications: { resourceSubscriptions: Array(1001).fill('note://a') } }],
    ['10,000 URIs', { notifications: { resourceSubscriptions: Array(10_000).fill('note://a') } }],
  ])('is refused for %s', async (_, params) => {
    verifies('resources/uris-are-validated', { row: 'a path instead of a URI' })
    await expect(open(params, { id: 0 }).response).rejects.toMatchObject({
      name: 'params-malformed',
      id: 0,
    })
  })
})
