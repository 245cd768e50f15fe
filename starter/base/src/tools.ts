/** Two tools to begin with: one that answers at once, and one that asks the person at the client. */
import * as z from 'zod'
import type { Server } from './server.ts'

export function registerTools(server: Server): void {
  server.registerTool(
    'roll_dice',
    {
      title: 'Roll a die',
      description: 'Rolls a die and returns the number.',
      inputSchema: z.object({ sides: z.int().min(2).max(1000).default(6) }),
      outputSchema: z.object({ number: z.int() }),
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    },
    ({ sides }) => ({ number: 1 + Math.floor(Math.random() * sides) }),
  )

  server.registerTool(
    'book_table',
    {
      title: 'Book a table',
      description: 'Books a table at a restaurant. Asks the person how many people will come.',
      inputSchema: z.object({ restaurant: z.string().min(1).max(100) }),
      annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
    },
    async ({ restaurant }, ctx) => {
      const answer = await ctx.elicit({
        message: `A table at ${restaurant} for how many people?`,
        schema: z.object({ people: z.int().min(1).max(20) }),
      })
      if (answer.action !== 'accept') return 'No table was booked.'
      return `Booked a table for ${answer.content.people} at ${restaurant}.`
    },
  )
}
