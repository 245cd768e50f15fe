/**
 * Asks and steps of one run of a handler. An ask without an answer never settles: no `catch` of the
 * author's can swallow it. Once the run can go no further (every ask made, no step under way), it is
 * interrupted from outside with the questions it has.
 */

import { ErrorCode } from '../../protocol/error-codes.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { ProtocolError } from '../../protocol/protocol-error.ts'
import type { Era } from '../../protocol/revisions.ts'
import { ToolError } from '../../server/tool-error.ts'
import type { Call } from '../call.ts'
import { checkKey, type Journal } from './journal.ts'
import { deriveKey, type Question, type ReadAnswer } from './question.ts'
import type { SentMessages } from './sent-record.ts'
import { Suspension } from './suspension.ts'

/** Asks that may be open at once. */
const MAX_QUESTIONS = 32

/** Turns in which the rest of a handler may make asks of its own before the run ends. */
const GATHER_TURNS = 32

/** A new one each time: whoever waits for one that is shared is kept by it, with all it holds. */
const never = (): Promise<never> => new Promise(() => undefined)

export class Interaction {
  readonly #call: Call
  readonly #journal: Journal
  readonly #sent: () => SentMessages
  readonly #interrupt: (reason: Error) => void
  readonly #singleUse: boolean
  readonly #open = new Map<string, JsonObject>()
  readonly #used = new Set<string>()
  readonly #places = new Map<string, number>()
  #stepsUnderWay = 0
  /** While the synchronous part of a step runs: an ask there is surely inside it. */
  #startingStep = false
  #gathering = false
  #ended = false

  constructor(
    call: Call,
    journal: Journal,
    singleUse: boolean,
    sent: () => SentMessages,
    interrupt: (reason: Error) => void,
  ) {
    this.#call = call
    this.#singleUse = singleUse
    this.#journal = journal
    this.#sent = sent
    this.#interrupt = interrupt
  }

