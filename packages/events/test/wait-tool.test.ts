/** The tool by which clients without MCP Events wait for an event. */
// features: events
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createEdgeway, McpServer } from '../../../src/index.ts'
import { EVENTS_EXTENSION } from '../../../src/protocol/events.ts'
import { openObjectsOf } from '../../../test/support/opened-objects.ts'
import { trusting } from '../../../test/support/trusting.ts'
import { connect } from '../../testing/src/index.ts'
import { defineEvent, events, waitTool } from '../src/index.ts'
import { eventsAlone } from './support/events-alone.ts'

interface Waited {
  readonly events: readonly { readonly data: { readonly text: string } }[]
  readonly cursor: string
  readonly truncated: boolean
  readonly hasMore: boolean
}

/** Both apps have the same objects, which no other test has. */
const audience = 'wait-tool'

const app = openObjectsOf(eventsAlone({ tool: waitTool(), holdMs: 20_000, audience }))

/** Holds a call for less. */
const brief = eventsAlone({ tool: waitTool(), holdMs: 500, audience })

const open = () => connect(app, { env, capabilities: {} })

const emit = (text: string) => app.events(env).emit('rows.all', { topic: 'wait', text })

const textsOf = ({ events: come }: Waited) => come.map(({ data }) => data.text)

describe('wait_for_event', () => {
  it('refuses an option that is no value of waitTool()', () => {
    const options = { types: [], waitTool: true as never }
    expect(() => events(options)).toThrow('events({ waitTool }) must be a value of waitTool()')
  })

  it('answers with the event that comes while it waits, and with a cursor for the next ones', async () => {
    const client = await open()
    const waiting = client.callTool<Waited>('wait_for_event', { name: 'rows.all' })
    setTimeout(() => void emit('one'), 200)
    const { structuredContent: first, text } = await waiting
    expect(first && textsOf(first)).toEqual(['one'])
    expect(text).toContain('Call wait_for_event again with this cursor for the next events.')
    expect(text).toContain(String(first?.cursor))
    await emit('two')
    await emit('three')
    const args = { name: 'rows.all', cursor: first?.cursor }
    const { structuredContent: next } = await client.callTool<Waited>('wait_for_event', args)
    expect(next && textsOf(next)).toEqual(['two', 'three'])
  })

  it('answers with at most 20 events, after the cursor of the next call', async () => {
    const name = 'rows.all'
    const quiet = await connect(brief, { env, capabilities: {} })
    const { structuredContent: none } = await quiet.callTool<Waited>('wait_for_event', { name })
    const client = await open()
    const next = (cursor: string | undefined) =>
      client.callTool<Waited>('wait_for_event', { name, cursor })
    for (let n = 0; n < 21; n++) await emit(`many ${n}`)
    const { structuredContent: first, text } = await next(none?.cursor)
    expect([first?.events.length, first?.hasMore]).toEqual([20, true])
    expect(text.indexOf(`cursor: ${first?.cursor}`)).toBeLessThan(text.indexOf('many 0'))
    const { structuredContent: last } = await next(first?.cursor)
    expect(last && textsOf(last)).toEqual(['many 20'])
  })

  it('answers without events at the end of the time, and the cursor loses none that comes afterwards', async () => {
    const client = await connect(brief, { env, capabilities: {} })
    const { structuredContent: quiet, text } = await client.callTool<Waited>('wait_for_event', {
      name: 'rows.all',
    })
    expect(quiet?.events).toEqual([])
    expect(text).toContain('No event has come yet.')
    await emit('later')
    const args = { name: 'rows.all', cursor: quiet?.cursor }
    const { structuredContent: next } = await client.callTool<Waited>('wait_for_event', args)
    expect(next && textsOf(next)).toEqual(['later'])
  })

  it.for([
    ['an unknown event', { name: 'rows.none' }, /^There is no event rows\.none\.$/],
    ['no name', {}, /params\.name must be the name of an event type/],
    ['a cursor that is no text', { name: 'rows.all', cursor: 7 }, /cursor must be a string/],
    ['arguments that are no object', { name: 'rows.all', arguments: 7 }, /must be an object/],
  ] as const)('refuses %s with the reason', async ([, args, reason]) => {
    const result = await (await open()).callTool('wait_for_event', args)
    expect(result.isError).toBe(true)
    expect(result.text).toMatch(reason)
  })

  it('answers a cursor that this server has not issued as a gap', async () => {
    const args = { name: 'rows.all', cursor: 'made up' }
    const gap = await (await open()).callTool<Waited>('wait_for_event', args)
    expect(gap.structuredContent?.truncated).toBe(true)
    expect(gap.text).toContain('Earlier events are missing')
  })

  it('is listed for clients without events alone, and only where the author wants it', async () => {
    const names = async (capabilities: object) => {
      const client = await connect(eventsAlone({ tool: waitTool() }), { env, capabilities })
      return (await client.listTools()).map(({ name }) => name)
    }
    expect(await names({})).toEqual(['wait_for_event'])
    expect(await names({ extensions: { [EVENTS_EXTENSION]: {} } })).toEqual([])
    const client = await connect(eventsAlone(), { env, capabilities: {} })
    await expect(client.listTools()).rejects.toMatchObject({ code: -32601 })
  })

  it('checks scopes and authorization as a poll does, and does not name events that some do not see', async () => {
    const payload = z.object({ text: z.string() })
    const common = { payload, history: 60_000 }
    const guarded = createEdgeway(new McpServer({ name: 'guarded', version: '1.0.0' }), {
      auth: trusting('https://guarded.example.com'),
      features: [
        events({
          waitTool: waitTool('await_news'),
          types: [
            defineEvent('news.written', { ...common, description: 'Shown', scopes: ['write'] }),
            defineEvent('news.refused', {
              ...common,
              description: 'Shown',
              authorize: () => false,
            }),
            defineEvent('news.hidden', { ...common, description: 'Secret', visible: () => false }),
            defineEvent('news.plain', { payload, description: 'Not kept', history: 0 }),
          ],
        }),
      ],
    })
    const client = await connect(guarded, { env, capabilities: {}, token: 'ada' })
    const [tool] = await client.listTools()
    expect(tool?.name).toBe('await_news')
    expect(tool?.description).toContain('news.written')
    expect(tool?.description).not.toMatch(/news\.hidden|Secret|news\.plain/)
    await expect(client.callTool('await_news', { name: 'news.written' })).rejects.toMatchObject({
      status: 403,
    })
    const refused = await client.callTool('await_news', { name: 'news.refused' })
    expect([refused.isError, refused.text]).toEqual([true, 'You may not receive these events'])
    const hidden = await client.callTool('await_news', { name: 'news.hidden' })
    expect(hidden.isError).toBe(true)
    const plain = await client.callTool('await_news', { name: 'news.plain' })
    expect(plain.text).toBe('news.plain keeps no events, so a tool cannot wait for it.')
  })
})
