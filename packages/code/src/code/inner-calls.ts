/**
 * The calls that code makes, in the order in which it makes them, and their results, in the order in which they came.
 * Both are in the journal: code that runs again receives the results of its earlier runs in the same order, so it makes
 * the same calls. Each call has a key of its place, its tool and its arguments.
 */

import { ToolError } from '../../../../src/index.ts'
import {
  beginInner,
  callInner,
  findInnerTool,
  type HandlerRun,
  MAX_OPEN,
  MAX_STATE_BYTES,
  type Round,
  roundOf,
  runInner,
  Suspension,
  type ToolDefinition,
} from '../../../../src/internal.ts'
import { parseBoundedJson } from '../../../../src/platform/bounded-json.ts'
import { fingerprint } from '../../../../src/platform/fnv.ts'
import { tryParseJson } from '../../../../src/platform/try-parse.ts'
import { isJsonObject, type JsonValue } from '../../../../src/protocol/json.ts'
import type { CallToolResult } from '../../../../src/protocol/primitives.ts'
import { ProtocolError } from '../../../../src/protocol/protocol-error.ts'
import { unknownArguments } from './advice.ts'
import type { SentCall } from './exchange.ts'
import { describeTools, findTools } from './find-tools.ts'
import type { ToolModule } from './module-names.ts'

/** The end of a call, for the harness: the value, or the text of an error. */
export interface Completion {
  readonly place: number
  readonly isOk: boolean
  readonly value: JsonValue
}

export interface InnerCallsOptions {
  readonly run: HandlerRun
  /** The tools that the caller sees. */
  readonly module: ToolModule
  /** Ends the run with an error. */
  readonly fail: (error: Error) => void
  /** A result is ready. */
  readonly onReady: () => void
  /** Says what is probably wrong in a call that is made all the same. */
  readonly onHint: (hint: string) => void
  readonly onProgress: (calls: number, tool: string) => void
}

/** The bounds of the arguments of a call, those of a body by default. */
const ARGUMENT_BOUNDS = { depth: 64, values: 100_000 }

/** The longest arguments whose names are checked, in UTF-16 code units of JSON. */
const MAX_CHECKED = 20_000

const KEY = /^call-(\d+)-([0-9a-f]{16})(?:\.|$)/

const PATH_CHANGED =
  'The code has made other calls than before its question was asked, so it was not continued: what it does may depend only on the results of its calls. Check what it has done, and call the tool again.'

export class InnerCalls {
  readonly #options: InnerCallsOptions
  readonly #round: Round
  /** The prints of the calls of earlier runs, by place. */
  readonly #known = new Map<number, string>()
  /** Results that the code has not received yet. */
  readonly #ready: Completion[]
  readonly #names: string[] = []
  #count = 0
  #received = 0
  #completed: number
  #suspended = 0
  /** Open asks and waits. */
  #asks = 0

  constructor(options: InnerCallsOptions) {
    this.#options = options
    this.#round = roundOf(options.run)
    const { journal } = this.#round
    for (const key of [...journal.entries.keys(), ...journal.sent.asked]) {
      const [, place, print] = KEY.exec(key) ?? []
      if (place !== undefined && print !== undefined) this.#known.set(Number(place), print)
    }
    this.#ready = [...journal.entries]
      .flatMap(([key, { kind, value }]) => (kind === 'step' ? (readRecord(key, value) ?? []) : []))
      .toSorted((a, b) => a.at - b.at)
    this.#completed = this.#ready.length
  }

  /** The tools that the code has called, those of earlier runs included. */
  get names(): readonly string[] {
    return this.#names
  }

  /** Whether the code has calls whose results it has not received. */
  get isAwaited(): boolean {
    return this.#count > this.#received
  }

  begin(sent: SentCall): void {
    const place = ++this.#count
    const print = fingerprint(JSON.stringify([sent.kind, sent.name, sent.args]))
    const known = this.#known.get(place)
    if (known !== undefined && known !== print) throw new ToolError(PATH_CHANGED)
    if (sent.kind === 'tool') this.#addName(sent)
    const key = `call-${place}-${print}`
    const recorded = this.#round.journal.read(key, 'step')
    if (recorded !== undefined) {
      if (sent.kind === 'tool') this.#checkRecorded(sent.name, recorded.value)
      return
    }
    void this.#perform(key, place, sent).catch((error) => this.#options.fail(error))
  }

