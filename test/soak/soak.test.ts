/** A short soak. `npm run soak` runs a long one; EDGEWAY_SEED repeats the choices of a run. */
import { expect, it } from 'vitest'
import { Random } from './random.ts'
import { formatReport } from './report.ts'
import { runSoak } from './run-soak.ts'

/** Less than ten seconds on a quiet machine. `kills/kills.test.ts` kills at every moment that is known. */
const KILLS = 4

/** A soak without them proves nothing. It goes on until it has seen them. */
const LEAST = {
  resumes: 3,
  'asks answered': 5,
  publications: 3,
  'effects checked': 50,
}

/** Far longer than a busy machine takes. */
const DURATION_MS = 480_000

const TIMEOUT_MS = 600_000

it(
  'clients of every era lose, repeat and mix up nothing while their servers are killed',
  async () => {
    const { EDGEWAY_SEED = '' } = process.env
    const seed = EDGEWAY_SEED === '' ? Random.newSeed() : Number(EDGEWAY_SEED)
    process.stdout.write(`The seed of the soak: ${seed}\n`)
    const report = await runSoak({ seed, kills: KILLS, least: LEAST, durationMs: DURATION_MS })
    expect(report.violations, formatReport(report)).toEqual([])
    expect(report.kills).toBeGreaterThanOrEqual(KILLS)
    const tooFew = Object.entries(LEAST).filter(
      ([what, least]) => (report.counts[what] ?? 0) < least,
    )
    expect(tooFew, formatReport(report)).toEqual([])
  },
  TIMEOUT_MS,
)
