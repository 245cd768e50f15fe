/** A small storm. `npm run stress -- event-storm` runs a large one; EDGEWAY_SEED repeats the choices of a run. */
// features: events
import { expect, it } from 'vitest'
import { Random } from '../../../../test/soak/random.ts'
import { POINTS } from './points.ts'
import { runEventStorm } from './storm.ts'

const KILLS = 8

it('loses no event, and delivers none after the end, when the server is killed at 8 points of the life of a subscription', async () => {
  const { EDGEWAY_SEED = '' } = process.env
  const seed = EDGEWAY_SEED === '' ? Random.newSeed() : Number(EDGEWAY_SEED)
  const random = new Random(seed)
  const offset = random.between(0, POINTS.length - 1)
  const points = [...POINTS, ...POINTS].slice(offset, offset + KILLS)
  const { violations, kills, missed } = await runEventStorm({ seed, times: 1, points })
  expect(violations, `seed ${seed}`).toEqual([])
  expect(kills, `seed ${seed}, missed: ${JSON.stringify(missed)}`).toBeGreaterThanOrEqual(KILLS - 2)
})
