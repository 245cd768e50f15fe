/** An app with `events()` alone and without authorization. Without an audience, its objects are those of `rows-server.ts`. */
// features: events
import * as z from 'zod'
import { createEdgeway, McpServer } from '../../../../src/index.ts'
import { defineEvent, events, type WaitTool } from '../../src/index.ts'

interface Options {
  readonly tool?: WaitTool
  readonly holdMs?: number
  readonly audience?: string
}

/** @param options of `events()` and of the app */
export function eventsAlone({ tool, holdMs = 45_000, audience = 'rows' }: Options = {}) {
  return createEdgeway(new McpServer({ name: 'rows', version: '1.0.0' }), {
    audience,
    features: [
      events({
        limits: { holdMs },
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
