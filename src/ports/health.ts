/** The health of the objects of a deployment. */

export type HealthPart = 'keyring' | 'account' | 'hub' | 'state'

export interface Health {
  /** `ok` when every bound object answers. */
  readonly status: 'ok' | 'failing'
  /** One entry for each binding that is present. */
  readonly parts: Readonly<Partial<Record<HealthPart, 'ok' | 'failing'>>>
}

/** Calls one object of each bound class. Never rejects. */
export type CheckHealth = (env: unknown) => Promise<Health>
