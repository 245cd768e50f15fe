/** Shows what happens to one call: its notifications, its questions, the task that it became, and its outcome. */

import type { Task, TaskDetail } from '../../../../src/protocol/tasks.ts'
import { McpError } from '../../../client/src/mcp-error.ts'
import { type Notification, type Params, reasonOf, SignInRequired } from '../client/endpoint.ts'
import { type Ask, answersOf } from './ask.ts'

/** A task as the server has described it last. */
export type FollowedTask = Task & TaskDetail

export type Outcome =
  | { readonly state: 'running' }
  | {
      readonly state: 'asking'
      readonly asks: readonly Ask[]
      /** Continues the call with a response to each ask, by its key. */
      readonly answer: (responses: Params) => void
    }
  | { readonly state: 'done'; readonly result: Params; readonly durationMs: number }
  | { readonly state: 'signed-out'; readonly challenge: string }
  | { readonly state: 'failed'; readonly problem: string; readonly data?: unknown }
  | { readonly state: 'cancelled' }

export type Run = Outcome & {
  readonly notifications: readonly Notification[]
  /** What the call became, as the server has described it last. */
  readonly task: FollowedTask | undefined
}

/** Notifications that are kept of a run. */
const MAX_NOTIFICATIONS = 200

export class RunReport {
  readonly #update: (run: Run) => void
  readonly #beganAt = performance.now()
  /** How long the questions have waited for the person. */
  #waitedMs = 0
  #notifications: readonly Notification[] = []
  #task: FollowedTask | undefined

  constructor(update: (run: Run) => void) {
    this.#update = update
    this.show({ state: 'running' })
  }

  get task(): FollowedTask | undefined {
    return this.#task
  }

  show(outcome: Outcome): void {
    this.#update({ ...outcome, notifications: this.#notifications, task: this.#task })
  }

  notified(notification: Notification): void {
    this.#notifications = [...this.#notifications, notification].slice(-MAX_NOTIFICATIONS)
    this.show({ state: 'running' })
  }

  continues(task: FollowedTask): void {
    this.#task = task
    this.show({ state: 'running' })
  }

  /** Resolves with a response to each ask, by its key. */
  async ask(asks: readonly Ask[], signal: AbortSignal): Promise<Params> {
    const askedAt = performance.now()
    const responses = await answersOf(asks, signal, (open, answer) =>
      this.show({ state: 'asking', asks: open, answer }),
    )
    this.#waitedMs += performance.now() - askedAt
    this.show({ state: 'running' })
    return responses
  }

  done(result: Params): void {
    const durationMs = performance.now() - this.#beganAt - this.#waitedMs
    this.show({ state: 'done', result, durationMs })
  }

  ended(task: FollowedTask): void {
    this.#task = task
    const { status, result = {}, error } = task
    if (status === 'completed') this.done(result)
    else if (status === 'cancelled') this.show({ state: 'cancelled' })
    else this.show({ state: 'failed', problem: error?.message ?? '', data: error?.data })
  }

  failed(error: unknown): void {
    if (error instanceof SignInRequired) {
      this.show({ state: 'signed-out', challenge: error.challenge })
    } else {
      const data = error instanceof McpError ? error.data : undefined
      this.show({ state: 'failed', problem: reasonOf(error), data })
    }
  }
}
