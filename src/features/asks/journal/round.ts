/**
 * One round: the asks, waits and steps of one run of a handler. Each returns at once what the journal has. An ask
 * without an answer never settles, so no `catch` of the author can intercept it: `suspender.ts` ends the
 * run from outside.
 */

import { capabilityName, insteadOf } from '../../../clients/having.ts'
import type { ThroughModel } from '../../../dispatch/call.ts'
import type { HandlerRun } from '../../../dispatch/handler-run.ts'
import { checkKey, Journal } from '../../../dispatch/journal/journal.ts'
import { Suspension } from '../../../dispatch/journal/suspension.ts'
import { type EventWait, isWait, type TaskWait, type Wait } from '../../../dispatch/journal/wait.ts'
import { randomToken } from '../../../platform/random-token.ts'
import type { JsonObject, JsonValue } from '../../../protocol/json.ts'
import { ProtocolError } from '../../../protocol/protocol-error.ts'
import { ToolError } from '../../../server/tool-error.ts'
import {
  type Ask,
  cannotAnswer,
  cannotWait,
  deriveKey,
  isMisfit,
  type Misfit,
  type ReadAnswer,
} from './ask.ts'
import { AskKeys } from './ask-keys.ts'
import { HeldWaits } from './held-waits.ts'
import { Misfits } from './misfits.ts'
import { runStep, type StepOptions, type StepWork, stepResult } from './step.ts'
import { type AskRequests, never, Suspender } from './suspender.ts'

/** Rounds whose asks without a key differ from those of the round before. The last of them ends the call. */
const MAX_CHANGED_ROUNDS = 3

/** The end of a wait that has no value. */
const readNothing = async () => ({ value: undefined, kept: {} })

/** Whether the model of a client that cannot be asked may put an ask to its person. */
const goesThroughModel = ({ throughModel }: Ask<unknown>, mode: ThroughModel | undefined) =>
  mode !== undefined && (throughModel === 'as-app' ? mode === 'all' : throughModel === true)

/** For the author: what else serves a form. */
const orThroughModel = ({ throughModel }: Ask<unknown>): string =>
  throughModel === undefined
    ? ''
    : ', or ask through its model, by throughModel of the tool or of asks(), and tasks()'

type RunOfRound = Pick<HandlerRun, 'call' | 'journal' | 'options' | 'sent' | 'interrupt'>

export class Round {
  readonly #run: RunOfRound
  readonly #journal: Journal
  readonly #suspender: Suspender
  readonly #keys: AskKeys
  readonly #misfits: Misfits
  #ownId: string | undefined
  #heldWaits: HeldWaits | undefined
  /** Of the calls inside this run. */
  #innerChanges = 0
  #singleUse = false
  /** True while the synchronous part of a step runs. An ask at that time is inside the step. */
  #startingStep = false

