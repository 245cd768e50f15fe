/** The client of a test: one method for each thing that an MCP client does. */

import type { ClientResultLimit } from '../../../src/clients/limits.ts'
import type { Resource } from '../../../src/protocol/content.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { LogLevel } from '../../../src/protocol/log-level.ts'
import {
  type CallToolResult,
  type GetPromptResult,
  LIST_MEMBER,
  type ListItems,
  type ListMethod,
  type Prompt,
  type ReadResourceResult,
  type ResourceTemplateInfo,
  type Tool,
} from '../../../src/protocol/primitives.ts'
import type { TaskStatus } from '../../../src/protocol/tasks.ts'
import type { ReceivedAsk } from './asks.ts'
import type { Channel, ListenFilter, ServerIntroduction } from './channel.ts'
import { TestEvents } from './events.ts'
import { resultOfTask } from './follow-task.ts'
import { paramHeaders } from './header-value.ts'
import { CallTimer, cutContent } from './play-limits.ts'
import { Subscription } from './subscription.ts'
import type { FilesOfCall, Uploads } from './uploads.ts'
import type { WireMessage } from './wire-message.ts'

/** A result with its text: that of all text blocks, joined by line feeds. It is no member of the wire form. */
export type WithText<Result> = Result & { readonly text: string }

export type ToolResult<Structured = unknown> = WithText<
  Omit<CallToolResult, 'structuredContent'> & { structuredContent?: Structured }
>

export interface ReportedProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
  /** Of a call that has become a task: `progress` counts its states, and `message` is their status message. */
  readonly status?: TaskStatus
}

export interface ReceivedLog {
  readonly level: LogLevel
  readonly data: unknown
  readonly logger?: string
}

export interface CallOptions {
  /** Cancels the request, as its era does: the connection closes, or the server is notified. */
  readonly signal?: AbortSignal
  /** Receives the progress of this request, or the states of the task that it becomes. */
  readonly onProgress?: (progress: ReportedProgress) => void
  /** False returns what the server answers first, such as a new task, instead of following it. Default true. */
  readonly follow?: boolean
}

export interface ToolCallOptions extends CallOptions {
  /**
   * The files of the arguments that the tool declares with `file()`. They are passed as the client would: at the page that the
   * tool asks to open, or at that of a ticket, after which the tool is called again.
   */
  readonly files?: FilesOfCall
}

/** What is completed: an argument of a prompt, or a variable of a resource template. */
export type CompletionTarget = { readonly prompt: string } | { readonly template: string }

export interface Completion {
  readonly values: readonly string[]
  readonly total?: number
  readonly hasMore?: boolean
}

/** What the client collects, from all of its requests. */
export interface Records {
  readonly asks: ReceivedAsk[]
  readonly progress: ReportedProgress[]
  readonly logs: ReceivedLog[]
}

export interface TestClientParts {
  readonly records: Records
  readonly uploads: Uploads
  /** Waits for what handlers have passed to `ctx.waitUntil`. */
  readonly settled: () => Promise<void>
  readonly isModern: boolean
  /** Those of the client that is played. */
  readonly limits?: {
    readonly callTimeoutMs: number | undefined
    readonly progressResetsTimeout: boolean
    readonly resultLimit: ClientResultLimit | undefined
  }
  /** Whether it calls each tool that supports tasks as a task, where the server has them. */
  readonly sendsTasks?: boolean
}

/** The parameters or the result of any method. */
export type JsonMembers = Readonly<Record<string, unknown>>

/** Every method rejects with an `McpError` when the server refuses the request. */
export class TestClient {
  /** The name and the version of the server. */
  readonly serverInfo: ServerIntroduction['info']
  readonly serverCapabilities: ServerIntroduction['capabilities']
  readonly instructions: string | undefined
  /** The asks that the client has received. */
  readonly asks: readonly ReceivedAsk[]
  /** The progress that was reported. */
  readonly progress: readonly ReportedProgress[]
  /** The log messages that were received. */
  readonly logs: readonly ReceivedLog[]
  /** The methods of MCP Events. */
  readonly events: TestEvents
  readonly #channel: Channel
  readonly #parts: TestClientParts
  readonly #onProgress = new Map<unknown, (progress: ReportedProgress) => void>()
  #tools: Promise<Tool[]> | undefined
  #lastToken = 0