  #addName({ name, args }: SentCall): void {
    this.#names.push(name)
    const tool = this.#options.module.get(name)
    // In each round again, as everything that the code prints.
    const hint = tool && args.length <= MAX_CHECKED && unknownArguments(tool, tryParseJson(args))
    if (hint) this.#options.onHint(hint)
  }

  /** The next result; undefined while there is none. */
  take(): Completion | undefined {
    const next = this.#ready.shift()
    if (next === undefined) return undefined
    if (next.place > this.#count) throw new ToolError(PATH_CHANGED)
    this.#received += 1
    return next
  }

  /** The code has ended. */
  end(): void {
    if (Math.max(0, ...this.#known.keys()) > this.#count) throw new ToolError(PATH_CHANGED)
  }

  /**
   * Checks that the journal of a call of 2026-07-28 can be sealed, before the round is suspended.
   *
   * @throws {ToolError}
   */
  checkSuspension(): void {
    const { call } = this.#options.run
    const { journal } = this.#round
    const isOpen = this.#suspended > 0 && this.#suspended === this.#count - this.#received
    if (!isOpen || call.client.era !== 'modern' || call.run.journal !== undefined) return
    const { byteLength } = new TextEncoder().encode(JSON.stringify([...journal.entries]))
    if (byteLength < MAX_STATE_BYTES) return
    throw new ToolError(
      `A tool asks the person at the client, and the results of the calls before it have ${byteLength} bytes: at most ${MAX_STATE_BYTES} are kept until the answer. Call the tool that asks first, or ask the others for less.`,
    )
  }

  async #perform(key: string, place: number, sent: SentCall): Promise<void> {
    const { module } = this.#options
    switch (sent.kind) {
      case 'describe':
        return this.#complete(key, place, true, describeTools(module, tryParseJson(sent.args)))
      case 'find':
        return this.#complete(key, place, true, findTools(module, tryParseJson(sent.args)))
      case 'tool':
    }
    await runInner(this.#round, key, async (journal) => {
      try {
        const result = await this.#call(key, sent, journal)
        this.#complete(key, place, result.isError !== true, resolvedValue(result))
        this.#options.onProgress(this.#completed, sent.name)
      } catch (error) {
        if (error instanceof Suspension) {
          // It has waited, so nothing was interrupted.
          this.#round.journal.drop(key)
          this.#suspended += 1
          this.#checkAsks(error)
          this.checkSuspension()
          throw error
        }
        if (!(error instanceof ToolError)) throw error
        this.#complete(key, place, false, error.message)
      }
    })
  }

  /** @throws {ToolError} when the calls ask and wait for more than one call may */
  #checkAsks({ requests, waits }: Suspension): void {
    this.#asks += Object.keys(requests).length + Object.keys(waits).length
    if (this.#asks <= MAX_OPEN) return
    throw new ToolError(
      `At most ${MAX_OPEN} questions and waits can be open at the same time. Call the tools that ask one after the other.`,
    )
  }

  /** @throws {ToolError} for a call that is not made */
  async #call(
    key: string,
    { name, args }: SentCall,
    journal: Parameters<typeof callInner>[1]['journal'],
  ): Promise<CallToolResult> {
    const { run } = this.#options
    const tool = this.#find(name)
    const parsed = parseBoundedJson(args, ARGUMENT_BOUNDS)
    if (!parsed.ok) throw new ToolError(`The arguments of ${name} are too large or nest too deeply`)
    if (!isJsonObject(parsed.value))
      throw new ToolError(`The arguments of ${name} must be an object`)
    beginInner(this.#round, key, tool)
    return callInner(run, { tool, args: parsed.value, key, journal })
  }

  /**
   * Checks that the caller of this round may call the tool of a result that an earlier round has recorded: it may have been
   * another token of the same person.
   *
   * @throws {ToolError} for a tool that is gone
   * @throws {ProtocolError} with `missingScopes`
   */
  #checkRecorded(name: string, record: JsonValue): void {
    try {
      const { scopes } = this.#find(name)
      this.#options.run.call.run.task?.addCalledTool({ tool: name, scopes })
    } catch (error) {
      // The recorded result is that there is no such tool.
      const isSame = error instanceof ToolError && isJsonObject(record) && record.isOk === false
      if (!isSame || record.value !== error.message) throw error
    }
  }

  #find(name: string): ToolDefinition {
    const { run, module } = this.#options
    // What the caller does not see is not in the module.
    if (!module.has(name)) throw unknownTool(name)
    try {
      return findInnerTool(run, name)
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.missingScopes) throw error
      throw unknownTool(name)
    }
  }

  #complete(key: string, place: number, isOk: boolean, value: unknown): void {
    const completion = { place, isOk, value: value as JsonValue }
    const at = ++this.#completed
    try {
      this.#round.journal.write(key, 'step', { at, isOk, value: completion.value })
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      throw new ToolError(`${error.message}. Ask the tools for less.`)
    }
    this.#ready.push(completion)
    this.#options.onReady()
  }
}

function readRecord(
  key: string,
  value: JsonValue,
): (Completion & { readonly at: number }) | undefined {
  const place = Number(KEY.exec(key)?.[1])
  if (!(place > 0) || key.includes('.') || !isJsonObject(value)) return undefined
  const { at, isOk, value: own = null } = value
  return { place, at: Number(at), isOk: isOk === true, value: own }
}

const unknownTool = (name: string) =>
  new ToolError(`There is no tool "${name}". Use find("words").`)

/** What a call resolves with in the code: the structured content, else the text, else everything. */
function resolvedValue({ content, structuredContent, isError }: CallToolResult): unknown {
  if (isError !== true && structuredContent !== undefined) return structuredContent
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return isError === true || texts.length === content.length ? texts.join('\n') : { content }
}
