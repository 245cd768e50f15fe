/** The health of the objects of a deployment. */

export interface Health {
  /** `ok` when every bound object answers. */
  readonly status: 'ok' | 'failing'
  /** One entry for each binding that is present, such as `keyring`. */
  readonly parts: Readonly<Record<string, 'ok' | 'failing'>>
}

/** Calls one object of each bound class. Never rejects. */
export type CheckHealth = (env: unknown) => Promise<Health>

/** Calls one object of a class. A call reads alone, and creates no rows but the first keys. */
export interface HealthCheck {
  readonly part: string
  /** Undefined where the binding is missing. */
  readonly call: (bindings: Readonly<Record<string, unknown>>) => Promise<unknown> | undefined
}

/** The name of the objects that only a check calls. No subject and no principal has it. */
export const HEALTH_NAME = 'health'
