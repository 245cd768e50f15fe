/**
 * Definitions that change for one subject, in two isolates of one deployment: two Workers of one process
 * that share the objects. The sessions are in the second one.
 */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bundleWorker } from '../../../scripts/support/bundle.ts'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import { PROJECT_DIRECTORY } from '../../../scripts/support/project.ts'
import { requestOf } from '../../attacks/modern.ts'
import type { Subject } from '../../clients/auth/browser.ts'
import { type LoggedServer, startLoggedServer } from '../../support/node/fixture-server.ts'
import { obtainTokens, register } from '../../support/node/oauth-client.ts'
import { SseReader } from '../../support/sse-reader.ts'
import { delay } from '../sessions/delay.ts'
import { send } from '../sessions/send.ts'
import { type EraClient, openEraClient } from './era-client.ts'

const PEOPLE = ['owner', 'guest'] as const

/** How often the tools are listed with the new plan. */
const LISTS_AFTER = 5

/** `grantCheckMaxAgeMs` of the server. */
const MAX_AGE_MS = 800

const ISOLATES = ['first', 'second'] as const
type Isolate = (typeof ISOLATES)[number]

let server: LoggedServer
let url: string
const tokens = new Map<Subject, string>()

beforeAll(async () => {
  const configPath = join(PROJECT_DIRECTORY, 'test/fixtures/plans/wrangler.toml')
  const bundle = await bundleWorker(configPath)
  const port = await findFreePort()
  // The issuer is the same in both isolates.
  const vars = { EDGEWAY_ORIGIN: `http://127.0.0.1:${port}` }
  const objects = { bundle, classes: ['McpObjects'] }
  server = await startLoggedServer({ configPath, bundle, objects, port, vars })
  url = server.url
  const issuer = new URL(url).origin
  const client = await register(issuer)
  for (const as of PEOPLE) {
    tokens.set(as, (await obtainTokens(issuer, client, { as, scope: '' })).access)
  }
})
afterAll(async () => {
  expect(server.log()).not.toContain('internal-error')
  await server.stop()
})

/** Sends the requests of a person to one of the isolates. */
function fetchOf(person: Subject, isolate: Isolate) {
  return (request: Request) => {
    const headers = new Headers(request.headers)
    headers.set('authorization', `Bearer ${tokens.get(person)}`)
    return send(
      new Request(request, { headers }),
      isolate === 'first' ? undefined : server.objectsPort,
    )
  }
}

/** Publishes the next plan of a person, and returns its number. */
async function publish(person: Subject): Promise<number> {
  const path = new URL(`/plans/${person}`, url)
  const { plan } = (await (await send(new Request(path, { method: 'POST' }))).json()) as {
    plan: number
  }
  return plan
}

async function planOf(client: EraClient): Promise<number> {
  const { result, error } = await client.request('tools/list')
  const name: string | undefined = result?.tools[0]?.name
  if (name === undefined) throw new Error(`No tools: ${JSON.stringify(error)}`)
  return Number(name.slice('plan_'.length))
}

/**
 * Lists the tools until they are those of a plan, and then some times more. The earlier plan is listed by requests
 * that are sent within the maximum age of a check after the publication, and by none that follows the new plan.
 */
async function observe(client: EraClient, plan: number): Promise<void> {
  const publishedAt = performance.now()
  for (let present = 0; present < LISTS_AFTER; ) {
    const sentAt = performance.now() - publishedAt
    const listed = await planOf(client)
    const mayBeEarlier = present === 0 && sentAt < MAX_AGE_MS
    expect(mayBeEarlier ? [plan - 1, plan] : [plan]).toContain(listed)
    if (listed === plan) present++
    await delay(10)
  }
}

describe('a publication for one subject', () => {
  it.each(['modern', 'session'] as const)(
    'is in effect in both isolates within grantCheckMaxAgeMs, and not for another subject, in the era %s',
    async (era) => {
      const clients = await Promise.all(
        ISOLATES.map((isolate) => openEraClient(era, url, fetchOf('owner', isolate))),
      )
      const guest = await openEraClient(era, url, fetchOf('guest', 'second'))
      const guestPlan = await planOf(guest)
      for (let round = 0; round < 2; round++) {
        const before = await Promise.all(clients.map(planOf))
        const plan = await publish('owner')
        expect(new Set(before)).toEqual(new Set([plan - 1]))
        await Promise.all(clients.map((client) => observe(client, plan)))
        expect(await planOf(guest)).toBe(guestPlan)
      }
    },
  )

  it.each(ISOLATES)(
    'is in effect in the %s isolate before it notifies a stream that it holds',
    async (isolate) => {
      const fetch = fetchOf('owner', isolate)
      const client = await openEraClient('modern', url, fetch)
      const params = { notifications: { toolsListChanged: true } }
      const stream = new SseReader(await fetch(requestOf(url, 'subscriptions/listen', params)))
      expect((await stream.message()).method).toBe('notifications/subscriptions/acknowledged')
      for (let round = 0; round < 3; round++) {
        await planOf(client)
        const plan = await publish('owner')
        expect((await stream.message()).method).toBe('notifications/tools/list_changed')
        expect(await Promise.all([planOf(client), planOf(client)])).toEqual([plan, plan])
      }
      await stream.leave()
    },
  )
})
