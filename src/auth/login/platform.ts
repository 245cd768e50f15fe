/** The platform functions that upstream logins use. Tests inject others. */
import type { UpstreamFetch } from './upstream-fetch.ts'

export interface LoginPlatform {
  readonly fetch: UpstreamFetch
  readonly now: () => number
}

export const PLATFORM: LoginPlatform = {
  fetch: (url, init) => fetch(url, init),
  now: () => Date.now(),
}
