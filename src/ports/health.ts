/** The health of the objects of a deployment. */
import type { AppObjects } from './objects.ts'

export interface Health {
  /** `ok` when every bound object answers. */
  readonly status: 'ok' | 'failing'
  /** One entry for each kind of objects, such as `keyring`. */
  readonly parts: Readonly<Record<string, 'ok' | 'failing'>>
}

/** Calls one object of each kind. Never rejects. */
export type CheckHealth = (env: unknown) => Promise<Health>

/** Calls one object of a kind. A call reads alone, and creates no rows but the first keys. */
export interface HealthCheck {
  readonly part: string
  /** Undefined where the binding is missing. */
  readonly call: (objects: AppObjects) => Promise<unknown> | undefined
}

/** The key of the objects that only a check calls. No digest of a subject or a principal is as short. */
export const HEALTH_NAME = 'health'
