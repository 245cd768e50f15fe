/** Rows of the scenario events-discovery. */
// features: events
import { expect, it } from 'vitest'
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import { connect } from '../../../testing/src/index.ts'
import { eventsAlone } from '../support/events-alone.ts'
import { authorized, CODES, person, rawApp, refusal } from '../support/rows.ts'

const EXTENSION = 'io.modelcontextprotocol/events'

async function capabilities() {
  const { body } = await rawApp().modern('server/discover', {}, { headers: authorized('ada') })
  return body.result.capabilities
}

it('capability-events-object: declares an object at the extension, and one at `events`', async () => {
  const { extensions, events } = await capabilities()
  expect(extensions[EXTENSION]).toBeTypeOf('object')
  expect(events).toBeTypeOf('object')
})

it('capability-list-changed-flag: declares listChanged when the list can be listened to', async () => {
  expect((await capabilities()).extensions[EXTENSION]).toEqual({ listChanged: true })
})

it('list-implemented: events/list returns the types as a list', async () => {
  const { body } = await rawApp().modern('events/list', {}, { headers: authorized('ada') })
  expect(body.result).toMatchObject({ resultType: 'complete', events: expect.any(Array) })
})

it('list-pagination: refuses a cursor that the list has not issued, and has no nextCursor on its last page', async () => {
  const { client } = await person()
  expect(await client.request('events/list')).not.toHaveProperty('nextCursor')
  const refused = await refusal(client.request('events/list', { cursor: 'made up' }))
  expect(refused.code).toBe(CODES.invalidParams)
})

it('descriptor-name: names each type once, in the order of the definition', async () => {
  const { client } = await person()
  expect((await client.events.list()).map(({ name }) => name)).toEqual([
    'rows.all',
    'rows.poll',
    'rows.push',
    'rows.webhook',
    'rows.plain',
    'rows.ended',
    'rows.removed',
    'rows.payload',
    'rows.input',
    'rows.grown',
    'rows.upstream',
  ])
})

it('descriptor-description: describes each type', async () => {
  const { client } = await person()
  for (const { description } of await client.events.list()) {
    expect(description).toBe('Occurs when a test emits it.')
  }
})

it('descriptor-delivery-subset: lists the modes of each type, at least one', async () => {
  const { client } = await person()
  const modes = (await client.events.list()).slice(0, 4).map(({ delivery }) => delivery)
  expect(modes).toEqual([['poll', 'push', 'webhook'], ['poll'], ['push'], ['webhook']])
})

it('descriptor-input-schema: has a JSON Schema of the arguments', async () => {
  const { client } = await person()
  const [all] = await client.events.list()
  expect(all?.inputSchema).toMatchObject({
    type: 'object',
    properties: { topic: { type: 'string' }, level: { type: 'integer' } },
  })
})

it('descriptor-payload-schema: has a JSON Schema of the data', async () => {
  const { client } = await person()
  const [all] = await client.events.list()
  expect(all?.payloadSchema).toMatchObject({
    type: 'object',
    properties: { topic: { type: 'string' }, text: { type: 'string' } },
    required: ['topic', 'text'],
  })
})

it('descriptor-meta: has the `_meta` of the definition, and none where it has none', async () => {
  const { client } = await person()
  const [all, poll] = await client.events.list()
  expect(all?._meta).toEqual({ 'example/owner': 'tests' })
  expect(poll).not.toHaveProperty('_meta')
})

it('error-not-found: answers an unknown type with NotFound and the kind that is missing', async () => {
  const { client } = await person()
  const refused = await refusal(client.events.poll('rows.unknown'))
  expect(refused).toMatchObject({ code: CODES.notFound, data: { kind: 'event' } })
  expect(refused.message).toContain('NotFound')
})

it('error-not-found: has the number of SEP-3415 for a client that declares the extension', async () => {
  const app = rawApp()
  const meta = {
    'io.modelcontextprotocol/clientCapabilities': { extensions: { [EXTENSION]: {} } },
  }
  const { body } = await app.modern(
    'events/poll',
    { name: 'rows.unknown' },
    { headers: authorized('ada'), meta },
  )
  expect(body.error).toMatchObject({ code: -32023, message: 'NotFound', data: { kind: 'event' } })
})

it('error-server-range: has error numbers from -32099 to -32000', async () => {
  const { client } = await person()
  for (const name of ['rows.unknown', 'rows.push']) {
    const { code } = await refusal(client.events.poll(name))
    expect(code).toBeGreaterThanOrEqual(-32_099)
    expect(code).toBeLessThanOrEqual(-32_000)
  }
})

it('fallback-method-not-found: a server without the feature answers -32601 with status 404', async () => {
  const app = createEdgeway(new McpServer({ name: 'without', version: '1.0.0' }), { features: [] })
  const client = await connect(app)
  for (const method of ['list', 'poll', 'stream', 'subscribe', 'unsubscribe']) {
    const refused = await refusal(client.request(`events/${method}`, { name: 'rows.all' }))
    expect([method, refused.code, refused.status]).toEqual([method, -32_601, 404])
  }
})

it('capability-empty-settings: without changes() the extension is an empty object', async () => {
  const client = await connect(eventsAlone())
  expect(client.serverCapabilities.extensions).toMatchObject({ [EXTENSION]: {} })
  expect(client.serverCapabilities.events).toEqual({})
})
