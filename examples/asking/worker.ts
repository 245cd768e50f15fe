/**
 * Asking: a raffle that draws a name and asks whether its owner is there, until somebody is. At each
 * question the handler ends, and is run again from the top with the answers: chance must fall in a
 * step, or the name that is announced would be another than the one that was asked about.
 *
 *     npx wrangler dev examples/asking/worker.ts
 */
import * as z from 'zod'
import { createEdgeway, McpServer, ToolError } from '../../src/index.ts'

const MAX_DRAWS = 10

const server = new McpServer({ name: 'raffle', version: '1.0.0' })

server.registerTool(
  'draw_winner',
  {
    title: 'Draw a winner',
    description:
      'Draws a name and asks the person who holds the raffle whether that entrant is there. Draws again, without those who are not, until one is.',
    inputSchema: z.object({
      entrants: z.array(z.string().min(1).max(100)).min(1).max(1000).describe('A name per ticket'),
    }),
    outputSchema: z.object({ winner: z.string(), absent: z.array(z.string()) }),
    annotations: { readOnlyHint: true, openWorldHint: false },
  },
  async ({ entrants }, ctx) => {
    const absent: string[] = []
    while (absent.length < MAX_DRAWS) {
      const present = entrants.filter((name) => !absent.includes(name))
      if (present.length === 0) break
      const round = absent.length + 1
      const winner = await ctx.step(`draw-${round}`, () => pick(present))
      // Keys are named by the round, so that each answer finds its own question.
      const { action, content } = await ctx.elicit({
        key: `confirm-${round}`,
        message: `The ticket of ${winner} was drawn.`,
        schema: z.object({ here: z.boolean().meta({ title: `${winner} is here` }) }),
      })
      // Neither a refusal nor a closed window is a "no": only a form that was sent has an answer.
      if (action !== 'accept') throw new ToolError('The raffle was called off: nobody has won.')
      if (content.here) return { winner, absent }
      absent.push(winner)
    }
    throw new ToolError(`Nobody has won: ${absent.join(', ')} were drawn and were not there.`)
  },
)

function pick(names: readonly string[]): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  return names[random % names.length] ?? ''
}

const edgeway = createEdgeway(server)

export default edgeway
export const { McpKeyring, McpSession } = edgeway.objects
