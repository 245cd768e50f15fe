/**
 * Asks: a raffle that draws a name and asks whether that entrant is present, until one is. At each
 * question the handler ends, and it runs again from the top with the answers. The draw is therefore a
 * step: otherwise each run would draw another name.
 *
 *     npx wrangler dev examples/asking/worker.ts
 */
import * as z from 'zod'
import { sessions } from '../../src/features/sessions/index.ts'
import { asks, createEdgeway, createServer, ToolError } from '../../src/index.ts'

const MAX_DRAWS = 10

const server = createServer({ name: 'raffle', version: '1.0.0', uses: [asks()] })

server.registerTool(
  'draw_winner',
  {
    title: 'Draw a winner',
    description:
      'Draws a name and asks the user whether that entrant is present. Draws again without absent entrants until one is present.',
    inputSchema: z.object({
      entrants: z.array(z.string().min(1).max(100)).min(1).max(1000).describe('A name per ticket'),
    }),
    outputSchema: z.object({ winner: z.string(), absent: z.array(z.string()) }),
    annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
  },
  async ({ entrants }, ctx) => {
    const absent: string[] = []
    while (absent.length < MAX_DRAWS) {
      const present = entrants.filter((name) => !absent.includes(name))
      if (present.length === 0) break
      const round = absent.length + 1
      const winner = await ctx.step(`draw-${round}`, () => pick(present))
      // The key contains the round, so that each answer is matched with its own question.
      const { action, content } = await ctx.elicit({
        key: `confirm-${round}`,
        message: `The ticket of ${winner} was drawn.`,
        schema: z.object({ here: z.boolean().meta({ title: `${winner} is here` }) }),
      })
      // Only a submitted form is an answer: a declined or closed question does not mean "absent".
      if (action !== 'accept') throw new ToolError('The raffle was cancelled. There is no winner.')
      if (content.here) return { winner, absent }
      absent.push(winner)
    }
    throw new ToolError(`There is no winner: ${absent.join(', ')} were drawn and are absent.`)
  },
)

function pick(names: readonly string[]): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  return names[random % names.length] ?? ''
}

const edgeway = createEdgeway(server, { features: [sessions()] })

export default edgeway

export class McpObjects extends edgeway.Objects {}
