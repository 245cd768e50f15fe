/** The entries of one HTTP exchange, and what a row of the list says about it. Pure. */
import { perObject } from '../../../../src/platform/per-object.ts'
import { isDecision, type TrafficEntry } from './entry.ts'

export interface Exchange {
  readonly id: string
  /** In the order of their numbers. */
  readonly entries: readonly TrafficEntry[]
}

export type ExchangeSummary = ReturnType<typeof summarize>

export const summaryOf = perObject(summarize)

function summarize({ entries }: Exchange) {
  const opened = entries.find((entry) => entry.kind === 'opened')
  const closed = entries.findLast((entry) => entry.kind === 'closed')
  const messages = entries.filter((entry) => entry.kind === 'message')
  const request = messages.find(({ from }) => from === 'client')?.message
  const { method, target } = requestOf(request)
  // The states of a task are in an exchange of their own.
  const task = opened === undefined ? entries.findLast((entry) => entry.kind === 'task') : undefined
  const http = opened === undefined ? 'Request' : `${opened.http} ${opened.path}`
  return {
    at: opened?.at ?? entries[0]?.at ?? 0,
    /** The JSON-RPC method of the first message, otherwise the HTTP method and path. */
    title: method ?? (task ? 'task' : request === undefined ? http : 'response'),
    /** The tool, prompt or resource of the request. */
    target: target ?? task?.tool,
    opened,
    closed,
    status: closed?.status ?? task?.status,
    marks: entries.filter(isDecision),
    /** The response is an error, or the tool reported one. */
    isError: messages.some(({ from, message }) => from === 'server' && isFailure(message)),
  }
}

type Members = { readonly [name: string]: unknown }

export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}

function requestOf(message: unknown): { method?: string; target?: string | undefined } {
  const { method, params } = membersOf(Array.isArray(message) ? message[0] : message)
  if (typeof method !== 'string') return {}
  const { name, uri, taskId } = membersOf(params)
  const target = [name, uri, taskId].find((value) => typeof value === 'string')
  return { method, target }
}

function isFailure(message: unknown): boolean {
  const { error, result } = membersOf(message)
  return error !== undefined || membersOf(result).isError === true
}

/** Adds entries to exchanges, newest exchange last. Unchanged exchanges stay the same objects. */
export function withEntries(
  exchanges: readonly Exchange[],
  entries: readonly TrafficEntry[],
  maxExchanges: number,
): readonly Exchange[] {
  const byId = new Map(exchanges.map((exchange) => [exchange.id, exchange]))
  for (const [id, added] of Map.groupBy(entries, ({ exchange }) => exchange)) {
    const known = byId.get(id)?.entries ?? []
    const all = [...known, ...added].sort((a, b) => a.number - b.number)
    byId.set(id, { id, entries: all })
  }
  return [...byId.values()].slice(-maxExchanges)
}
