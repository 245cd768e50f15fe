/** One run of code: answers what its harness sends, and says how it has ended. */

import { ToolError } from '../../../../src/index.ts'
import { type HandlerRun, roundOf } from '../../../../src/internal.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { excerpt } from '../../../../src/protocol/protocol-error.ts'
import { adviceFor, countedNames } from './advice.ts'
import { malformed, readEnd, readSent } from './exchange.ts'
import { InnerCalls } from './inner-calls.ts'
import type { ToolModule } from './module-names.ts'
import { runInSandbox, type SandboxInput, type WorkerLoader } from './sandbox.ts'
import { checkImports } from './source.ts'
import { stripTypes } from './types/strip-types.ts'

export interface ExecutionOptions {
  readonly run: HandlerRun
  readonly module: ToolModule
  readonly loader: WorkerLoader
  readonly source: string
  readonly maxCalls: number
  readonly cpuMs: number
  /** UTF-16 code units of the result. */
  readonly maxResult: number
  /** Called when a call has ended. */
  readonly onProgress: (calls: number, tool: string) => void
}

/** How code has ended. */
export interface CodeEnd {
  /** JSON text, cut after `maxResult`; undefined for code that returned nothing. */
  readonly result: string | undefined
  /** The length of the whole text. */
  readonly resultLength: number
  /** Why the code has failed. */
  readonly error: string | undefined
  /** What to do about it. */
  readonly advice: string | undefined
  readonly line: number | undefined
  readonly logs: readonly string[]
  /** Characters of the console output that are left out. */
  readonly logsCut: number
  /** The tools that were called, in this order. */
  readonly calls: readonly string[]
  /** The calls whose results the code had not awaited at its end. */
  readonly unawaited: readonly string[]
}

/** UTF-16 code units of console output, the end of each line included. */
const MAX_LOGS = 20_000

const CLOCK = 'code-clock'

/** The last answer to the harness, as JSON. */
const OVER = 'null'

