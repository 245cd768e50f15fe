/** Which exchanges the list shows. Pure. */
import { type Exchange, summaryOf } from './exchange.ts'

export interface Filters {
  readonly method: string
  readonly revision: string
  readonly client: string
  readonly session: string
  readonly onlyMarked: boolean
}

export type Choice = Exclude<keyof Filters, 'onlyMarked'>

export const NO_FILTERS: Filters = {
  method: '',
  revision: '',
  client: '',
  session: '',
  onlyMarked: false,
}

/** The value of an exchange for each choice; undefined when it has none. */
const VALUES: Readonly<Record<Choice, (exchange: Exchange) => string | undefined>> = {
  method: (exchange) => summaryOf(exchange).title,
  revision: (exchange) => revisionOf(exchange),
  client: (exchange) => summaryOf(exchange).opened?.client?.name,
  session: (exchange) => summaryOf(exchange).opened?.session ?? undefined,
}

export const CHOICES = Object.keys(VALUES) as readonly Choice[]

export function revisionOf(exchange: Exchange): string | undefined {
  const { opened } = summaryOf(exchange)
  if (opened?.revision) return opened.revision
  return opened?.era === 'http-sse' ? 'HTTP+SSE' : (opened?.era ?? undefined)
}

export function matches(exchange: Exchange, filters: Filters): boolean {
  if (filters.onlyMarked && summaryOf(exchange).marks.length === 0) return false
  return CHOICES.every(
    (choice) => filters[choice] === '' || VALUES[choice](exchange) === filters[choice],
  )
}

/** The values that a choice offers, with the chosen one. */
export function optionsOf(
  exchanges: readonly Exchange[],
  choice: Choice,
  chosen: string,
): readonly string[] {
  const values = new Set(exchanges.map(VALUES[choice]))
  if (chosen !== '') values.add(chosen)
  return [...values].filter((value) => value !== undefined).sort()
}
