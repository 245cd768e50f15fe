/** A small storm. `npm run stress -- task-storm` runs a large one; EDGEWAY_SEED repeats the choices of a run. */
import { expect, it } from 'vitest'
import { Random } from '../../soak/random.ts'
import { runStorm } from './storm.ts'

const TASKS = 60
const KILLS = 2

/** Far fewer than on a busy machine: a storm without them proves nothing. */
const LEAST = {
  'ended after a kill': 20,
  'effects compared': 200,
  'asks answered': 5,
  deliveries: 10,
  'refused: task of another principal': 5,
}

it('loses, repeats and mixes up nothing of 60 tasks of 20 principals over two kills', async () => {
  const { EDGEWAY_SEED = '' } = process.env
  const seed = EDGEWAY_SEED === '' ? Random.newSeed() : Number(EDGEWAY_SEED)
  const { counts, violations } = await runStorm({ seed, tasks: TASKS, kills: KILLS })
  expect(violations, `seed ${seed}: ${JSON.stringify(counts)}`).toEqual([])
  const tooFew = Object.entries(LEAST).filter(([what, least]) => (counts[what] ?? 0) < least)
  expect(tooFew, `seed ${seed}: ${JSON.stringify(counts)}`).toEqual([])
})
