/**
 * Changes: a resource whose content changes every day. A cron notifies its listeners at midnight. A handler
 * notifies listeners in the same way, with `ctx.notify`.
 *
 *     npx wrangler dev examples/changes/worker.ts --test-scheduled
 *     curl http://localhost:8787/__scheduled
 */
import { changes } from '../../src/features/changes/index.ts'
import { sessions } from '../../src/features/sessions/index.ts'
import { createEdgeway, createServer } from '../../src/index.ts'

const URI = 'almanac://today'
const DAY_MS = 86_400_000
/** A new moon: 6 January 2000, 18:14 UTC. */
const NEW_MOON_MS = Date.UTC(2000, 0, 6, 18, 14)
const SYNODIC_MONTH_MS = 29.530588853 * DAY_MS

interface Env {
  readonly MCP_OBJECTS: DurableObjectNamespace
}

const server = createServer.for<Env>()({ name: 'almanac', version: '1.0.0' })

server.registerResource(
  'today',
  URI,
  {
    title: 'Today',
    description: 'The date in UTC, the day of the year and the age of the moon',
    mimeType: 'application/json',
    // A client that does not listen may use a copy of at most this age.
    cacheScope: 'public',
    ttlMs: 3_600_000,
  },
  () => JSON.stringify(dayOf(Date.now())),
)

function dayOf(now: number) {
  const midnight = now - (now % DAY_MS)
  const date = new Date(midnight)
  return {
    date: date.toISOString().slice(0, 10),
    dayOfYear: (midnight - Date.UTC(date.getUTCFullYear(), 0, 1)) / DAY_MS + 1,
    moonAgeDays: Math.floor(((midnight - NEW_MOON_MS) % SYNODIC_MONTH_MS) / DAY_MS),
  }
}

const edgeway = createEdgeway(server, { features: [sessions(), changes()] })

export default {
  fetch: edgeway.fetch,
  // The promise is returned, so that a failed publication is a failed run in the log of the cron.
  scheduled: (_, env) => edgeway.notify(env).resourceUpdated(URI),
} satisfies ExportedHandler<Env>

export class McpObjects extends edgeway.Objects {}
