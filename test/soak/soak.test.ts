/** A short soak. `npm run soak` runs a long one; EDGEWAY_SEED repeats the choices of a run. */
import { expect, it } from 'vitest'
import { Random } from './random.ts'
import { formatReport } from './report.ts'
import { runSoak } from './run-soak.ts'

/** On a busy machine there are fewer. */
const MIN_KILLS = 6
const MIN_RESUMES = 6
const MIN_ASKS_ANSWERED = 6

/** Far longer than the run and the pause after it take. */
const TIMEOUT_MS = 300_000

it(
  'clients of every era lose, repeat and mix up nothing while their servers are killed',
  async () => {
    const { EDGEWAY_SEED = '' } = process.env
    const seed = EDGEWAY_SEED === '' ? Random.newSeed() : Number(EDGEWAY_SEED)
    process.stdout.write(`The seed of the soak: ${seed}\n`)
    const report = await runSoak({ seed, durationMs: 20_000, kills: Number.POSITIVE_INFINITY })
    expect(report.violations, formatReport(report)).toEqual([])
    expect(report.kills).toBeGreaterThanOrEqual(MIN_KILLS)
    expect(report.counts.resumes).toBeGreaterThanOrEqual(MIN_RESUMES)
    expect(report.counts['asks answered']).toBeGreaterThanOrEqual(MIN_ASKS_ANSWERED)
  },
  TIMEOUT_MS,
)
