/** A short battery. `npm run stress -- isolation` runs the long one; EDGEWAY_SEED repeats the choices of a run. */
import { expect, it } from 'vitest'
import { Random } from '../../soak/random.ts'
import { runBattery } from './battery.ts'

/** Less than ten seconds on a quiet machine. */
const CALLS = 400
const KILLS = 2

/** Far fewer than on a busy machine: a battery without them proves nothing. */
const LEAST = {
  'answered: resumed after a kill': 3,
  'call: http-sse': 15,
  'call: modern': 15,
  'call: session': 15,
  'call: without-session': 15,
  'factory failed': 3,
  'refused: foreign call that waits': 1,
  'refused: foreign tool or schema': 15,
}

it('40 principals with different factories never receive a tool, schema, description or result of another, in every era and across kills', async () => {
  const { EDGEWAY_SEED = '' } = process.env
  const seed = EDGEWAY_SEED === '' ? Random.newSeed() : Number(EDGEWAY_SEED)
  const { counts, violations } = await runBattery({ seed, calls: CALLS, kills: KILLS })
  expect(violations, `seed ${seed}: ${JSON.stringify(counts)}`).toEqual([])
  const tooFew = Object.entries(LEAST).filter(([what, least]) => (counts[what] ?? 0) < least)
  expect(tooFew, `seed ${seed}: ${JSON.stringify(counts)}`).toEqual([])
})