  /** @throws {TypeError} for a key that is malformed or taken */
  async ask<Answer>(key: string | undefined, question: Question<Answer>): Promise<Answer> {
    if (this.#startingStep) throw new TypeError('An ask cannot be inside a step: ask before it')
    if (this.#ended) return never()
    const { client, run } = this.#call
    if (!run.canAsk) {
      this.#end(new ToolError('Asking is not possible here: this connection carries no questions.'))
      return never()
    }
    const name = this.#nameOf(key, question)
    const answered = await this.#answerOf(name, question)
    if (this.#ended) return never()
    if (answered !== undefined) return answered.value
    if (!question.canAnswer(client.capabilities)) {
      this.#end(cannotAnswer(client.era, question))
      return never()
    }
    if (this.#open.size >= MAX_QUESTIONS)
      throw new TypeError(`More than ${MAX_QUESTIONS} asks at once`)
    this.#open.set(name, { method: question.method, params: question.params })
    void this.#gather()
    return never()
  }

  /** @throws whatever the step throws; {TypeError} for a value that is not JSON */
  async step<T>(key: string, run: () => T | Promise<T>): Promise<T> {
    if (this.#ended) return never()
    checkKey(key)
    this.#take(key)
    const known = this.#journal.read(key, 'step')
    if (known !== undefined) return known.value as T
    this.#stepsUnderWay++
    try {
      const value = await this.#start(run)
      const json = toJson(key, value)
      this.#journal.write(key, 'step', json)
      // As it will be read back, so that a handler sees the same in every round.
      return json as T
    } catch (error) {
      // What failed is not kept, and may be tried again in the same run.
      this.#used.delete(key)
      throw error
    } finally {
      this.#stepsUnderWay--
      if (this.#open.size > 0) void this.#gather()
    }
  }

  #start<T>(run: () => T | Promise<T>): T | Promise<T> {
    this.#startingStep = true
    try {
      return run()
    } finally {
      this.#startingStep = false
    }
  }

  /** A suspension with questions that the handler did not wait for. */
  suspendWith(questions: readonly Question<unknown>[]): Suspension {
    const requests = questions.map((question, index): [string, JsonObject] => {
      const { method, params } = question
      return [deriveKey(question, index + 1), { method, params }]
    })
    return this.#suspension(Object.fromEntries(requests))
  }

  /** No ask or step of this run has any effect from now on. */
  close(): void {
    if (!this.#ended && this.#open.size > 0 && this.#stepsUnderWay > 0) this.#reportUnsent()
    this.#ended = true
  }

  #nameOf(key: string | undefined, question: Question<unknown>): string {
    if (key !== undefined) {
      checkKey(key)
      this.#take(key)
      return key
    }
    const place = (this.#places.get(question.kind) ?? 0) + 1
    this.#places.set(question.kind, place)
    const name = deriveKey(question, place)
    const before = `${question.kind}-${place}-`
    const other = this.#journal.sent.asked.find(
      (asked) => asked.startsWith(before) && asked !== name,
    )
    if (other !== undefined) this.#reportOrder(question.kind, place)
    return name
  }

  #reportUnsent(): void {
    const message = `${[...this.#open.keys()].join(', ')} was never sent, because a step was still under way: an ask inside a step waits for itself`
    this.#report('ask-unsent', message)
  }

  #take(key: string): void {
    if (this.#used.has(key)) throw new TypeError(`The key "${key}" is used twice in one run`)
    this.#used.add(key)
  }

  #reportOrder(kind: string, place: number): void {
    const message = `${kind} ask ${place} is another than in the last round: give asks whose order can change a key; it is asked again`
    this.#report('journal-order-changed', message)
  }

  #report(type: 'ask-unsent' | 'journal-order-changed', message: string): void {
    const { request, deployment } = this.#call
    deployment.report({ type, method: request.method, message })
  }

  /** An answer out of the journal or of this round; what does not fit is asked again. */
  async #answerOf<Answer>(
    name: string,
    question: Question<Answer>,
  ): Promise<ReadAnswer<Answer> | undefined> {
    const refusal = this.#journal.refusalOf(name)
    if (refusal !== undefined) throw new ToolError(refusal)
    const kept = this.#journal.read(name, 'answer')
    const answer = kept?.value ?? this.#journal.fresh(name)
    if (answer === undefined) return undefined
    const read = await question.read(answer)
    if (read === undefined) this.#journal.drop(name)
    else if (kept === undefined) this.#journal.write(name, 'answer', read.kept)
    return read
  }

  /** Lets the rest of the handler come to its own asks and steps, then ends the run. */
  async #gather(): Promise<void> {
    if (this.#gathering) return
    this.#gathering = true
    for (let turn = 0; turn < GATHER_TURNS; turn++) await undefined
    this.#gathering = false
    // A step under way is waited for: it happens once, so its result must be in the journal.
    if (this.#ended || this.#stepsUnderWay > 0) return
    this.#end(this.#suspension(Object.fromEntries(this.#open)))
  }

  #suspension(requests: Readonly<Record<string, JsonObject>>): Suspension {
    const state = this.#journal.toState(this.#sent().toRecord(Object.keys(requests)))
    return new Suspension(requests, state, this.#singleUse)
  }

  #end(reason: Error): void {
    if (this.#ended) return
    this.#ended = true
    this.#interrupt(reason)
  }
}

/** Only the modern revision has an error for it; elsewhere a model is told in words. */
function cannotAnswer(era: Era, { method, requires }: Question<unknown>): Error {
  const message = `The client cannot answer ${method}`
  return era === 'modern'
    ? new ProtocolError(ErrorCode.missingClientCapability, message, {
        requiredCapabilities: requires,
      })
    : new ToolError(`${message}.`)
}

function toJson(key: string, value: unknown): JsonValue {
  if (value === undefined) return null
  const text = JSON.stringify(value)
  if (text === undefined) throw new TypeError(`Step "${key}" must return a JSON value`)
  return JSON.parse(text)
}
