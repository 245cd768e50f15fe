/**
 * Raw JSON Schema: a schema that exists already, from an OpenAPI document or another server, goes to
 * clients untouched and is validated all the same. Handlers get `Record<string, unknown>`.
 *
 *     npx wrangler dev examples/raw-json-schema/worker.ts
 */
import { createEdgeway, McpServer } from '../../src/index.ts'

const server = new McpServer({ name: 'parcels', version: '1.0.0' })

const parcel = {
  type: 'object',
  properties: {
    weightGrams: { type: 'integer', minimum: 1, maximum: 30_000 },
    // What zod has no word for survives: conditions, references, keywords of one's own.
    destination: { $ref: '#/$defs/country' },
    customsValue: { type: 'number', exclusiveMinimum: 0 },
  },
  required: ['weightGrams', 'destination'],
  if: { properties: { destination: { enum: ['CH', 'NO', 'GB'] } } },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { required: ['customsValue'] },
  additionalProperties: false,
  $defs: { country: { type: 'string', pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' } },
}

server.registerTool(
  'quote_parcel',
  {
    title: 'Quote a parcel',
    description: 'The price of sending a parcel within Europe. Outside the EU the value is needed.',
    inputSchema: parcel,
    outputSchema: {
      type: 'object',
      properties: { cents: { type: 'integer' }, currency: { const: 'EUR' } },
      required: ['cents', 'currency'],
    },
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
  ({ weightGrams, customsValue }) => {
    const base = 490 + Math.ceil(Number(weightGrams) / 500) * 60
    return { cents: customsValue === undefined ? base : base + 250, currency: 'EUR' }
  },
)

export default createEdgeway(server)
