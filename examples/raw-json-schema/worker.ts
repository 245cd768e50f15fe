/**
 * Raw JSON Schema: an existing schema, for example from an OpenAPI document, is sent to clients unchanged,
 * and arguments are validated with it. Handlers receive `Record<string, unknown>`.
 *
 *     npx wrangler dev examples/raw-json-schema/worker.ts
 */
import { createEdgeway, createServer, jsonSchema } from '../../src/index.ts'

const server = createServer({ name: 'parcels', version: '1.0.0' })

const parcel = {
  type: 'object',
  properties: {
    weightGrams: { type: 'integer', minimum: 1, maximum: 30_000 },
    // Keywords that zod cannot express are kept: conditions, references, custom keywords.
    destination: { $ref: '#/$defs/country' },
    customsValue: { type: 'number', exclusiveMinimum: 0 },
  },
  required: ['weightGrams', 'destination'],
  if: { properties: { destination: { enum: ['CH', 'NO', 'GB'] } } },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  then: { required: ['customsValue'] },
  additionalProperties: false,
}

// A condition is inside of a property: some clients leave out a tool that has one at its root.
const quote = {
  type: 'object',
  properties: { parcel },
  required: ['parcel'],
  additionalProperties: false,
  $defs: { country: { type: 'string', pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' } },
}

server.registerTool(
  'quote_parcel',
  {
    title: 'Quote a parcel',
    description:
      'Returns the price of sending a parcel within Europe. customsValue is required outside the EU.',
    inputSchema: jsonSchema(quote),
    outputSchema: jsonSchema({
      type: 'object',
      properties: { cents: { type: 'integer' }, currency: { const: 'EUR' } },
      required: ['cents', 'currency'],
    }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  },
  ({ parcel }) => {
    const { weightGrams, customsValue } = parcel as { weightGrams: number; customsValue?: number }
    const base = 490 + Math.ceil(weightGrams / 500) * 60
    return { cents: customsValue === undefined ? base : base + 250, currency: 'EUR' }
  },
)

export default createEdgeway(server)