  /** @internal */
  constructor(channel: Channel, parts: TestClientParts) {
    const { info, capabilities, instructions } = channel.introduction
    this.serverInfo = info
    this.serverCapabilities = capabilities
    this.instructions = instructions
    this.asks = parts.records.asks
    this.progress = parts.records.progress
    this.logs = parts.records.logs
    this.events = new TestEvents(channel)
    this.#channel = channel
    this.#parts = parts
  }

  /** All tools, of all pages. */
  listTools(): Promise<Tool[]> {
    return this.#list('tools/list')
  }

  listPrompts(): Promise<Prompt[]> {
    return this.#list('prompts/list')
  }

  listResources(): Promise<Resource[]> {
    return this.#list('resources/list')
  }

  listResourceTemplates(): Promise<ResourceTemplateInfo[]> {
    return this.#list('resources/templates/list')
  }

  /**
   * Calls a tool and answers its asks. A tool that fails is a result with `isError`, not a rejection.
   *
   * @throws {McpError} `unanswered-ask` when the tool asks and the test has no answer
   * @throws {McpError} with the code -32001 when the client abandons the call after its time
   */
  async callTool<Structured = unknown>(
    name: string,
    args: object = {},
    { files, ...options }: ToolCallOptions = {},
  ): Promise<ToolResult<Structured>> {
    if (files === undefined) return this.#callTool(name, args, options)
    return this.#parts.uploads.callWith(files, (passed) =>
      this.#callTool<Structured>(name, { ...args, ...passed }, options),
    )
  }

  async #callTool<Structured>(
    name: string,
    args: object,
    { signal, onProgress, follow }: CallOptions,
  ): Promise<ToolResult<Structured>> {
    const { callTimeoutMs, progressResetsTimeout } = this.#parts.limits ?? {}
    const isTask = await this.#isCalledAsTask(name)
    const headers = await this.#paramHeaders(name, args)
    const timer = new CallTimer(callTimeoutMs)
    const reported = (progress: ReportedProgress) => {
      if (progressResetsTimeout) timer.restart()
      onProgress?.(progress)
    }
    const states = reportStates(onProgress)
    const onState = (state: JsonMembers) => {
      timer.stop()
      states(state)
    }
    try {
      const params = { name, arguments: args, ...(isTask ? { task: {} } : undefined) }
      const settings = { signal: timer.signalWith(signal), headers, follow, onState }
      const created = await this.#withProgress(reported, params, (sent) =>
        this.#channel.request('tools/call', sent, settings),
      )
      timer.stop()
      const isFollowed = isTask && follow !== false
      const result = isFollowed ? await this.#resultOf(created, onState, signal) : created
      return this.#seen(result) as unknown as ToolResult<Structured>
    } finally {
      timer.stop()
    }
  }

  async readResource(uri: string, options?: CallOptions): Promise<WithText<ReadResourceResult>> {
    const result = await this.request('resources/read', { uri }, options)
    const { contents } = result as unknown as ReadResourceResult
    return withText(result, contents) as unknown as WithText<ReadResourceResult>
  }

  async getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options?: CallOptions,
  ): Promise<WithText<GetPromptResult>> {
    const params = { name, arguments: args }
    const result = await this.request('prompts/get', params, options)
    const { messages } = result as unknown as GetPromptResult
    const blocks = messages.map(({ content }) => content)
    return withText(result, blocks) as unknown as WithText<GetPromptResult>
  }

  /**
   * Completes what a person has begun to type.
   *
   * @param values the arguments or variables that are filled in already
   */
  async complete(
    target: CompletionTarget,
    name: string,
    value: string,
    values?: Readonly<Record<string, string>>,
  ): Promise<Completion> {
    const ref =
      'prompt' in target
        ? { type: 'ref/prompt', name: target.prompt }
        : { type: 'ref/resource', uri: target.template }
    const { completion } = await this.request('completion/complete', {
      ref,
      argument: { name, value },
      ...(values && { context: { arguments: values } }),
    })
    return completion as Completion
  }

  /** Sends any request and returns its result. */
  request(
    method: string,
    params: JsonMembers = {},
    { signal, onProgress, follow }: CallOptions = {},
  ): Promise<JsonMembers> {
    const settings = { signal, follow, onState: reportStates(onProgress) }
    const send = (sent: JsonMembers) => this.#channel.request(method, sent, settings)
    return onProgress === undefined ? send(params) : this.#withProgress(onProgress, params, send)
  }

  /**
   * Listens to changes: `subscriptions/listen`, or the stream of a session. In a session, the changes of
   * all lists arrive.
   */
  async listen(filter: ListenFilter): Promise<Subscription> {
    let end = () => {}
    const subscription = new Subscription(() => end())
    end = await this.#channel.listen(filter, (message) => subscription.push(message))
    return subscription
  }

  /** Waits for the work that handlers have passed to `ctx.waitUntil`. */
  settled(): Promise<void> {
    return this.#parts.settled()
  }

  /** Closes every connection, ends the session, and waits for {@link settled}. */
  async close(): Promise<void> {
    await this.#channel.close()
    await this.settled()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #list<M extends ListMethod>(method: M): Promise<ListItems[M][]> {
    const items: ListItems[M][] = []
    let cursor: unknown
    do {
      const page = await this.request(method, cursor === undefined ? {} : { cursor })
      items.push(...(page[LIST_MEMBER[method]] as ListItems[M][]))
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return items
  }

  /** The headers that the schema of a tool asks for. A client reads it in the list. */
  async #paramHeaders(name: string, args: object): Promise<Record<string, string>> {
    if (!this.#parts.isModern || Object.keys(args).length === 0) return {}
    const tool = await this.#toolNamed(name)
    return tool === undefined ? {} : paramHeaders(tool.inputSchema, args)
  }

  /** Without the list a call is sent as it is, and the server says what is wrong. */
  async #toolNamed(name: string): Promise<Tool | undefined> {
    this.#tools ??= this.listTools().catch(() => [])
    return (await this.#tools).find((listed) => listed.name === name)
  }

  /** @see https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#tool-level-negotiation */
  async #isCalledAsTask(name: string): Promise<boolean> {
    if (this.#parts.sendsTasks !== true || this.serverCapabilities.tasks === undefined) return false
    const support = (await this.#toolNamed(name))?.execution?.taskSupport
    return support === 'optional' || support === 'required'
  }

  /** The result as the client passes it on. */
  #seen(result: JsonMembers): JsonMembers {
    const { content = [] } = result as unknown as Partial<CallToolResult>
    const { resultLimit } = this.#parts.limits ?? {}
    if (resultLimit === undefined) return withText(result, content)
    const cut = cutContent(content, resultLimit)
    return withText({ ...result, content: cut }, cut)
  }

  #resultOf(
    { task }: JsonMembers,
    onState: (state: JsonMembers) => void,
    signal: AbortSignal | undefined,
  ): Promise<JsonMembers> {
    const request = (method: string, params: JsonMembers) =>
      this.#channel.request(method, params, { signal })
    return resultOfTask(task as JsonMembers, request, onState)
  }

  /** Sends a request with a token, by which its progress reaches `onProgress`. */
  async #withProgress<Result>(
    onProgress: (progress: ReportedProgress) => void,
    params: JsonMembers,
    send: (params: JsonMembers) => Promise<Result>,
  ): Promise<Result> {
    this.#lastToken += 1
    const progressToken = this.#lastToken
    this.#onProgress.set(progressToken, onProgress)
    try {
      return await send({ ...params, _meta: { ...(params._meta as object), progressToken } })
    } finally {
      this.#onProgress.delete(progressToken)
    }
  }

  /** @internal */
  receive({ method, params = {} }: WireMessage): void {
    if (method === 'notifications/message') {
      const { level, data, logger } = params
      const log = { level, data, ...(logger !== undefined && { logger }) }
      this.#parts.records.logs.push(log as ReceivedLog)
    } else if (method === 'notifications/progress') {
      const { progressToken, _meta, ...progress } = params
      this.#parts.records.progress.push(progress as unknown as ReportedProgress)
      this.#onProgress.get(progressToken)?.(progress as unknown as ReportedProgress)
    }
  }
}

/** Reports each state of a task whose status or status message is another one than before. */
function reportStates(
  onProgress: CallOptions['onProgress'],
): (state: Readonly<Record<string, unknown>>) => void {
  let progress = 0
  let last: ReportedProgress | undefined
  return ({ status, statusMessage: message }) => {
    if (last !== undefined && last.status === status && last.message === message) return
    progress += 1
    const shown = typeof message === 'string' ? { message } : undefined
    last = { progress, ...shown, status: status as TaskStatus }
    onProgress?.(last)
  }
}

/** The text is not enumerable, so that a comparison sees the wire form alone. */
function withText(result: JsonMembers, parts: readonly object[]): JsonMembers {
  const texts = parts.flatMap((part) => {
    const { text } = part as JsonObject
    return typeof text === 'string' ? [text] : []
  })
  return Object.defineProperty({ ...result }, 'text', { value: texts.join('\n') })
}
