/** The moments of clients at which a kill is most likely to find a fault. */

export const MOMENTS = [
  'call-sent',
  'message-received',
  'ask-received',
  'answer-sent',
  'answer-accepted',
  'resume-sent',
  'listen-sent',
  'publication-sent',
  'termination-sent',
  'refresh-sent',
  'redemption-sent',
  'task-created',
  'task-held',
  'state-sent',
  'task-delivered',
  'task-cancelled',
] as const

export type Moment = (typeof MOMENTS)[number]

export class Moments {
  readonly #waiting = new Map<Moment, () => void>()

  /** A client reaches a moment. */
  reach(moment: Moment): void {
    this.#waiting.get(moment)?.()
    this.#waiting.delete(moment)
  }

  /** Resolves when the next client reaches a moment. One caller waits at a time. */
  next(moment: Moment): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(moment, resolve))
  }
}
