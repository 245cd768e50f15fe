/** Keeps every round of the last run, for whoever wants to look closer. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Series } from '../measure/contest.ts'
import type { Footprint } from '../measure/footprint.ts'

export interface Results {
  readonly rounds: number
  readonly seconds: number
  readonly series: readonly Series[]
  readonly footprints: readonly Footprint[]
}

const FOLDER = new URL('../results/', import.meta.url)

export function saveResults({ rounds, seconds, series, footprints }: Results): void {
  const text = JSON.stringify(
    {
      at: new Date().toISOString(),
      processor: cpus()[0]?.model,
      rounds,
      seconds,
      series: series.map(({ lane, work, rounds: measured }) => ({
        work: work.name,
        lane: lane.name,
        rounds: measured,
      })),
      footprints,
    },
    null,
    2,
  )
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(new URL('latest.json', FOLDER), `${text}\n`)
}
