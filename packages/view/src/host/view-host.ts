/**
 * The side of a host, by MCP Apps 2026-01-26: drives one view, answers its requests by functions of its user, and names
 * what the view does wrong. It knows no DOM: messages go through `post` and `receive`.
 */
import type { ContentBlock } from '../content.ts'
import { isObject, type Members } from '../frame.ts'
import type { DisplayMode, HostCapabilities, HostContext } from '../host-context.ts'
import type { ModelContext, Size } from '../view.ts'
import type { Finding, FindingCode } from './finding.ts'
import { type FaultOf, type HostedTool, isForViews, resultFindings } from './hosted-tool.ts'
import { VIEW_NOTIFICATIONS, VIEW_REQUESTS } from './view-messages.ts'

/** What the host does for the view. An error that a function throws refuses the request, with its message. */
export interface HostAnswers {
  callTool?(name: string, args: Members, signal: AbortSignal): Promise<object>
  readResource?(uri: string, signal: AbortSignal): Promise<object>
  openLink?(url: string): void
  sendMessage?(content: readonly ContentBlock[]): void
  updateModelContext?(context: ModelContext): void
  /** @returns the mode that the host shows now */
  requestDisplayMode?(mode: DisplayMode): DisplayMode
}

export interface ViewHostOptions {
  /** Delivers a message to the view. */
  post(message: object): void
  readonly context?: HostContext
  readonly capabilities?: HostCapabilities
  readonly answers?: HostAnswers
  /** The tool that the view is shown for. */
  readonly tool?: HostedTool
  /** The tools that the view may call. Default: any. */
  readonly tools?: readonly HostedTool[]
  readonly faultOf?: FaultOf
  /** Is called once for each different sentence. */
  onFinding?(finding: Finding): void
  onInitialized?(): void
  onSize?(size: Size): void
  onLog?(entry: Members): void
  /** How long the view may take to initialize, in milliseconds. Default 5,000. */
  readonly silenceMs?: number
}

/** What a host may answer. */
export const CAPABILITY_NAMES = [
  'serverTools',
  'serverResources',
  'openLinks',
  'message',
  'updateModelContext',
  'logging',
] as const satisfies readonly (keyof HostCapabilities)[]

export const capabilitiesOf = (names: readonly string[]): HostCapabilities =>
  Object.fromEntries(names.map((name) => [name, {}]))

type Id = string | number
type Stage = 'silent' | 'answered' | 'initialized' | 'closed'

const PROTOCOL_VERSION = '2026-01-26'
const INITIALIZED = 'ui/notifications/initialized'
const HOST_INFO = { name: 'edgeway-host', version: '1.0.0' }
const INVALID_REQUEST = -32600
const METHOD_NOT_FOUND = -32601
const INVALID_PARAMS = -32602
const REFUSED = -32000

class Refusal extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

export class ViewHost {
  readonly #options: ViewHostOptions
  #context: HostContext
  #stage: Stage = 'silent'
  /** The modes that the view has named; undefined where it has named none. */
  #viewModes: readonly unknown[] | undefined
  /** What waits for `initialized`. */
  readonly #waiting: object[] = []
  readonly #asked = new Map<Id, (answer: Members | undefined) => void>()
  readonly #running = new Map<Id, AbortController>()
  readonly #found = new Set<string>()
  readonly #silence: ReturnType<typeof setTimeout>
  #lastId = 0

