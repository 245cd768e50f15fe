/** `openView()`: gives a view its host in a test with a DOM. Arguments and result go in, calls come out. */

import type { ContentBlock } from '../../view/src/content.ts'
import type { HostedTool } from '../../view/src/host/hosted-tool.ts'
import {
  CAPABILITY_NAMES,
  capabilitiesOf,
  type HostAnswers,
  ViewHost,
} from '../../view/src/host/view-host.ts'
import type { HostCapabilities, HostContext } from '../../view/src/host-context.ts'
import type { ModelContext } from '../../view/src/view.ts'
import { firstFault } from './first-fault.ts'
import { openFrame, type PlayedFrame } from './played-frame.ts'
import type { JsonMembers, TestClient } from './test-client.ts'

export interface ViewOptions {
  /** The tool that the view is shown for. */
  readonly tool?: string
  /** Default: none. */
  readonly arguments?: object
  /** Default: what the tool of `client` returns. Without both, the tool is running. */
  readonly result?: object
  /** Serves the calls of the view, and says which tools it may call. */
  readonly client?: TestClient
  /** Answers a call of the view in place of the client. An error that it throws refuses the call. */
  readonly onCall?: (name: string, args: JsonMembers) => object | Promise<object>
  /** Default: the light theme, inline. */
  readonly context?: HostContext
  /** Default: all. */
  readonly capabilities?: HostCapabilities
}

/** How long a view may take to connect, in milliseconds. */
const CONNECT_MS = 2_000

const CONTEXT: HostContext = {
  theme: 'light',
  locale: 'en',
  displayMode: 'inline',
  availableDisplayModes: ['inline', 'fullscreen', 'pip'],
}

let present: TestView | undefined

/**
 * Shows a view: `load` runs its script, such as `() => import('./views/note.tsx')`. A former view is closed.
 *
 * @throws {TypeError} without a DOM
 * @throws {Error} when the view does not connect within two seconds
 */
export async function openView(load: () => unknown, options: ViewOptions = {}): Promise<TestView> {
  await present?.close()
  const tools = await options.client?.listTools()
  const view = new TestView(options, tools as readonly HostedTool[] | undefined)
  present = view
  await view.start(load)
  return view
}

export class TestView {
  /** The calls of the view, in their order. */
  readonly calls: { readonly name: string; readonly arguments: JsonMembers }[] = []
  /** The messages that the view has written into the conversation. */
  readonly messages: (readonly ContentBlock[])[] = []
  /** What the view has set for the model to read. The last one counts. */
  readonly contexts: ModelContext[] = []
  /** The pages that the view has opened. */
  readonly links: string[] = []
  /** What hosts do not accept of the view, as sentences. */
  readonly findings: string[] = []
  readonly #options: ViewOptions
  readonly #frame: PlayedFrame
  readonly #host: ViewHost
  readonly #connected = Promise.withResolvers<void>()

  /** @internal */
  constructor(options: ViewOptions, tools: readonly HostedTool[] | undefined) {
    const { tool: name, context, capabilities = capabilitiesOf(CAPABILITY_NAMES) } = options
    this.#options = options
    this.#frame = openFrame((message) => this.#host.receive(message))
    this.#host = new ViewHost({
      post: (message) => this.#frame.post(message),
      tool: tools?.find((each) => each.name === name),
      tools,
      faultOf: firstFault,
      context: { ...CONTEXT, ...(name && { toolInfo: { tool: { name } } }), ...context },
      capabilities,
      answers: this.#answers(),
      silenceMs: CONNECT_MS,
      onInitialized: () => this.#connected.resolve(),
      onFinding: ({ code, message }) => {
        this.findings.push(message)
        if (code === 'silent') this.#connected.reject(new Error(message))
      },
    })
  }

  /** @internal */
  async start(load: () => unknown): Promise<void> {
    const { client, tool, arguments: args = {}, result } = this.#options
    await load()
    await this.#connected.promise
    this.sendArguments(args)
    const shown = result ?? (tool === undefined ? undefined : await client?.callTool(tool, args))
    if (shown !== undefined) this.sendResult(shown)
  }

  /** Arguments that the model has not written to their end. */
  sendPartialArguments(args: object): void {
    this.#host.sendPartialArguments(args as JsonMembers)
  }

  sendArguments(args: object): void {
    this.#host.sendArguments(args as JsonMembers)
  }

  sendResult(result: object): void {
    this.#host.sendResult(result as JsonMembers)
  }

  sendCancellation(reason?: string): void {
    this.#host.sendCancellation(reason)
  }

  /** Changes the theme, the locale or another member of the host context. */
  changeContext(changed: HostContext): void {
    this.#host.changeContext(changed)
  }

  /** Lets the view end its work, as before its removal. */
  async close(): Promise<void> {
    if (present === this) present = undefined
    await this.#host.teardown()
    this.#frame.close()
  }

  #answers(): HostAnswers {
    const { client, onCall } = this.#options
    return {
      callTool: async (name, args, signal) => {
        this.calls.push({ name, arguments: args })
        if (onCall !== undefined) return onCall(name, args)
        if (client !== undefined) return client.callTool(name, args, { signal })
        throw new Error(`No answer to the call of ${name}: give openView() a client or onCall`)
      },
      readResource: async (uri, signal) => {
        if (client !== undefined) return client.readResource(uri, { signal })
        throw new Error(`No answer to the read of ${uri}: give openView() a client`)
      },
      openLink: (url) => void this.links.push(url),
      sendMessage: (content) => void this.messages.push(content),
      updateModelContext: (context) => void this.contexts.push(context),
    }
  }
}
