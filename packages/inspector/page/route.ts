/** What the fragment of the address selects: `#/traffic/EXCHANGE`, `#/try/tools/NAME`. */
import { tryDecodeUri } from '../../../src/platform/try-parse.ts'
import { Store } from './store.ts'

export const TABS = ['traffic', 'timeline', 'events', 'state', 'try'] as const

export type Tab = (typeof TABS)[number]

export interface Route {
  readonly tab: Tab
  /** What follows the tab, decoded. */
  readonly rest: readonly string[]
}

export const route = new Store<Route>(parse(location.hash))

addEventListener('hashchange', readRoute)

/** Reads the address again, after it was replaced without an event. */
export function readRoute(): void {
  route.set(parse(location.hash))
}

export function hrefOf(tab: Tab, ...rest: readonly string[]): string {
  return `#/${[tab, ...rest].map(encodeURIComponent).join('/')}`
}

export function navigate(tab: Tab, ...rest: readonly string[]): void {
  location.hash = hrefOf(tab, ...rest)
}

function parse(hash: string): Route {
  const [first, ...rest] = hash
    .replace(/^#\/?/, '')
    .split('/')
    .map((part) => tryDecodeUri(part) ?? '')
  const tab = TABS.find((known) => known === first) ?? 'traffic'
  return { tab, rest: rest.filter((part) => part !== '') }
}
