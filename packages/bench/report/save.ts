/** Saves every round of the last run in `results/latest.json`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Measured } from './measured.ts'

export interface Results extends Measured {
  readonly rounds: number
  readonly seconds: number
}

const FOLDER = new URL('../results/', import.meta.url)

export function saveResults({
  rounds,
  seconds,
  series,
  published,
  sessionRows,
  replayed,
  paced,
  taskCounts,
  usageCounts,
  footprints,
}: Results): void {
  const text = JSON.stringify(
    {
      at: new Date().toISOString(),
      processor: cpus()[0]?.model,
      rounds,
      seconds,
      series: series.map(({ lane, scenario, rounds: measured }) => ({
        scenario: scenario.name,
        lane: lane.name,
        rounds: measured,
      })),
      published: published.map(({ lane, publications }) => ({ lane: lane.name, publications })),
      sessionRows: sessionRows.map(({ lane, ...counted }) => ({ lane: lane.name, ...counted })),
      replayed: replayed.map(({ lane, replays }) => ({ lane: lane.name, replays })),
      paced: paced.map(({ lane, entry, rounds: measured }) => ({
        lane: lane.name,
        entry,
        rounds: measured,
      })),
      taskCounts: taskCounts && {
        ...taskCounts,
        counts: taskCounts.counts.map(({ lane, ...counted }) => ({ lane: lane.name, ...counted })),
      },
      usageCounts: usageCounts.map(({ lane, ...counted }) => ({ lane: lane.name, ...counted })),
      footprints: footprints.map(({ lane: _lane, ...measured }) => measured),
    },
    null,
    2,
  )
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(new URL('latest.json', FOLDER), `${text}\n`)
}
