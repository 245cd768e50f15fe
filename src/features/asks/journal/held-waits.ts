/**
 * The waits of a call whose handler stays in memory until they end: nothing would resume it, because its
 * client reads the stream of the call. A time is a timer. Events are received by an inbox, an object
 * of its own, which keeps what is delivered between two rounds of the call.
 */

import type { Call } from '../../../dispatch/call.ts'
import type { Journal } from '../../../dispatch/journal/journal.ts'
import type { EventWait, Wait } from '../../../dispatch/journal/wait.ts'
import { clientNetwork } from '../../../platform/client-network.ts'
import { MAX_TIMER_MS } from '../../../platform/deadline.ts'
import { sha256Base64Url } from '../../../platform/digest.ts'
import { randomToken } from '../../../platform/random-token.ts'
import type { InboxHolder, Tasks } from '../../../ports/tasks.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { answerTimeoutMs } from '../asks-options.ts'
import { webhookUrl } from '../webhook-secrets.ts'
import { never } from './suspender.ts'

/** The key of the inbox's name, which no author can use, because it contains a colon. */
export const INBOX_NAME = 'inbox:name'

/** How long one call of the inbox waits for an event. */
const POLL_MS = 25_000

/** Calls of the inbox that may fail in a row, and the pause after each. */
const MAX_FAILURES = 5
const FAILURE_PAUSE_MS = 1_000

export class HeldWaits {
  readonly #call: Call
  readonly #journal: Journal
  readonly #timeoutMs: number
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  #count = 0
  #hasStopped = false
  /** Resolves once the inbox is counted in this round; with false at the limit. */
  #counted: Promise<boolean> | undefined

  /** @param timeoutMs of one run of the handler */
  constructor(call: Call, journal: Journal, timeoutMs: number) {
    this.#call = call
    this.#journal = journal
    this.#timeoutMs = timeoutMs
  }

  /** The number of open waits. */
  get count(): number {
    return this.#count
  }

  /**
   * Resolves with what the handler reads when a wait has ended. Never resolves after {@link stop}.
   *
   * @param read returns undefined for a value that does not fit: another one is received
   * @throws what `read` throws
   * @throws {TypeError} for an event without the binding of tasks
   * @throws {ToolError} for an event at the limit of calls that wait for one
   */
  async untilRead<T>(key: string, wait: Wait, read: () => Promise<T | undefined>): Promise<T> {
    this.#count++
    try {
      let misfit: string | undefined
      for (;;) {
        if (wait.kind === 'event') misfit = await this.#receive(key, wait, misfit)
        else await this.#sleep(key, wait.until)
        const answered = await read()
        if (this.#hasStopped) return await never()
        if (answered !== undefined) return answered
      }
    } finally {
      this.#count--
    }
  }

  /**
   * Returns the URL that delivers an event.
   *
   * @throws {TypeError} without the binding of tasks
   * @throws {ToolError} at the limit of calls that wait for an event
   */
  async webhook(key: string): Promise<string> {
    const { deployment, request } = this.#call
    const tasks = tasksOf(this.#call)
    const name = await this.#inbox()
    // Before the URL is known, so that a value which is delivered at once is kept.
    await this.#attempt(() => tasks.openInbox(name, this.#expiresAt))
    return webhookUrl(deployment, request.origin(), { name, key })
  }

  /**
   * Ends the waits of this run.
   *
   * @param isOver whether the call has ended, so that nothing can be delivered any more; otherwise its next
   *   round may read what is delivered meanwhile
   */
  stop(isOver: boolean): void {
    this.#hasStopped = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    const { run, services } = this.#call
    const name = this.#knownInbox
    const tasks = services.tasks()
    if (!isOver || name === undefined || tasks === undefined) return
    // An inbox that cannot be reached is deleted at its expiry.
    run.waitUntil(tasks.closeInbox(name, this.#holder).catch(() => undefined))
  }

  async #sleep(key: string, until: number): Promise<void> {
    await this.#pause(until - Date.now())
    this.#journal.deliver(key, {})
  }

  /**
   * @param misfit the digest of a received value that does not fit
   * @returns the digest of the value that was received now
   */
  async #receive(
    key: string,
    wait: EventWait,
    misfit: string | undefined,
  ): Promise<string | undefined> {
    const tasks = tasksOf(this.#call)
    const name = await this.#inbox()
    for (;;) {
      const event = { key, wait, expiresAt: this.#expiresAt, ...(misfit && { misfit }) }
      const received = await this.#attempt(() => tasks.receive(name, event, POLL_MS))
      if (this.#hasStopped) return never()
      if (received === undefined) continue
      if (received.kind === 'fresh') {
        this.#journal.deliver(key, received.value)
        return received.digest
      }
      this.#journal.write(key, 'refusal', received.value)
      return undefined
    }
  }

  /** Calls the inbox again when its object was reset: a wait outlives a deployment. */
  async #attempt<T>(run: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await run()
      } catch (error) {
        if (this.#hasStopped) return never()
        if (failures >= MAX_FAILURES) throw error
        await this.#pause(FAILURE_PAUSE_MS)
      }
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#hasStopped || milliseconds > MAX_TIMER_MS) return
      const end = () => {
        this.#timers.delete(timer)
        resolve()
      }
      const timer = setTimeout(end, Math.max(0, milliseconds))
      this.#timers.add(timer)
    })
  }

  /** This round, and the time in which the client may begin the next one. */
  get #expiresAt(): number {
    return Date.now() + this.#timeoutMs + answerTimeoutMs(this.#call.deployment)
  }

  /** The name of the inbox, which is counted once in each round. @throws {ToolError} at the limit */
  async #inbox(): Promise<string> {
    const name = this.#knownInbox ?? (await this.#newInbox())
    const tasks = tasksOf(this.#call)
    this.#counted ??= this.#attempt(() => tasks.enterInbox(name, this.#holder, this.#expiresAt))
    if (await this.#counted) return name
    throw new ToolError(
      `You have too many calls that wait for an event: at most ${tasks.limits.perPrincipal} at the same time (tasks({ perPrincipal })). Wait until one has ended.`,
    )
  }

  get #holder(): InboxHolder {
    const { auth, headers } = this.#call.request
    return { auth, network: clientNetwork({ headers }) }
  }

  /** The same in every round of the call, and in a round that the client repeats. */
  async #newInbox(): Promise<string> {
    const { requestState } = this.#call.request.params ?? {}
    // A state is opened before its handler runs, so it has the entropy of its seal.
    const name =
      typeof requestState === 'string'
        ? await sha256Base64Url(`inbox ${requestState}`)
        : randomToken()
    this.#journal.write(INBOX_NAME, 'step', name)
    return name
  }

  get #knownInbox(): string | undefined {
    const name = this.#journal.read(INBOX_NAME, 'step')?.value
    return typeof name === 'string' ? name : undefined
  }
}

/** @throws {TypeError} */
function tasksOf({ services }: Call): Tasks {
  const tasks = services.tasks()
  if (tasks !== undefined) return tasks
  throw new TypeError(
    'ctx.waitFor and ctx.webhook of a call without a session need features: [tasks()] and the binding MCP_OBJECTS',
  )
}
