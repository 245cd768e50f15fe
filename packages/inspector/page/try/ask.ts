/** The requests of the server within a call, which the person answers. */
import type { Ask, Params } from '../client/request.ts'

export type { Ask }

/** The asks of a result that requires input, and of a task that does. */
export function asksOf({ inputRequests }: { readonly inputRequests?: unknown }): readonly Ask[] {
  const requests = (inputRequests ?? {}) as Readonly<Record<string, Params>>
  return Object.entries(requests).map(([key, { method, params }]) => ({
    key,
    method: String(method),
    params: (params ?? {}) as Params,
  }))
}

/** Resolves when the person has answered; rejects when the run ends before. */
export function answersOf(
  asks: readonly Ask[],
  signal: AbortSignal,
  show: (asks: readonly Ask[], answer: (responses: Params) => void) => void,
): Promise<Params> {
  // With a request state alone, the server asks for a repetition.
  if (asks.length === 0) return Promise.resolve({})
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    show(asks, resolve)
  })
}

/** What the controls of one ask get. */
export interface AnswerProps {
  readonly params: Params
  readonly onAnswer: (response: Params) => void
  readonly onRefuse: () => void
}