  constructor(run: RunOfRound) {
    this.#run = run
    run.journal ??= new Journal()
    this.#journal = run.journal
    const { sent } = this.#journal
    this.#keys = new AskKeys(sent)
    this.#misfits = new Misfits(sent.misfits)
    this.#suspender = new Suspender(
      (reason) => run.interrupt(reason),
      (requests) => this.#suspension(requests),
    )
  }

  /** @throws {TypeError} for a malformed or repeated key, an ask inside a step, and too many asks */
  async ask<Answer>(key: string | undefined, ask: Ask<Answer>): Promise<Answer> {
    if (this.#startingStep) throw new TypeError('An ask cannot be inside a step: ask before it')
    if (this.#suspender.hasEnded) return never()
    const { client, run } = this.#run.call
    const isAskable = run.canAsk && ask.canAnswer(client.capabilities)
    const throughModel = !isAskable && goesThroughModel(ask, run.throughModel)
    if (!run.canAsk && !throughModel) {
      this.#suspender.end(
        new ToolError(
          'The server cannot ask on this connection: it carries no questions. It does in a session whose client accepts text/event-stream, and in the newest revision. Do not repeat the call here: tell the person.',
        ),
      )
      return never()
    }
    const name = this.#nameOf(key, ask)
    const answered = await this.#answerOf(name, ask, this.#journal.fresh(name))
    if (this.#suspender.hasEnded) return never()
    if (answered !== undefined) return answered.value
    if (!isAskable && !throughModel) {
      const instead = insteadOf(capabilityName(ask.requires))
      if (instead !== undefined)
        this.#report('ask-unsent', `The client cannot be asked: ${instead}${orThroughModel(ask)}`)
      this.#suspender.end(cannotAnswer(client, ask))
      return never()
    }
    this.#suspender.checkRoom()
    this.#suspender.openAsk(name, {
      method: ask.method,
      params: this.#misfits.explain(name, ask.params),
      ...(throughModel && { throughModel }),
    })
    return never()
  }

  /**
   * @throws {TypeError} for a malformed or repeated key, and for a result that is not JSON
   * @throws the error of the step
   */
  async step<T>(key: string, options: StepOptions, run: StepWork<T>): Promise<T> {
    if (this.#suspender.hasEnded) return never()
    if (typeof run !== 'function') {
      throw new TypeError('ctx.step needs a function: ctx.step(key, run), or with options between')
    }
    this.#keys.reserve(key)
    const known = this.#journal.read(key, 'step')
    if (known !== undefined) return known.value as T
    this.#suspender.enterStep()
    try {
      const stepId = `${this.#runId}/${key}`
      const work: StepWork<T> = (step) => this.#start(() => run(step))
      const perform = () => runStep(key, stepId, options, work, this.#journal)
      const { recording } = this.#run.call.run
      const value = await (recording?.within('step', key, perform) ?? perform())
      const result = stepResult(key, value)
      this.#journal.write(key, 'step', result)
      return result as T
    } catch (error) {
      if (error instanceof ProtocolError && error.reason === 'step-interrupted') {
        this.#suspender.end(error)
        return never()
      }
      // A failed step is not recorded and may be retried in the same run.
      this.#keys.release(key)
      throw error
    } finally {
      this.#suspender.leaveStep()
    }
  }

  /**
   * Waits until a time.
   *
   * @throws {TypeError} for a malformed or repeated key, a wait inside a step, and too many asks
   */
  async sleep(key: string, milliseconds: number): Promise<void> {
    await this.#waitFor(
      key,
      () => ({ kind: 'sleep', until: Date.now() + milliseconds }),
      readNothing,
    )
  }

  /** Waits for the end of a task. @throws {TypeError} as {@link sleep} */
  async taskEnd(key: string, wait: TaskWait): Promise<void> {
    await this.#waitFor(key, () => wait, readNothing)
  }

  /**
   * Waits for the delivery of an event.
   *
   * @throws {TypeError} as {@link sleep}
   * @throws {ToolError} when the wait has timed out
   */
  async event<T>(
    key: string,
    wait: () => EventWait,
    read: (value: unknown) => Promise<ReadAnswer<T> | Misfit>,
  ): Promise<T> {
    return this.#waitFor(key, wait, read)
  }

  get journal(): Journal {
    return this.#journal
  }

  /** Whether the round has been suspended or closed. */
  get hasEnded(): boolean {
    return this.#suspender.hasEnded
  }

  /** Whether the client has answered an ask, in this round or an earlier one. */
  isAnswered(key: string): boolean {
    return (this.#journal.read(key, 'answer')?.value ?? this.#journal.fresh(key)) !== undefined
  }

  /** Returns the URL that delivers an event. @throws {TypeError} for a malformed key */
  async webhook(key: string): Promise<string> {
    checkKey(key)
    const { run } = this.#run.call
    if (run.holdsWaits) return this.#held.webhook(key)
    if (run.webhookUrl !== undefined && run.canWait) return run.webhookUrl(key)
    this.#suspender.end(cannotWait())
    return never()
  }

  /** Returns the value that was delivered to an event; undefined when there is none that fits. */
  async delivered<T>(
    key: string,
    read: (value: unknown) => Promise<ReadAnswer<T> | Misfit>,
  ): Promise<ReadAnswer<T> | undefined> {
    const answered = await this.#eventOf(key, read)
    return this.#suspender.hasEnded ? never() : answered
  }

  /** Ends the run until one of the waits ends. Nothing is recorded: the next run begins its waits anew. */
  suspendUntil(waits: Readonly<Record<string, Wait>>): Promise<never> {
    this.#suspender.suspendUntil(waits)
    return never()
  }

  /** Keeps the round from being suspended while something runs that no step knows. Returns what ends it. */
  hold(): () => void {
    this.#suspender.enterStep()
    let isHeld = true
    return () => {
      if (isHeld) this.#suspender.leaveStep()
      isHeld = false
    }
  }

  /**
   * Asks and waits for what a call inside this run asks and waits for.
   *
   * @param prefix of its keys
   * @throws {TypeError} when no further ask or wait can be opened
   */
  adopt(prefix: string, { requests, waits, state, singleUse }: Suspension): void {
    for (const [key, request] of Object.entries(requests)) {
      this.#suspender.checkRoom()
      this.#suspender.openAsk(prefix + key, request)
    }
    for (const [key, wait] of Object.entries(waits)) {
      this.#suspender.checkRoom()
      this.#suspender.openWait(prefix + key, wait)
    }
    this.#misfits.adopt(prefix, state.sent.misfits)
    this.#innerChanges = Math.max(this.#innerChanges, state.sent.changedRounds ?? 0)
    this.#singleUse ||= singleUse
  }

  async #waitFor<T>(
    key: string,
    wait: () => Wait,
    read: (value: unknown) => Promise<ReadAnswer<T> | Misfit>,
  ): Promise<T> {
    if (this.#startingStep) throw new TypeError('A wait cannot be inside a step: wait before it')
    if (this.#suspender.hasEnded) return never()
    checkKey(key)
    const { run } = this.#run.call
    if (!run.canWait && !run.holdsWaits) {
      this.#suspender.end(cannotWait())
      return never()
    }
    this.#keys.reserve(key)
    const answered = await this.#eventOf(key, read)
    if (this.#suspender.hasEnded) return never()
    if (answered !== undefined) return answered.value
    this.#suspender.checkRoom(this.#heldWaits?.count)
    const begun = this.#journal.pending(key, 'wait')
    const waiting = isWait(begun) ? begun : wait()
    if (begun === undefined) this.#journal.write(key, 'wait', { ...waiting })
    if (run.holdsWaits) {
      const { value } = await this.#held.untilRead(key, waiting, async () => {
        const answer = await this.#eventOf(key, read)
        return this.#suspender.hasEnded ? never() : answer
      })
      return value
    }
    this.#suspender.openWait(key, waiting)
    return never()
  }

  get #held(): HeldWaits {
    const { deployment } = this.#run.call
    const { timeoutMs = deployment.limits.handlerTimeoutMs } = this.#run.options
    this.#heldWaits ??= new HeldWaits(this.#run.call, this.#journal, timeoutMs)
    return this.#heldWaits
  }

  /** A call without an id of its own is not repeated by the server, so any id is stable. */
  get #runId(): string {
    this.#ownId ??= this.#run.call.run.id ?? randomToken(16)
    return this.#ownId
  }

  #start<T>(run: () => T | Promise<T>): T | Promise<T> {
    this.#startingStep = true
    try {
      return run()
    } finally {
      this.#startingStep = false
    }
  }

  /** Creates a suspension with asks that the handler does not wait for. */
  suspendWith(asks: readonly Ask<unknown>[]): Suspension {
    const requests = asks.map((ask, index): [string, JsonObject] => {
      const { method, params } = ask
      return [deriveKey(ask, index + 1), { method, params }]
    })
    return this.#suspension(Object.fromEntries(requests))
  }

  /**
   * Ends the round: later asks and steps of this run have no effect.
   *
   * @param isOver whether the call has ended with this run
   */
  close(isOver: boolean): void {
    if (this.#run.call.run.holdsWaits) this.#held.stop(isOver)
    const unsent = this.#suspender.close()
    if (unsent.length === 0) return
    const message = `${unsent.join(', ')} was not sent, because a step was still running: an ask inside a step waits for itself`
    this.#report('ask-unsent', message)
  }

  #nameOf(asked: string | undefined, ask: Ask<unknown>): string {
    const { key, moved } = this.#keys.ofAsk(asked, ask)
    if (moved === undefined) return key
    const { kind, place } = moved
    const message = `${kind} ask ${place} differs from the last round and is asked again: set a key on asks whose order can change`
    this.#report('journal-order-changed', message)
    if (this.#keys.changedRounds >= MAX_CHANGED_ROUNDS) {
      this.#suspender.end(
        new ToolError(
          `The questions of this call changed in ${MAX_CHANGED_ROUNDS} rounds, so it was stopped. Do not repeat it: tell the person.`,
        ),
      )
    }
    return key
  }

  #report(type: 'ask-unsent' | 'journal-order-changed', message: string): void {
    const { request, deployment } = this.#run.call
    deployment.report({ type, method: request.method, message })
  }

  /** Returns the answer of the journal, or the fresh one. One that does not fit is dropped, so it is asked again. */
  async #answerOf<Answer>(
    name: string,
    ask: Pick<Ask<Answer>, 'read'>,
    fresh: JsonValue | undefined,
  ): Promise<ReadAnswer<Answer> | undefined> {
    const refusal = this.#journal.refusalOf(name)
    if (refusal !== undefined) throw new ToolError(refusal)
    const kept = this.#journal.read(name, 'answer')
    const answer = kept?.value ?? fresh
    if (answer === undefined) return undefined
    const read = await ask.read(answer)
    if (isMisfit(read)) {
      this.#journal.drop(name)
      const last = this.#misfits.add(name, answer, read.misfit)
      if (last !== undefined) this.#suspender.end(last)
      return undefined
    }
    if (kept === undefined) this.#journal.write(name, 'answer', read.kept)
    return read
  }

  /** The same for a wait. */
  #eventOf<T>(key: string, read: Ask<T>['read']): Promise<ReadAnswer<T> | undefined> {
    return this.#answerOf(key, { read }, this.#journal.received(key))
  }

  #suspension(requests: AskRequests): Suspension {
    const changedRounds = Math.max(this.#keys.changedRounds, this.#innerChanges)
    const state = this.#journal.toState({
      ...this.#run.sent.toRecord(Object.keys(requests)),
      misfits: this.#misfits.toRecords(),
      changedRounds: changedRounds === 0 ? undefined : changedRounds,
    })
    const singleUse = this.#run.options.singleUse || this.#singleUse
    return new Suspension(requests, state, singleUse, this.#suspender.waits)
  }
}
