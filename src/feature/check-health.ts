/** Checks that an object of each kind answers. */
import { withDeadline } from '../platform/deadline.ts'
import type { CheckHealth, Health, HealthCheck } from '../ports/health.ts'
import type { AppObjects } from '../ports/objects.ts'
import type { AppContext } from './feature.ts'

/** How long an object may take to answer. */
const TIMEOUT_MS = 5_000

/** Returns what asks the objects of all features of an app. */
export const createCheckHealth =
  ({ healthChecks, objectsIn }: Pick<AppContext, 'healthChecks' | 'objectsIn'>): CheckHealth =>
  (env) =>
    checkHealth(healthChecks(), objectsIn(env))

/** Calls the objects at the same time, and never rejects. */
async function checkHealth(checks: readonly HealthCheck[], objects: AppObjects): Promise<Health> {
  const parts = await Promise.all(
    checks.map(async ({ part, call }) => {
      const answer = await answers(() => call(objects))
      return answer === undefined ? [] : [[part, answer] as const]
    }),
  )
  const entries = parts.flat().toSorted(([a], [b]) => (a < b ? -1 : 1))
  const isHealthy = entries.every(([, status]) => status === 'ok')
  return { status: isHealthy ? 'ok' : 'failing', parts: Object.fromEntries(entries) }
}

/** Undefined where the binding is missing. */
async function answers(
  call: () => Promise<unknown> | undefined,
): Promise<'ok' | 'failing' | undefined> {
  try {
    const answer = call()
    if (answer === undefined) return undefined
    return await withDeadline(
      TIMEOUT_MS,
      answer.then(() => 'ok' as const),
      () => 'failing' as const,
    )
  } catch {
    // The answer says which object fails. Its error is not disclosed to anonymous callers.
    return 'failing'
  }
}
