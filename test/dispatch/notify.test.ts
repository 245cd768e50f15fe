import { env } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { HubChangeBus } from '../../durable-objects/hub/change-bus.ts'
import type { HubObject } from '../../durable-objects/hub/hub-object.ts'
import { connect } from '../../packages/testing/src/index.ts'
import { changes } from '../../src/features/changes/index.ts'
import { createEdgeway } from '../../src/index.ts'
import type { Change } from '../../src/ports/change-kinds.ts'
import type { TelemetryEvent } from '../../src/ports/telemetry.ts'
import { openFeed } from '../durable-objects/hub/hub.ts'
import { createFullEdgeway } from '../support/full-app.ts'
import { FullServer } from '../support/full-server.ts'
import { objectsOfKind } from '../support/objects.ts'

describe('edgeway.notify outside a request', () => {
  const edgeway = createFullEdgeway(new FullServer({ name: 's', version: '1' }))
  // Malformed changes come from JavaScript: the types reject them.
  const wrong = (value: unknown) => value as never

  it('resolves when there is no listener', async () => {
    const notify = edgeway.notify(env)
    await notify.toolsChanged()
    await notify.promptsChanged()
    await notify.resourcesChanged({ subject: 'ada' })
    await notify.resourceUpdated('note://a')
    await notify.elicitationComplete('visit-1', { subject: 'ada' })
  })

  it('publishes that an elicitation is complete, to one subject or to all', async () => {
    const bus = new HubChangeBus(objectsOfKind<HubObject>('hub'), 's')
    const heard: Change[] = []
    const feed = await openFeed(bus, {
      kinds: ['elicitation_complete'],
      subject: 'eve',
      onChanges: (changes) => heard.push(...changes.map(({ change }) => change)),
      onLost: () => undefined,
    })
    const longest = '~'.repeat(256)
    const notify = edgeway.notify(env)
    await notify.elicitationComplete('theirs', { subject: 'bob' })
    await notify.elicitationComplete('!', { subject: 'eve' })
    await notify.elicitationComplete(longest)
    await expect
      .poll(() => heard)
      .toEqual([
        { kind: 'elicitation_complete', elicitationId: '!' },
        { kind: 'elicitation_complete', elicitationId: longest },
      ])
    feed.close()
  })

  it.each([[''], [' '], ['a b'], ['a\n'], ['ä'], ['\u007f'], ['x'.repeat(257)], [5], [null], [{}]])(
    'refuses %j for an elicitation',
    async (id) => {
      await expect(edgeway.notify(env).elicitationComplete(wrong(id))).rejects.toThrow(TypeError)
    },
  )

  it.each([['not a uri'], [5], [undefined], [{ a: 1 }], [`note://${'x'.repeat(8192)}`]])(
    'refuses %j for a resource',
    async (uri) => {
      await expect(edgeway.notify(env).resourceUpdated(wrong(uri))).rejects.toThrow(TypeError)
    },
  )

  it('rejects a subject that is not a string', async () => {
    await expect(edgeway.notify(env).resourcesChanged(wrong({ subject: 5 }))).rejects.toThrow(
      /a string/,
    )
  })
})

describe('changes() without the binding MCP_OBJECTS', () => {
  const create = () => {
    const events: TelemetryEvent[] = []
    const server = new FullServer({ name: 's', version: '1' })
    server.registerTool('add', {}, async (ctx) => {
      await ctx.notify.resourceUpdated('expense://1')
      await ctx.notify.resourcesChanged()
      return 'added'
    })
    const telemetry = (event: TelemetryEvent) => void events.push(event)
    return { events, edgeway: createEdgeway(server, { features: [changes()], telemetry }) }
  }

  it('completes the call whose handler publishes, and reports one warning', async () => {
    const { edgeway, events } = create()
    const client = await connect(edgeway)
    expect(await client.callTool('add')).toMatchObject({ text: 'added' })
    await edgeway.notify({}).toolsChanged()
    expect(events).toEqual([
      {
        type: 'definition-warning',
        subject: 'changes()',
        message: 'a change was not published: add the binding MCP_OBJECTS',
      },
    ])
  })

  it('rejects a change that no listener could receive', async () => {
    const { edgeway } = create()
    await expect(edgeway.notify({}).resourceUpdated('not a uri')).rejects.toThrow(TypeError)
  })

  it('answers subscriptions/listen with an error that names the binding', async () => {
    const client = await connect(create().edgeway)
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(
      'Method not found: subscriptions/listen needs the binding MCP_OBJECTS',
    )
  })
})

describe('an app without changes()', () => {
  it('answers subscriptions/listen with an error that names the feature', async () => {
    const client = await connect(createEdgeway(new FullServer({ name: 's', version: '1' })))
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow(
      'Method not found: subscriptions/listen needs features: [changes()]',
    )
  })
})