/** @throws {ToolError} for code that the platform has stopped, and for a harness that does not keep to its protocol */
export async function executeCode(options: ExecutionOptions): Promise<CodeEnd> {
  const { run, loader, source, cpuMs } = options
  const { now, seed } = await readClock(run)
  const { module, maxCalls, maxResult } = options
  const input: SandboxInput = {
    tools: [...module].map(([name, { identifier }]) => [identifier, name]),
    maxCalls,
    maxResult,
    maxLogs: MAX_LOGS,
    now,
    seed,
  }
  const exchange = new Exchange(options)
  const runSource = async (text: string) =>
    readEnd(await runInSandbox(loader, text, input, cpuMs, exchange.next))
  try {
    const end = await runSource(source)
    // No line of it has run. Types are removed from such code alone, so the meaning of JavaScript never changes.
    const plain = end.isUncompiled === true && !exchange.hasBegun ? stripTypes(source) : source
    if (plain === source) return exchange.end(end)
    checkImports(plain)
    return exchange.end(await runSource(plain))
  } catch (error) {
    if (error instanceof ToolError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw new ToolError(`The code was stopped: ${excerpt(message, 300)}${exchange.calledText}`)
  } finally {
    exchange.close()
  }
}

/** The time and the random numbers of the code, the same in every round. */
async function readClock(run: HandlerRun): Promise<{ now: number; seed: number }> {
  return roundOf(run).step(CLOCK, { idempotent: true }, () => {
    const [seed = 0] = crypto.getRandomValues(new Uint32Array(1))
    return { now: Date.now(), seed }
  })
}

class Exchange {
  readonly #run: HandlerRun
  readonly #module: ToolModule
  readonly #source: string
  readonly #maxCalls: number
  readonly #calls: InnerCalls
  readonly #logs: string[] = []
  #logRoom = MAX_LOGS
  /** Keeps the round from being suspended while the code runs. */
  #release: () => void
  #waiting: PromiseWithResolvers<string> | undefined
  #sent = 0
  #isOver = false

  constructor({ run, module, source, maxCalls, onProgress }: ExecutionOptions) {
    this.#run = run
    this.#source = source
    this.#module = module
    this.#maxCalls = maxCalls
    this.#calls = new InnerCalls({
      run,
      module,
      fail: (error) => this.#fail(error),
      onReady: () => this.#answerWaiting(),
      onHint: (hint) => this.#addHint(hint),
      onProgress,
    })
    this.#release = roundOf(run).hold()
    run.onClose(() => this.close())
  }

  /**
   * Receives what the code has done until it waits, and resolves with the next result; with `null` once the run is over.
   * An error here would be logged by the platform as one of this Worker.
   */
  readonly next = async (text: unknown): Promise<string> => {
    if (this.#isOver) return OVER
    try {
      if (this.#waiting !== undefined) throw malformed()
      const { calls, logs } = readSent(text)
      this.#addLogs(logs)
      for (const call of calls) {
        if (++this.#sent > this.#maxCalls) throw malformed()
        this.#calls.begin(call)
      }
      const ready = this.#calls.take()
      if (ready !== undefined) return textOf(ready)
      // Code that has changed the built-in objects may keep its harness from sending a call.
      if (!this.#calls.isAwaited) throw malformed()
      this.#calls.checkSuspension()
    } catch (error) {
      this.#fail(error)
      return OVER
    }
    this.#waiting = Promise.withResolvers()
    const { promise } = this.#waiting
    this.#release()
    return promise
  }

  /** Whether the code has sent anything. */
  get hasBegun(): boolean {
    return this.#sent > 0 || this.#logs.length > 0
  }

  /** @throws {ToolError} */
  end({ result, resultLength, error, line, logs, logsCut, unawaited }: JsonObject): CodeEnd {
    const open = Array.isArray(unawaited) ? unawaited.slice(0, this.#maxCalls) : []
    const names = open.filter((name) => typeof name === 'string').map((name) => excerpt(name))
    this.#calls.end()
    this.#addLogs(Array.isArray(logs) ? logs : [])
    return {
      result: typeof result === 'string' ? result : undefined,
      resultLength: Number(resultLength ?? 0),
      error: typeof error === 'string' ? error : undefined,
      advice: typeof error === 'string' ? this.#adviceFor(error, names) : undefined,
      line: typeof line === 'number' ? line : undefined,
      logs: this.#logs,
      logsCut: Number(logsCut ?? 0),
      calls: this.#calls.names,
      unawaited: names,
    }
  }

  #adviceFor(error: string, unawaited: readonly string[]): string | undefined {
    return adviceFor({ error, source: this.#source, module: this.#module, unawaited })
  }

  /** The calls that were made before the code was stopped, as a sentence. */
  get calledText(): string {
    const { names } = this.#calls
    return names.length === 0 ? '' : `\nIt had called: ${countedNames(names)}`
  }

  /** Ends the Worker of the code: its harness waits for a result, or will. */
  close(): void {
    this.#isOver = true
    this.#release()
    this.#waiting?.resolve(OVER)
    this.#waiting = undefined
  }

  #answerWaiting(): void {
    const waiting = this.#waiting
    if (waiting === undefined) return
    try {
      const ready = this.#calls.take()
      if (ready === undefined) return
      // Before the call that has ended lets the round be suspended.
      this.#release = roundOf(this.#run).hold()
      this.#waiting = undefined
      waiting.resolve(textOf(ready))
    } catch (error) {
      this.#fail(error)
    }
  }

  /** The harness counts too, but code that has changed the built-in objects may keep it from that. */
  #addLogs(lines: readonly unknown[]): void {
    for (const line of lines) {
      if (this.#logRoom <= 0) return
      if (typeof line !== 'string') continue
      this.#logs.push(line.slice(0, this.#logRoom))
      this.#logRoom -= line.length + 1
    }
  }

  /** Once, however often the code makes the same fault. */
  #addHint(hint: string): void {
    if (!this.#logs.includes(hint)) this.#addLogs([hint])
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    this.#run.interrupt(error instanceof Error ? error : new Error(String(error)))
    this.close()
  }
}

const textOf = ({ place, isOk, value }: { place: number; isOk: boolean; value: unknown }) =>
  JSON.stringify([place, isOk, value])
