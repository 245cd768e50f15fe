// features: objects
/**
 * Work that one object of an isolate begins and another one waits for. The runtime lets neither enter what belongs to the
 * other. A promise of a function that it has compiled, after some hundred calls, goes on where it is resolved: in the wrong
 * object.
 */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { delay } from '../../src/platform/deadline.ts'
import { RefreshingCache } from '../../src/platform/refreshing-cache.ts'
import { SingleFlight } from '../../src/platform/single-flight.ts'

const CALLS_UNTIL_COMPILED = 2000

/** Pairs of calls at the same time. */
const PAIRS = 100

const flights = new SingleFlight<string>(10_000)

let loads = 0

const cache = new RefreshingCache<string>({
  load: async (key) => {
    loads += 1
    if (!key.startsWith('quick')) await delay(50)
    if (key.startsWith('failing')) throw new Error('The source has failed')
    return { value: key, loadedAt: Date.now(), freshUntil: Date.now() + 60_000 }
  },
  loadTimeoutMs: 10_000,
  followTimeoutMs: 10_000,
  maxStaleAgeMs: 0,
  retryAfterMs: 0,
  maxEntries: 10,
  now: () => Date.now(),
})

async function workFor(ms: number, outcome: string): Promise<string> {
  if (ms > 0) await delay(ms)
  if (outcome === 'failure') throw new Error('The work has failed')
  return outcome
}

let works = 0

const share = (key: string, ms: number, outcome: string) =>
  flights.run(key, async () => {
    works += 1
    return await workFor(ms, outcome)
  })

/** Shares the work in an object of its own, and then uses the storage of that object. */
async function inObject(work: () => Promise<string>): Promise<string> {
  const stub = env.MCP_OBJECTS.get(env.MCP_OBJECTS.newUniqueId())
  return await runInDurableObject(stub, async (_, { storage }) => {
    const outcome = await work().catch((error: Error) => error.message)
    await storage.put('outcome', outcome)
    await storage.sync()
    return String(await storage.get('outcome'))
  })
}

/** Of four objects, the first of which does the work. */
const inFour = (work: () => Promise<string>) =>
  Promise.all([inObject(work), inObject(work), inObject(work), inObject(work)])

beforeAll(async () => {
  const pair = (key: string) =>
    Promise.all([
      share(key, 0, 'quick'),
      share(key, 0, 'quick'),
      cache.get(`quick ${key}`),
      cache.get(`quick ${key}`),
    ])
  for (let calls = 0; calls < CALLS_UNTIL_COMPILED; calls += PAIRS) {
    await Promise.all(Array.from({ length: PAIRS }, (_, number) => pair(`${calls} ${number}`)))
  }
})

describe('work that objects of one isolate share', () => {
  it('is done once, and each goes on with what is its own', async () => {
    const before = works
    expect(await inFour(() => share('shared', 50, 'done'))).toEqual(Array(4).fill('done'))
    expect(works - before).toBe(1)
  })

  it('fails for all of them', async () => {
    const before = works
    const failed = Array(4).fill('The work has failed')
    expect(await inFour(() => share('shared', 50, 'failure'))).toEqual(failed)
    expect(works - before).toBe(1)
  })

  it('is one load of a cache', async () => {
    const before = loads
    expect(await inFour(() => cache.get('one'))).toEqual(Array(4).fill('one'))
    expect(loads - before).toBe(1)
    const failed = Array(4).fill('The source has failed')
    expect(await inFour(() => cache.get('failing'))).toEqual(failed)
    expect(loads - before).toBe(2)
  })
})
