/**
 * Structured output: a value that matches a schema, for programs, and text for the model.
 *
 *     npx wrangler dev examples/structured-output/worker.ts
 */
import * as z from 'zod'
import { createEdgeway, createServer, ToolError } from '../../src/index.ts'

const server = createServer({ name: 'statistics', version: '1.0.0' })

const inputSchema = z.object({
  numbers: z.array(z.number()).max(10_000).describe('The sample, in any order'),
})
const outputSchema = z.object({ count: z.int(), mean: z.number(), median: z.number() })
const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }

// Returns the value only: it is validated, and repeated as JSON text.
server.registerTool(
  'summarize',
  {
    title: 'Summarize',
    description: 'Computes mean and median of a sample',
    inputSchema,
    outputSchema,
    annotations,
  },
  ({ numbers }) => summarize(numbers),
)

// Returns a whole result: the same value, with a sentence instead of the JSON text.
server.registerTool(
  'explain',
  {
    title: 'Explain',
    description: 'Describes mean and median of a sample in a sentence',
    inputSchema,
    outputSchema,
    annotations,
  },
  ({ numbers }) => {
    const summary = summarize(numbers)
    const skew =
      summary.mean > summary.median ? 'a few high values pull it up' : 'nothing pulls it up'
    const text = `The mean of ${summary.count} numbers is ${summary.mean}; ${skew}.`
    return { content: [{ type: 'text', text }], structuredContent: summary }
  },
)

function summarize(numbers: readonly number[]): z.output<typeof outputSchema> {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const low = sorted[Math.ceil(middle) - 1]
  const high = sorted[Math.floor(middle)]
  // An error has no value. The model reads this message and can retry.
  if (low === undefined || high === undefined) throw new ToolError('The sample is empty.')
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  return { count: numbers.length, mean, median: (low + high) / 2 }
}

export default createEdgeway(server)
