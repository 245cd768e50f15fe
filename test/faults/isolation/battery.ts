/**
 * 40 principals with a definition each call one server at the same time, in every era, while it is killed
 * and restarted. Every response is searched for what belongs to another principal.
 */
import { join } from 'node:path'
import { PROJECT_DIRECTORY } from '../../../scripts/support/project.ts'
import { KilledServer } from '../../soak/killed-server.ts'
import { Ledger } from '../../soak/ledger/ledger.ts'
import { Random } from '../../soak/random.ts'
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
  const configPath = join(PROJECT_DIRECTORY, 'test/fixtures/isolation/wrangler.toml')
  const ledger = new Ledger()
  const server = await KilledServer.start({ name: 'principal', ledger, served: { configPath } })
  let done = 0
  const world = {
    origin: new URL(server.url).origin,
    count: (what: string) => {
      counts[what] = (counts[what] ?? 0) + 1
      if (what.startsWith('call: ')) done++
    },
    violation: (text: string) => violations.push(text),
    server,
  }
  const principals = Array.from(
    { length: PRINCIPALS },
    (_, number) => new Principal(number, PRINCIPALS, random.fork(`principal ${number}`), world),
  )
  const killOften = async () => {
    const random = new Random(seed).fork('kills')
    while (server.kills < kills) {
      while (done < (calls * (server.kills + 1)) / (kills + 1)) await delay(5)
      await delay(random.between(0, MAX_KILL_DELAY_MS))
      await server.killAndRestart()
    }
  }
  try {
    const work = async (principal: Principal) => {
      while (done < calls || server.kills < kills) await principal.act()
      await principal.finishAll()
    }
    await Promise.all([killOften(), ...principals.map(work)])
    counts.kills = server.kills
    if (server.log.includes('internal-error'))
      violations.push('The server reported an internal error')
  } finally {
    await server.stop()
  }
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  return { seed, seconds, counts, violations }
}
