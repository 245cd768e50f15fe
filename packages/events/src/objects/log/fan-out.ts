/** Hands each occurrence to the objects of the principals that it concerns, in batches and by principal. */

import { inParallel } from '../in-parallel.ts'
import { type Accept, handOver, type Share, shareOf } from './hand-over.ts'
import { existingLog, type LogStorage, type OpenLog, typeOf } from './log-storage.ts'
import { Matching } from './matching.ts'
import { type Range, readRange } from './read-log.ts'
import type { RegistrationRow } from './schema.ts'
import {
  hasRegistrations,
  lastPosition,
  positionBefore,
  registrationsAfter,
  saveHanded,
  saveLog,
  setLost,
} from './statements.ts'

export const BATCH = { occurrences: 64, length: 1024 * 1024 } as const

/** Calls of objects in one turn of the alarm. */
export const MAX_CALLS = 200

/** Principals that are examined in one turn, and in one query. */
const MAX_EXAMINED = 5_000
const QUERY = 100

/** After so many principals, the progress is stored. */
const STORED_EVERY = 32

interface Batch extends Range {
  readonly after: number
  readonly matching: Matching
  /** The persons whom it concerns; undefined: everyone. */
  readonly subjects: readonly string[] | undefined
}

interface Collected {
  readonly pages: { readonly principal: string; readonly shares: readonly Share[] }[]
  /** The last principal that was examined; undefined: all were. */
  readonly principal: string | undefined
  readonly examined: number
}

/**
 * The progress is in the row of the log: the position up to which everything was handed over, the end of the present
 * batch, and the last principal that has got it. A kill repeats the calls since then: an object accepts each
 * occurrence once.
 */
export class FanOut {
  readonly #storage: LogStorage
  readonly #accept: Accept
  /** With the outcomes of `matches`, which are needed again in the next turn. */
  #batch: Batch | undefined

  constructor(storage: LogStorage, accept: Accept) {
    this.#storage = storage
    this.#accept = accept
  }

  /** Runs one turn. Returns whether more is to be handed over. */
  async run(onFault: (error: unknown) => void): Promise<boolean> {
    let calls = 0
    let examined = 0
    for (;;) {
      const open = existingLog(this.#storage)
      const batch = open && this.#nextBatch(open)
      if (open === undefined || batch === undefined) return false
      if (calls >= MAX_CALLS || examined >= MAX_EXAMINED) return true
      // A batch that a loss has ended began before this one.
      const isBegun = batch.after === open.log.handed
      const principal = (isBegun && open.log.batch_principal) || ''
      const collected = await this.#collect(open, batch, principal, MAX_CALLS - calls, onFault)
      await this.#handOver(open, batch, collected)
      calls += collected.pages.length
      examined += collected.examined + 1
    }
  }

  #nextBatch(open: OpenLog): Batch | undefined {
    const { sql } = open
    const type = typeOf(this.#storage, open.log)
    if (type === undefined || !hasRegistrations(sql)) return undefined
    const { handed, batch_end } = this.#afterLoss(open)
    if (handed >= lastPosition(sql)) return undefined
    const known = this.#batch
    if (batch_end !== null && known?.after === handed && known.end === batch_end) return known
    const range = readRange(open, handed, BATCH.occurrences, BATCH.length)
    const end = Math.min(range.end, batch_end ?? range.end)
    const rows = range.rows.filter(({ position }) => position <= end)
    const subjects = rows.map(({ subject }) => subject)
    this.#batch = {
      ...range,
      rows,
      end,
      after: handed,
      matching: new Matching(type),
      subjects: subjects.includes(null) ? undefined : (subjects as string[]),
    }
    return this.#batch
  }

  /** The progress. Occurrences above the limit of the log are deleted, handed over or not. */
  #afterLoss({ sql, log }: OpenLog) {
    const floor = positionBefore(sql)
    if (floor <= log.handed) return log
    this.#storage.tables.transaction(() => {
      setLost(sql, floor)
      saveHanded(sql, floor)
    })
    return { handed: floor, batch_end: null }
  }

  async #collect(
    { sql }: OpenLog,
    batch: Batch,
    after: string,
    most: number,
    onFault: (error: unknown) => void,
  ): Promise<Collected> {
    const pages: Collected['pages'] = []
    let principal = after
    let examined = 0
    for (;;) {
      const rows = registrationsAfter(sql, principal, QUERY, batch.subjects)
      if (rows.length === 0) return { pages, principal: undefined, examined }
      for (const own of byPrincipal(rows)) {
        const shares: Share[] = []
        for (const registration of own) {
          const share = await shareOf(registration, batch, batch.after, batch.matching, onFault)
          if (share.rows.length > 0 || share.faults > 0) shares.push(share)
        }
        principal = own[0].principal
        examined += 1
        if (shares.length > 0) pages.push({ principal, shares })
        if (pages.length >= most || examined >= MAX_EXAMINED) {
          return { pages, principal, examined }
        }
      }
    }
  }

  async #handOver(open: OpenLog, batch: Batch, { pages, principal }: Collected): Promise<void> {
    const { after: handed, end } = batch
    const save = (batch_principal: string) =>
      saveLog(open.sql, { handed, batch_end: end, batch_principal })
    let stored = 0
    await inParallel(
      pages,
      ({ shares }) => handOver(this.#storage, open, this.#accept, shares),
      (count) => {
        const done = pages[count - 1]
        if (done === undefined || count - stored < STORED_EVERY) return
        stored = count
        save(done.principal)
      },
    )
    if (principal === undefined) saveHanded(open.sql, end)
    else save(principal)
  }
}

/** @param rows sorted by principal */
function byPrincipal(rows: readonly RegistrationRow[]): [RegistrationRow, ...RegistrationRow[]][] {
  const groups: [RegistrationRow, ...RegistrationRow[]][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last?.[0].principal === row.principal) last.push(row)
    else groups.push([row])
  }
  return groups
}
