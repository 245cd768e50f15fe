/**
 * 40 principals with a definition each call one server at the same time, in every era, while it is killed
 * and restarted. Every response is searched for what belongs to another principal.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../../scripts/support/free-port.ts'
import { PROJECT_DIRECTORY } from '../../../scripts/support/project.ts'
import { Random } from '../../soak/random.ts'
import { type LoggedServer, startLoggedServer } from '../../support/node/fixture-server.ts'
import { delay } from '../sessions/delay.ts'
import { Principal } from './principal.ts'

export interface BatteryOptions {
  readonly seed: number
  /** Requests of all principals together. */
  readonly calls: number
  readonly kills: number
}

export interface BatteryReport {
  readonly seed: number
  readonly seconds: number
  readonly counts: Readonly<Record<string, number>>
  readonly violations: readonly string[]
}

const PRINCIPALS = 40
/** The first kill comes this long after the calls that precede it, at most. */
const MAX_KILL_DELAY_MS = 100

export async function runBattery({ seed, calls, kills }: BatteryOptions): Promise<BatteryReport> {
  const startedAt = performance.now()
  const random = new Random(seed)
  const counts: Record<string, number> = {}
  const violations: string[] = []
  const state = await mkdtemp(join(tmpdir(), 'edgeway-isolation-'))
  const port = await findFreePort()
  const start = () =>
    startLoggedServer({
      configPath: join(PROJECT_DIRECTORY, 'test/fixtures/isolation/wrangler.toml'),
      port,
      state,
      vars: {},
    })
  let server: LoggedServer = await start()
  let up = Promise.resolve()
  let done = 0
  let killed = 0
  const world = {
    origin: new URL(server.url).origin,
    count: (what: string) => {
      counts[what] = (counts[what] ?? 0) + 1
      if (what.startsWith('call: ')) done++
    },
    violation: (text: string) => violations.push(text),
    ready: () => up,
    kills: () => killed,
  }
  const principals = Array.from(
    { length: PRINCIPALS },
    (_, number) => new Principal(number, PRINCIPALS, random.fork(`principal ${number}`), world),
  )
  const killOften = async () => {
    const random = new Random(seed).fork('kills')
    while (killed < kills) {
      while (done < (calls * (killed + 1)) / (kills + 1)) await delay(5)
      await delay(random.between(0, MAX_KILL_DELAY_MS))
      const { promise, resolve } = Promise.withResolvers<void>()
      up = promise
      killed++
      process.kill(server.pid, 'SIGKILL')
      await server.stop()
      server = await start()
      resolve()
    }
  }
  try {
    const work = async (principal: Principal) => {
      while (done < calls || killed < kills) await principal.act()
      await principal.finishAll()
    }
    await Promise.all([killOften(), ...principals.map(work)])
    counts.kills = killed
    if (server.log().includes('internal-error'))
      violations.push('The server reported an internal error')
  } finally {
    await server.stop()
    await rm(state, { recursive: true, force: true })
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return { seed, seconds, counts, violations }
}
