/** Checks of what is the same in every environment: tools, scopes, intervals and lifetimes. */
import { DAY_SECONDS } from '../../../../faults/src/checks/sign-in.ts'
import { firstOf } from '../../../../text/src/quoted.ts'
import { printable } from '../../../../text/src/terminal-text.ts'
import { type Detected, detected } from '../../doctor/detected.ts'
import { toolFaults } from '../../doctor/steps/tools.ts'
import type { ProjectObservations } from '../project-observations.ts'

/** The definitions are those of every environment. */
export function definitionFaults({ worker }: ProjectObservations): readonly Detected[] {
  return (worker?.apps ?? []).flatMap(({ tools = [], auth, scoped }) => {
    const faults: Detected[] = [...toolFaults(tools)]
    if (auth === undefined && scoped.length > 0) {
      const named = firstOf(scoped.map((text) => printable(text)))
      faults.push(detected('scope-without-authorization', named))
    }
    return faults
  })
}

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
    if (accessTtlMs !== undefined && accessTtlMs < DAY_SECONDS * 1000) {
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
