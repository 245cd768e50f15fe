/**
 * A server from a factory, for tests of definitions that depend on the caller. The token names the caller:
 * `Bearer alice` is the principal `alice`, and `Bearer alice read` has the scope `read`.
 */
// features: sessions

import * as z from 'zod'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { createFullEdgeway } from './full-app.ts'
import { FullServer } from './full-server.ts'
import { trusting } from './trusting.ts'

export const ORIGIN = 'https://factory.example.com'

/** What the factory does for a subject from now on. */
export const factoryFaults = new Map<string, 'throws' | 'without-tools'>()

/** The callers for whom the factory was called, as `subject params`. */
export const builtFor: string[] = []

export const factoryEvents: TelemetryEvent[] = []

export const factoryApp = createFullEdgeway(
  ({ auth, params }) => {
    const who = [auth?.subject, ...(auth?.scopes ?? [])].join('+')
    builtFor.push(`${who} ${JSON.stringify(params)}`)
    const fault = factoryFaults.get(auth?.subject ?? '')
    if (fault === 'throws') throw new Error(`There is no tenant of ${who}`)
    const server = new FullServer({ name: 'x', version: '0' }, { instructions: `For ${who}` })
    if (fault === 'without-tools') return server.registerTool('other', {}, () => 'other')
    return server
      .registerTool(`tool_of_${auth?.subject}`, {}, (ctx) => `${who} ${ctx.auth?.subject}`)
      .registerTool('ask', { description: `Asks ${who}` }, async (ctx) => {
        const { action } = await ctx.elicit({ message: 'Sure?', schema: { ok: z.boolean() } })
        return `${who} ${params.org} ${ctx.auth?.subject} ${action}`
      })
      .registerResource('note', `note://${auth?.subject}`, {}, () => who)
  },
  {
    info: { name: 'factory', version: '1' },
    path: '/mcp',
    otherPaths: ['/mcp/{org}'],
    queryParams: ['readonly'],
    httpSse: { path: '/sse/{org}', messagesPath: '/messages/{org}' },
    auth: trusting(ORIGIN),
    telemetry: (event) => factoryEvents.push(event),
    limits: { streamAfterMs: 2000 },
  },
)
