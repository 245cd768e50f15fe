/** The platform functions that upstream logins use. Tests inject others. */
import type { Fetch } from '../../platform/bounded-fetch.ts'

export interface LoginPlatform {
  readonly fetch: Fetch
  readonly now: () => number
}

export const PLATFORM: LoginPlatform = {
  fetch: (url, init) => fetch(url, init),
  now: () => Date.now(),
}
