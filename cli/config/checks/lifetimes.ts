/** Check: intervals and lifetimes of the options that clients are known to stumble over. */
import { type Detected, detected } from '../../doctor/detected.ts'
import type { ProjectObservations } from '../project-observations.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Clients repeat a refresh whose response was lost after their own timeout. */
const SHORTEST_GRACE_MS = 5000

/** Proxies close idle connections after 30 seconds and more. */
const LONGEST_SILENCE_MS = 25_000

/** The options are those of every environment. */
export function lifetimeFaults({ worker }: ProjectObservations): readonly Detected[] {
  return (worker?.apps ?? []).flatMap(({ keepAliveMs = 0, auth }) => {
    const faults: Detected[] = []
    if (keepAliveMs > LONGEST_SILENCE_MS) {
      faults.push(detected('stream-no-keep-alive', `limits.keepAliveMs is ${keepAliveMs}`))
    }
    const { accessTtlMs, refreshGraceMs } = auth?.lifetimes ?? {}
    if (accessTtlMs !== undefined && accessTtlMs < DAY_MS) {
      faults.push(
        detected('token-short-lived', `limits.accessTtlMs of embedded() is ${accessTtlMs}`),
      )
    }
    if (refreshGraceMs !== undefined && refreshGraceMs < SHORTEST_GRACE_MS) {
      const text = `limits.refreshGraceMs of embedded() is ${refreshGraceMs}`
      faults.push(detected('refresh-not-concurrent', text))
    }
    return faults
  })
}
