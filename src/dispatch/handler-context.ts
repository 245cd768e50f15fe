/**
 * Implements the context of a handler for one call. Members are computed on first access. Functions do not
 * depend on `this`, because handlers destructure the context.
 */

import type { Codec } from '../protocol/codec/codec.ts'
import { withoutCredentials } from '../protocol/credential-headers.ts'
import { metaOf, readTraceContext } from '../protocol/meta.ts'
import type { CreateMessageRequest, ElicitForm, ElicitUrl } from '../server/ask.ts'
import type {
  ClientContext,
  Context,
  Notify,
  RequestContext,
  SessionContext,
  TaskContext,
  WaitOptions,
} from '../server/context.ts'
import { JOB_JOURNAL, type JobJournal } from '../server/job-journal.ts'
import type { Schema } from '../server/schema/standard-schema.ts'
import type { StateContext } from '../server/state.ts'
import type { CallerAuth } from '../server/upstream.ts'
import type { Call } from './call.ts'
import type { CallSession } from './call-session.ts'
import { callerAuth } from './caller-auth.ts'
import { clientContext } from './client-context.ts'
import type { FileOperations } from './files/file-port.ts'
import { formQuestion, urlQuestion } from './journal/elicitation.ts'
import { checkedWait } from './journal/event.ts'
import { Interaction } from './journal/interaction.ts'
import { createJobJournal } from './journal/job-journal.ts'
import { Journal } from './journal/journal.ts'
import { pingQuestion } from './journal/ping.ts'
import type { Question } from './journal/question.ts'
import { rootsQuestion, sampleQuestion } from './journal/sampling-and-roots.ts'
import { SentMessages } from './journal/sent-record.ts'
import type { StepOptions, StepWork } from './journal/step.ts'
import { Suspension } from './journal/suspension.ts'
import type { TaskWait } from './journal/wait.ts'
import { createLog } from './logging.ts'
import { createNotify } from './notifier.ts'
import { Operations } from './operations.ts'
import { createProgress } from './progress.ts'
import type { RunOptions } from './run-options.ts'
import type { Interruptible } from './settle.ts'
import { createState } from './state.ts'

/** The session of the call of a handler; undefined without one. Internal: not part of the public API. */
export let sessionOf: (ctx: Context) => CallSession | undefined

export class HandlerContext implements Context, Interruptible {
  readonly #call: Call
  readonly #codec: Codec
  readonly #options: RunOptions
  readonly #journal: Journal | undefined
  #interactionOfRun: Interaction | undefined
  #onInterrupt: ((reason: Error) => void) | undefined
  #interrupted: Error | undefined
  #sentMessages: SentMessages | undefined
  #readHeaders: Headers | undefined
  #closed = false
  #auth: CallerAuth | undefined
  #state: StateContext | undefined
  #operationsOfRun: Operations | undefined
  #uploads = 0

