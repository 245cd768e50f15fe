/** An app with `events()` alone and without authorization, over the objects of `rows-server.ts`, whose name and path it has. */
// features: events
import * as z from 'zod'
import { defineEvent, events, type WaitTool } from '../../../src/features/events/index.ts'
import { createEdgeway, McpServer } from '../../../src/index.ts'

/** @param options of `events()` and of the app */
export function eventsAlone({ tool, holdMs = 45_000 }: { tool?: WaitTool; holdMs?: number } = {}) {
  return createEdgeway(new McpServer({ name: 'rows', version: '1.0.0' }), {
    limits: { holdMs },
    features: [
      events({
        ...(tool && { waitTool: tool }),
        types: [
          defineEvent('rows.all', {
            description: 'Occurs when a test emits it.',
            payload: z.object({ topic: z.string(), text: z.string() }),
            history: 600_000,
          }),
        ],
      }),
    ],
  })
}