  constructor(options: ViewHostOptions) {
    this.#options = options
    const { tool, context, silenceMs = 5_000 } = options
    this.#context = { ...(tool && { toolInfo: { tool: { ...tool } } }), ...context }
    this.#silence = setTimeout(() => {
      const next = this.#stage === 'silent' ? 'ui/initialize' : INITIALIZED
      const message = `The view has not sent ${next} within ${silenceMs} ms: call connectView() of edgeway/view, and look for an error at its start`
      this.#find('silent', message)
    }, silenceMs)
  }

  get context(): HostContext {
    return this.#context
  }

  /** Takes a message of the view. */
  receive(data: unknown): void {
    if (this.#stage === 'closed') return
    if (!isObject(data) || data.jsonrpc !== '2.0') {
      const message = `The view posted a message that is no JSON-RPC 2.0: ${shortened(data)}. Send messages through edgeway/view alone`
      this.#find('malformed', message)
      return
    }
    const { id, method, params = {} } = data
    const isId = typeof id === 'string' || typeof id === 'number'
    if (method === undefined) this.#settle(data)
    else if (typeof method !== 'string' || !isObject(params) || !(isId || id === undefined)) {
      const message = `The view posted a malformed request: ${shortened(data)}. A method is a text, params are an object, and an id is a text or a number`
      this.#find('malformed', message)
    } else if (isId) void this.#answer(id, method, params)
    else this.#notified(method, params)
  }

  sendPartialArguments(args: Members): void {
    this.#notify('tool-input-partial', { arguments: args })
  }

  sendArguments(args: Members): void {
    this.#notify('tool-input', { arguments: args })
  }

  sendResult(result: Members): void {
    const { tool, faultOf } = this.#options
    if (tool !== undefined) this.#findAll(resultFindings(tool, result, faultOf))
    this.#notify('tool-result', result)
  }

  sendCancellation(reason?: string): void {
    this.#notify('tool-cancelled', { reason })
  }

  /** Tells the view what has changed of its context. */
  changeContext(changed: HostContext): void {
    this.#context = { ...this.#context, ...changed }
    // The answer to `ui/initialize` has what came before.
    if (this.#stage !== 'silent') this.#notify('host-context-changed', changed)
  }

  /** Lets the view end its work, at most for this time, and closes the host. */
  async teardown(reason?: string, timeoutMs = 1_000): Promise<void> {
    if (this.#stage === 'initialized') {
      const answer = await this.#ask('ui/resource-teardown', { reason }, timeoutMs)
      if (!isObject(answer?.result)) {
        const fault = answer === undefined ? `within ${timeoutMs} ms` : 'without an error'
        const message = `The view has not answered ui/resource-teardown ${fault}: end onTeardown in time, and catch its errors`
        this.#find('teardown', message)
      }
    }
    this.close()
  }

  /** Ends what runs. Messages are ignored from now on. */
  close(): void {
    this.#stage = 'closed'
    clearTimeout(this.#silence)
    for (const controller of this.#running.values()) controller.abort()
  }

  #find(code: FindingCode, message: string): void {
    this.#findAll([{ code, message }])
  }

  #findAll(findings: readonly Finding[]): void {
    for (const finding of findings) {
      if (this.#stage === 'closed' || this.#found.has(finding.message)) continue
      this.#found.add(finding.message)
      this.#options.onFinding?.(finding)
    }
  }

  /** A finding that the view receives too. */
  #refuse(code: FindingCode, message: string, rpcCode: number): Refusal {
    this.#find(code, message)
    return new Refusal(rpcCode, message)
  }

  #post(message: object): void {
    if (this.#stage !== 'closed') this.#options.post({ jsonrpc: '2.0', ...message })
  }

  #notify(name: string, params: object): void {
    const message = { method: `ui/notifications/${name}`, params }
    if (this.#stage === 'initialized') this.#post(message)
    else this.#waiting.push(message)
  }

  /** @returns the answer; undefined where it does not come in time */
  async #ask(method: string, params: object, timeoutMs: number): Promise<Members | undefined> {
    const id = ++this.#lastId
    const answer = new Promise<Members | undefined>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#asked.set(id, (message) => {
        clearTimeout(timer)
        resolve(message)
      })
    })
    this.#post({ id, method, params })
    return answer.finally(() => this.#asked.delete(id))
  }

  #settle(answer: Members): void {
    const message = `The view posted an answer to no request: ${shortened(answer)}. A request has a method`
    const settle = this.#asked.get(answer.id as Id)
    if (settle === undefined) this.#find('malformed', message)
    else settle(answer)
  }

  #notified(method: string, params: Members): void {
    const fault = this.#notificationFault(method, params)
    const { onSize, onLog } = this.#options
    if (fault !== undefined) this.#findAll([fault])
    else if (method === 'ui/notifications/size-changed') onSize?.(params as Size)
    else if (method === 'notifications/message') onLog?.(params)
    else if (method === 'notifications/cancelled')
      this.#running.get(params.requestId as Id)?.abort()
    else this.#initialized()
  }

  #notificationFault(method: string, params: Members): Finding | undefined {
    const form = VIEW_NOTIFICATIONS.get(method)
    if (form === undefined) {
      const message = `The view sent ${method}, which hosts of ${PROTOCOL_VERSION} ignore`
      return { code: 'unknown-method', message }
    }
    if (!form.test(params))
      return { code: 'malformed', message: malformedText(method, form.expected) }
    if (this.#stage === 'silent') return { code: 'order', message: orderText(method) }
    if (this.#stage === 'initialized' && method === INITIALIZED) {
      return { code: 'order', message: `The view sent ${method} twice: send it once` }
    }
    const message = this.#missing(method, form.capability)
    return message === undefined ? undefined : { code: 'missing-capability', message }
  }

  #initialized(): void {
    this.#stage = 'initialized'
    clearTimeout(this.#silence)
    for (const message of this.#waiting.splice(0)) this.#post(message)
    this.#options.onInitialized?.()
  }

  async #answer(id: Id, method: string, params: Members): Promise<void> {
    const controller = new AbortController()
    this.#running.set(id, controller)
    try {
      const result = await this.#resultOf(method, params, controller.signal)
      // A request that the view has cancelled has no answer.
      if (!controller.signal.aborted) this.#post({ id, result })
    } catch (error) {
      const { code, message } = error as Partial<Refusal>
      const rpcCode = typeof code === 'number' ? code : REFUSED
      if (!controller.signal.aborted) this.#post({ id, error: { code: rpcCode, message } })
    } finally {
      this.#running.delete(id)
    }
  }

  /** @throws {Refusal} */
  async #resultOf(method: string, params: Members, signal: AbortSignal): Promise<object> {
    const form = VIEW_REQUESTS.get(method)
    if (form === undefined) {
      const message = `The view called ${method}, which hosts of ${PROTOCOL_VERSION} do not have`
      throw this.#refuse('unknown-method', message, METHOD_NOT_FOUND)
    }
    if (!form.test(params)) {
      throw this.#refuse('malformed', malformedText(method, form.expected), INVALID_PARAMS)
    }
    if (method === 'ping') return {}
    if (method === 'ui/initialize') return this.#initialize(params)
    if (this.#stage === 'silent') throw this.#refuse('order', orderText(method), INVALID_REQUEST)
    if (this.#stage === 'answered') {
      const message = `The view called ${method} before ${INITIALIZED}: await the answer to ui/initialize and send it first`
      this.#find('order', message)
    }
    const fault = this.#missing(method, form.capability)
    if (fault !== undefined) throw this.#refuse('missing-capability', fault, METHOD_NOT_FOUND)
    return this.#perform(method, params, signal)
  }

  #missing(method: string, capability: keyof HostCapabilities | undefined): string | undefined {
    if (capability === undefined || this.#options.capabilities?.[capability]) return undefined
    return `The view called ${method}, and this host has no ${capability}: decide by view.state.capabilities, and hide what is missing`
  }

  #initialize({ protocolVersion, appCapabilities }: Members): object {
    if (this.#stage !== 'silent') {
      this.#find('order', 'The view sent ui/initialize twice: connect it once')
    } else this.#stage = 'answered'
    if (protocolVersion !== PROTOCOL_VERSION) {
      const message = `The view asked for revision ${shortened(protocolVersion)}, and the host answers in ${PROTOCOL_VERSION}`
      this.#find('malformed', message)
    }
    const { availableDisplayModes } = appCapabilities as Members
    if (Array.isArray(availableDisplayModes)) this.#viewModes = availableDisplayModes
    return {
      protocolVersion: PROTOCOL_VERSION,
      hostInfo: HOST_INFO,
      hostCapabilities: this.#options.capabilities ?? {},
      hostContext: this.#context,
    }
  }

  async #perform(method: string, params: Members, signal: AbortSignal): Promise<object> {
    const { answers = {} } = this.#options
    switch (method) {
      case 'tools/call':
        return this.#callTool(params.name as string, (params.arguments ?? {}) as Members, signal)
      case 'resources/read':
        return (await answers.readResource?.(params.uri as string, signal)) ?? { contents: [] }
      case 'ui/request-display-mode':
        return { mode: this.#changeMode(params.mode as DisplayMode) }
      case 'ui/open-link':
        answers.openLink?.(params.url as string)
        return {}
      case 'ui/message':
        answers.sendMessage?.([params.content].flat() as ContentBlock[])
        return {}
      default:
        answers.updateModelContext?.(params)
        return {}
    }
  }

  async #callTool(name: string, args: Members, signal: AbortSignal): Promise<object> {
    const { tools, answers, faultOf } = this.#options
    const tool = tools?.find((each) => each.name === name)
    if (tools !== undefined && tool === undefined) {
      const message = `The view called ${name}, and the server lists no such tool: correct the name, or let the caller see the tool`
      throw this.#refuse('unknown-tool', message, INVALID_PARAMS)
    }
    if (tool !== undefined && !isForViews(tool)) {
      const message = `The view called ${name}, which is hidden from views: add "app" to visibility of its view()`
      throw this.#refuse('hidden-tool', message, INVALID_PARAMS)
    }
    const result = (await answers?.callTool?.(name, args, signal)) ?? { content: [] }
    if (isObject(tool?.outputSchema)) {
      this.#findAll(resultFindings(tool, result as Members, faultOf))
    }
    return result
  }

  #changeMode(mode: DisplayMode): DisplayMode {
    const { availableDisplayModes = [], displayMode = 'inline' } = this.#context
    if (this.#viewModes !== undefined && !this.#viewModes.includes(mode)) {
      const message = `The view requested the display mode ${mode}, which it has not declared: name it in displayModes of connectView()`
      this.#find('display-mode', message)
      return displayMode
    }
    if (!availableDisplayModes.includes(mode)) {
      const message = `The view requested the display mode ${mode}, and this host has ${availableDisplayModes.join(', ') || 'no other than its own'}: read availableDisplayModes of view.state.host first`
      this.#find('display-mode', message)
      return displayMode
    }
    const chosen = this.#options.answers?.requestDisplayMode?.(mode) ?? mode
    if (chosen !== displayMode) this.changeContext({ displayMode: chosen })
    return chosen
  }
}

const malformedText = (method: string, expected: string) =>
  `The view sent ${method} with malformed params: they have ${expected}`

const orderText = (method: string) =>
  `The view sent ${method} before ui/initialize: await the connection first, as connectView() does`

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`
}
