/** Runs both servers with their clients at the same time, for a time or a number of kills. */
import { runLane } from './lane.ts'
import { Ledger } from './ledger/ledger.ts'
import { Random } from './random.ts'
import { createReport, type SoakReport } from './report.ts'

export interface SoakOptions {
  readonly seed: number
  /** The kills end after this time, in milliseconds. The operations under way then still finish. */
  readonly durationMs: number
  /** The kills end after this many, and after what `least` asks for. */
  readonly kills: number
  /** What must have been counted at least, by its name in the report. */
  readonly least?: Readonly<Record<string, number>>
  /** Receives a line of text from time to time. */
  readonly onProgress?: (line: string) => void
}

/** A soak with this many violations stops: the rest are most likely their consequences. */
const MAX_VIOLATIONS = 20

const LANES = [
  { name: 'open', isProtected: false },
  { name: 'protected', isProtected: true },
] as const

export async function runSoak({
  seed,
  durationMs,
  kills,
  least = {},
  onProgress = () => undefined,
}: SoakOptions): Promise<SoakReport> {
  const ledger = new Ledger()
  const random = new Random(seed)
  const wanted = Object.entries({ ...least, kills })
  const isDone = () =>
    ledger.elapsedMs >= durationMs ||
    wanted.every(([name, count]) => ledger.countOf(name) >= count) ||
    ledger.violations.length >= MAX_VIOLATIONS
  const onPause = () => {
    const seconds = Math.round(ledger.elapsedMs / 1000)
    const { violations } = ledger
    onProgress(`${seconds} s, ${ledger.countOf('kills')} kills, ${violations.length} violations`)
  }
  const lanes = LANES.map((lane) =>
    runLane({ ...lane, ledger, random: random.fork(lane.name), isDone, onPause }),
  )
  const restartsMs = (await Promise.all(lanes)).flat()
  return createReport(seed, ledger, restartsMs)
}