  static {
    sessionOf = (ctx) => (ctx instanceof HandlerContext ? ctx.#call.run.session : undefined)
  }

  constructor(call: Call, codec: Codec, options: RunOptions, journal: Journal | undefined) {
    this.#call = call
    this.#codec = codec
    this.#options = options
    this.#journal = journal
  }

  get auth() {
    this.#auth ??= callerAuth(this.#call)
    return this.#auth
  }

  get env() {
    return this.#call.deployment.env
  }

  get signal() {
    return this.#call.run.cancellation.signal
  }

  get client(): ClientContext {
    return clientContext(this.#call, this.#codec)
  }

  get request(): RequestContext {
    const { id, method, params } = this.#call.request
    const meta = metaOf(params)
    const readHeaders = () => this.#headers
    return {
      id,
      method,
      meta,
      trace: readTraceContext(meta),
      get headers() {
        return readHeaders()
      },
    }
  }

  get session(): SessionContext | undefined {
    const { session } = this.#call.run
    if (session === undefined) return undefined
    const ping = () => this.#interaction.ask(undefined, pingQuestion())
    return { id: session.id, ping }
  }

  get closeStream(): Context['closeStream'] {
    return () => {
      if (!this.#closed) this.#call.run.session?.closeStream()
    }
  }

  get elicit(): Context['elicit'] {
    const elicit = async (ask: ElicitForm | ElicitUrl) =>
      'url' in ask
        ? this.#interaction.ask(ask.key, urlQuestion(ask))
        : this.#interaction.ask(ask.key, formQuestion(ask))
    return elicit as Context['elicit']
  }

  get sample(): Context['sample'] {
    return async (request: CreateMessageRequest) =>
      this.#interaction.ask(request.key, sampleQuestion(request))
  }

  get listRoots(): Context['listRoots'] {
    return async (ask) => this.#interaction.ask(ask?.key, rootsQuestion())
  }

  get step(): Context['step'] {
    const step = async (
      key: string,
      ...rest: readonly [StepWork<unknown>] | readonly [StepOptions, StepWork<unknown>]
    ) => {
      const [options, run] = rest.length === 1 ? [{}, rest[0]] : rest
      return this.#interaction.step(key, options, run)
    }
    return step as Context['step']
  }

  get sleep(): Context['sleep'] {
    return async (key, milliseconds) => {
      if (!(Number.isFinite(milliseconds) && milliseconds >= 0)) {
        throw new TypeError('ctx.sleep needs a number of milliseconds of at least 0')
      }
      return this.#interaction.sleep(key, milliseconds)
    }
  }

  get waitFor(): Context['waitFor'] {
    const waitFor = async (key: string, options: WaitOptions<Schema | undefined> = {}) => {
      const { run, deployment } = this.#call
      // A task waits as long as it lives.
      const longestMs = run.task === undefined ? deployment.limits.requestStateTtlMs : undefined
      const { wait, read } = checkedWait(options, longestMs)
      return this.#interaction.event(key, wait, read)
    }
    return waitFor as Context['waitFor']
  }

  get webhook(): Context['webhook'] {
    return async (key) => this.#interaction.webhook(key)
  }

  get task(): TaskContext | undefined {
    const { task } = this.#call.run
    return task && { id: task.id }
  }

  get state(): StateContext {
    this.#state ??= createState(this.#call, this.#operations)
    return this.#state
  }

  get file(): Context['file'] {
    return async (name, data, options) => {
      if (!this.#options.files) {
        throw new TypeError('ctx.file needs files: true in the config of its tool')
      }
      return this.#files.createFile(this.#call, this.#operations, name, data, options)
    }
  }

  get page(): Context['page'] {
    return async (text, options) =>
      this.#files.pageText(this.#call, this.#operations, text, options)
  }

  get upload(): Context['upload'] {
    return async (request) => {
      this.#uploads += 1
      const key = request.key ?? `upload-${this.#uploads}`
      const asked = { ...request, key }
      return this.#files.askForFile(this.#call, this.#operations, this.#interaction, asked)
    }
  }

  get [JOB_JOURNAL](): JobJournal | undefined {
    const isTask = this.#call.run.task !== undefined
    if (!isTask || this.#journal === undefined) return undefined
    return createJobJournal(this.#call, this.#journal, this.#interaction)
  }

  get progress(): Context['progress'] {
    return createProgress(this.#call, this.#codec, () => this.#sendable)
  }

  get log(): Context['log'] {
    return createLog(this.#call, () => this.#sendable)
  }

  get notify(): Notify {
    const { services, changeDefinition, env } = this.#call.deployment
    return createNotify({
      changes: services.changes,
      changeDefinition: changeDefinition && ((subject) => changeDefinition(subject, env)),
    })
  }

  get waitUntil(): Context['waitUntil'] {
    return (promise) => this.#call.run.waitUntil(promise)
  }

  onInterrupt(listener: (reason: Error) => void): void {
    if (this.#interrupted === undefined) this.#onInterrupt = listener
    else listener(this.#interrupted)
  }

  /** Asks a question that is not one of the author. */
  ask<Answer>(key: string, question: Question<Answer>): Promise<Answer> {
    return this.#interaction.ask(key, question)
  }

  /** Waits for the end of a task, which is not something that an author does. */
  taskEnd(key: string, wait: TaskWait): Promise<void> {
    return this.#interaction.taskEnd(key, wait)
  }

  /** Suspends the run with questions whose answers the handler does not read. */
  suspendWith(questions: readonly Question<unknown>[]): Suspension {
    const suspension = this.#interaction.suspendWith(questions)
    // A further round follows, so what waits for it is not closed.
    this.#interrupted ??= suspension
    return suspension
  }

  /** Ends the context: after the answer the handler can neither send nor ask. */
  close(): void {
    this.#closed = true
    this.#interactionOfRun?.close(this.#isOver)
  }

  /** Whether no further round of the call can follow. */
  get #isOver(): boolean {
    return !(this.#interrupted instanceof Suspension)
  }

  get #headers(): Headers {
    this.#readHeaders ??= withoutCredentials(this.#call.request.headers)
    return this.#readHeaders
  }

  /** @throws {TypeError} without the option `files` */
  get #files(): FileOperations<Call> {
    const { files } = this.#call.deployment
    if (files === undefined) throw new TypeError('Pass files: files() to createEdgeway')
    return files
  }

  get #sent(): SentMessages {
    this.#sentMessages ??= new SentMessages(this.#journal?.sent)
    return this.#sentMessages
  }

  /** The messages to which the handler may add; undefined after the answer. */
  get #sendable(): SentMessages | undefined {
    return this.#closed ? undefined : this.#sent
  }

  get #operations(): Operations {
    this.#operationsOfRun ??= new Operations(() => this.#interaction)
    return this.#operationsOfRun
  }

  get #interaction(): Interaction {
    this.#interactionOfRun ??= new Interaction(
      this.#call,
      this.#journal ?? new Journal(),
      this.#options,
      () => this.#sent,
      (reason) => {
        this.#interrupted = reason
        this.#onInterrupt?.(reason)
      },
    )
    if (this.#closed) this.#interactionOfRun.close(this.#isOver)
    return this.#interactionOfRun
  }
}
