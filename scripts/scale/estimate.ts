/** What one design uses in one scenario. */
import type { Usage } from './usage.ts'

export interface Estimate {
  readonly design: string
  /** Durable Objects that are used in the month. */
  readonly objects: number
  readonly usage: Usage
}

/** The object that reaches a limit of the platform first. */
export interface HotSpot {
  readonly object: string
  readonly load: string
  readonly limit: string
  readonly answer: string
}

export const DAY_S = 86_400

/** A month of 30 days. */
export const MONTH_S = 30 * DAY_S

export const MONTH_MINUTES = MONTH_S / 60
