/** Public descriptions: everything in them is served, with valid schemas, to clients of both eras. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sealDefinition } from '../../../src/server/mcp-server.ts'
import { prepareOpenAPI } from '../src/index.ts'
import { DESCRIPTIONS, descriptionOf } from './support/descriptions.ts'
import { callTool, listTools, openServer, playUpstream, type Result } from './support/upstream.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false })
const BASE = { baseUrl: 'https://api.example/v1', deprecated: true } as const

/** The number of operations with a method that `fetch` sends. */
function countOperations(document: object): number {
  const { paths = {} } = document as { paths?: Record<string, object> }
  const methods = /^(?:get|put|post|delete|options|head|patch)$/
  return Object.values(paths).flatMap((item) =>
    Object.keys(item).filter((key) => methods.test(key)),
  ).length
}

const WITH_OPERATIONS = DESCRIPTIONS.filter(([, document]) => countOperations(document) > 0)

describe('a public description', () => {
  it.each(WITH_OPERATIONS)('%s becomes one tool for each operation', async (_, document) => {
    const prepared = prepareOpenAPI(document, { ...BASE, outputSchemas: 'declared' })
    const tools = await listTools(openServer(prepared.server()))
    expect(tools.map(({ name }) => name)).toEqual(prepared.operations.map(({ name }) => name))
    expect(tools.length).toBeGreaterThanOrEqual(countOperations(document))
    for (const { name, inputSchema, outputSchema, description = '' } of tools) {
      expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
      expect(description.length).toBeLessThanOrEqual(1_024)
      for (const schema of [inputSchema, outputSchema ?? {}]) {
        expect([name, ajv.validateSchema(schema), ajv.errors]).toEqual([name, true, null])
        expect(JSON.stringify(schema).length).toBeLessThanOrEqual(16_384)
      }
      expect(() => ajv.compile(inputSchema)).not.toThrow()
      expect(
        Object.keys(inputSchema.properties).filter((key) => !/^[\w.-]{1,64}$/.test(key)),
      ).toEqual([])
    }
  })

  it.each(['3.1/json/train-travel.json', '3.0/json/star-trek.json', 'rclone'])(
    '%s lists the same tools to a client of a session revision',
    async (name) => {
      const app = openServer(prepareOpenAPI(descriptionOf(name), BASE).server())
      const modern = await listTools(app)
      const session: Result[] = []
      let cursor: string | undefined
      do {
        const { body } = await app.session('tools/list', cursor === undefined ? {} : { cursor })
        session.push(...body.result.tools)
        cursor = body.result.nextCursor
      } while (cursor !== undefined)
      expect(session.map(({ name: tool }) => tool)).toEqual(modern.map(({ name: tool }) => tool))
      expect(session[0].inputSchema).toEqual(modern[0].inputSchema)
    },
  )

  it('is converted once for all callers', () => {
    const prepared = prepareOpenAPI(descriptionOf('3.0/json/star-trek.json'), BASE)
    const [one, two] = ['a', 'b'].map((key) => sealDefinition(prepared.server({ auth: () => key })))
    expect(prepared.operations).toHaveLength(120)
    for (const { name } of prepared.operations) {
      expect(one?.tools.get(name)?.input).toBe(two?.tools.get(name)?.input)
    }
  })
})

describe('the API of train-travel', () => {
  const open = () =>
    openServer(prepareOpenAPI(descriptionOf('3.1/json/train-travel.json')).server())

  it('answers a search', async () => {
    const sent = playUpstream(Response.json({ data: [{ id: 't1' }] }))
    const origin = 'efdbb9d1-02c2-4bc3-afb7-6788d8782b1e'
    const args = { origin, destination: origin, date: '2026-11-01T09:00:00Z', dogs: true }
    const { structuredContent } = await callTool(open(), 'get-trips', args)
    expect(structuredContent).toEqual({ data: [{ id: 't1' }] })
    expect(sent[0]?.url).toBe(
      `https://api.example.com/trips?origin=${origin}&destination=${origin}&date=2026-11-01T09%3A00%3A00Z&dogs=true`,
    )
  })

  it('creates a booking and pays it', async () => {
    const sent = playUpstream(Response.json({}, { status: 201 }))
    const app = open()
    await callTool(app, 'create-booking', { body: { passenger_name: 'Ada', has_dog: true } })
    const source = {
      object: 'card',
      name: 'Ada',
      number: '4242',
      cvc: 123,
      exp_month: 12,
      exp_year: 2030,
      address_country: 'gb',
    }
    const bookingId = '1725ff48-ab45-4bb5-9d02-88745177dedb'
    await callTool(app, 'create-booking-payment', {
      bookingId,
      body: { amount: 49.99, currency: 'gbp', source },
    })
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST https://api.example.com/bookings',
      `POST https://api.example.com/bookings/${bookingId}/payment`,
    ])
    expect(JSON.parse(sent[1]?.body ?? '')).toMatchObject({
      amount: 49.99,
      source: { object: 'card' },
    })
  })
})
