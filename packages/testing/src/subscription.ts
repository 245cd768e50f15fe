/** The changes that a test client listens to, in the order in which they arrive. */
import { CHANGE_KINDS, CHANGES, type Change } from '../../../src/ports/change-kinds.ts'
import type { WireMessage } from './wire-message.ts'

/** How long {@link Subscription.next} waits by default, in milliseconds. */
const NEXT_TIMEOUT_MS = 5_000

export class Subscription {
  readonly #unread: Change[] = []
  readonly #end: () => void
  #onChange: (() => void) | undefined

  constructor(end: () => void) {
    this.#end = end
  }

  /** The changes that have arrived and were not read yet. */
  get unread(): readonly Change[] {
    return [...this.#unread]
  }

  /** @internal */
  push(message: WireMessage): void {
    const change = changeOf(message)
    if (change === undefined) return
    this.#unread.push(change)
    this.#onChange?.()
  }

  /**
   * Waits for the next change.
   *
   * @throws {Error} when none arrives within `timeoutMs`, by default 5 seconds
   */
  async next(timeoutMs = NEXT_TIMEOUT_MS): Promise<Change> {
    if (this.#unread.length === 0) {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => {
          reject(new Error(`No change arrived within ${timeoutMs} ms`))
        }, timeoutMs)
        this.#onChange = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return this.#unread.shift() as Change
  }

  /** Stops listening. */
  close(): void {
    this.#end()
  }
}

function changeOf({ method, params = {} }: WireMessage): Change | undefined {
  const kind = CHANGE_KINDS.find((each) => CHANGES[each].method === method)
  if (kind === undefined) return undefined
  const { about } = CHANGES[kind]
  if (about !== undefined && !(about in params)) return undefined
  return { kind, ...(about && { [about]: String(params[about]) }) } as Change
}
