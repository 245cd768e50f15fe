/** A server whose tools name classes of rate limits, and requests from addresses. */
// features: sessions, changes, rate-limits

import { env } from 'cloudflare:workers'
import { jsonSchema } from '../../src/index.ts'
import type { TelemetryEvent } from '../../src/telemetry/index.ts'
import { createFullEdgeway, type FullOptions } from '../support/full-app.ts'
import { FullServer } from '../support/full-server.ts'
import { openObjectsOf } from '../support/opened-objects.ts'
import { connectApp, type TestApp } from '../support/test-app.ts'

export const MINUTE_MS = 60_000

export function createLimitedServer(): FullServer {
  const server = new FullServer({ name: 'limited', version: '1.0.0' })
  server.registerTool('free', {}, () => 'free')
  server.registerTool('echo', { limitClass: 'costly' }, () => 'costly')
  server.registerTool('hidden', { limitClass: 'costly', visible: () => false }, () => 'hidden')
  server.registerTool('asks', { limitClass: 'costly' }, async ({ elicit }) => {
    const { action } = await elicit({
      key: 'sure',
      message: 'Sure?',
      schema: jsonSchema({ type: 'object', properties: {} }),
    })
    return action
  })
  return server
}

/** Two calls of the tools `echo` and `asks` in a minute. */
const TWO_CALLS = { costly: { limit: 2 } }

/** Opens an app with the class `costly`, which allows two calls in a minute unless `rateLimits` has it. */
export function openLimitedApp(
  rateLimits: FullOptions['rateLimits'] = {},
  bindings: object = {},
): TestApp {
  const events: TelemetryEvent[] = []
  const app = createFullEdgeway(createLimitedServer(), {
    telemetry: (event) => void events.push(event),
    rateLimits: rateLimits && {
      ...rateLimits,
      classes: { ...TWO_CALLS, ...rateLimits.classes },
    },
  })
  const all = { MCP_OBJECTS: env.MCP_OBJECTS, ...bindings }
  return connectApp(openObjectsOf(app), all, events)
}

export const from = (address: string) => ({ 'cf-connecting-ip': address })

/** The statuses of modern requests that are sent from addresses, one after the other. */
export async function statusesFrom(app: TestApp, addresses: readonly string[]): Promise<number[]> {
  const statuses: number[] = []
  for (const address of addresses) {
    const { status } = await app.modern('tools/list', {}, { headers: from(address) })
    statuses.push(status)
  }
  return statuses
}

/** The classes of the refusals that telemetry has received. */
export function limitClassesOf({ events }: { readonly events: readonly TelemetryEvent[] }) {
  return events.flatMap((event) =>
    event.type === 'refusal' && event.limitClass !== undefined ? [event.limitClass] : [],
  )
}
