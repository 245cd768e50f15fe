/** One view in its frame: the host that drives it, and what it has done so far. */
import { firstFault } from '../../../testing/src/first-fault.ts'
import type { Finding } from '../../../view/src/host/finding.ts'
import type { FrameReport, FrameView } from '../../../view/src/host/frame-document.ts'
import { frameFinding } from '../../../view/src/host/frame-finding.ts'
import type { HostedTool } from '../../../view/src/host/hosted-tool.ts'
import { playCall } from '../../../view/src/host/play-call.ts'
import type { ViewDocument } from '../../../view/src/host/view-document.ts'
import { type HostAnswers, ViewHost } from '../../../view/src/host/view-host.ts'
import { allowAttribute } from '../../../view/src/host/view-policy.ts'
import { policyFault } from '../../src/inspector/view-origins.ts'
import { type Params, sendRequest } from '../client/endpoint.ts'
import { sizeOf } from '../elements/figures.ts'
import { isWebUrl } from '../elements/link.tsx'
import { Store } from '../store.ts'
import type { Ask } from '../try/ask.ts'
import type { Catalog } from '../try/catalog.ts'
import { callTool } from '../try/run.ts'
import {
  capabilitiesIn,
  changeSettings,
  contextOf,
  presetOf,
  type ViewSettings,
} from './view-settings.ts'

/** A call whose result a view shows. The result is undefined where the call ends without one. */
export interface ViewCall {
  readonly arguments: Params
  readonly result: Promise<Params | undefined>
}

/** What the model reads of the result and of the view, and what the view has sent to the host. */
export interface Said {
  readonly kind: 'result' | 'message' | 'context' | 'link' | 'log'
  readonly value: unknown
}

export interface ShownState {
  readonly findings: readonly Finding[]
  readonly said: readonly Said[]
  /** As the view has reported it, in pixels. */
  readonly height: number | undefined
  readonly asks:
    | { readonly list: readonly Ask[]; readonly answer: (responses: Params) => void }
    | undefined
}

export interface ShownOptions {
  readonly document: ViewDocument
  readonly tool: HostedTool
  readonly call: ViewCall
  readonly catalog: Catalog
  readonly settings: ViewSettings
}

/** How long a part of the arguments is shown, in milliseconds. */
const STEP_MS = 300

const MAX_SAID = 100

const NESTED: Finding = {
  code: 'malformed',
  message:
    'A frame in the view posted a message to the host, which takes those of the view alone: let the view pass it on',
}

let lastId = 0

export class ShownView {
  readonly id = ++lastId
  readonly state = new Store<ShownState>({
    findings: [],
    said: [],
    height: undefined,
    asks: undefined,
  })
  readonly src: string
  readonly allow: string
  /** Why there is no frame. */
  readonly problem: string | undefined
  readonly #options: ShownOptions
  readonly #host: ViewHost
  readonly #end = new AbortController()
  #frame: HTMLIFrameElement | undefined

  constructor(options: ShownOptions) {
    const { document, tool, catalog, settings } = options
    this.#options = options
    this.src = `/inspect/view?csp=${encodeURIComponent(JSON.stringify(document.csp))}`
    this.allow = allowAttribute(document.permissions)
    this.problem = problemOf(document, settings)
    this.#host = new ViewHost({
      post: (message) => this.#frame?.contentWindow?.postMessage(message, '*'),
      tool,
      tools: catalog.lists.tools.map(({ definition }) => definition as Params & HostedTool),
      faultOf: firstFault,
      context: contextOf(settings),
      capabilities: capabilitiesIn(settings),
      answers: this.#answers(),
      onFinding: (finding) => this.#found(finding),
      onSize: ({ height }) => this.#update({ height }),
      onLog: (value) => this.#say('log', value),
    })
  }

  /** Fills the frame, which has just been inserted. */
  attach(frame: HTMLIFrameElement): () => void {
    this.#frame = frame
    const { document, call, settings } = this.#options
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => this.#found(frameFinding(data as FrameReport, location.origin))
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source === frame.contentWindow) this.#host.receive(data)
      else if ((source as Window).parent === frame.contentWindow) this.#found(NESTED)
    }
    const fill = () => {
      const view: FrameView = { html: document.html, reducedMotion: settings.reducedMotion }
      frame.contentWindow?.postMessage(view, '*', [port2])
    }
    addEventListener('message', onMessage)
    frame.addEventListener('load', fill, { once: true })
    const { order, isWritten } = settings
    const options = { order, isWritten, stepMs: STEP_MS, signal: this.#end.signal }
    void playCall(this.#host, call, options)
    void call.result.then((result) => {
      if (result === undefined) this.#host.sendCancellation('The call ended without a result')
      else this.#say('result', result.content ?? [])
    })
    return () => {
      removeEventListener('message', onMessage)
      port1.close()
      void this.end()
    }
  }

  changeSettings(settings: ViewSettings): void {
    this.#host.changeContext(changedMembers(this.#host.context, contextOf(settings)))
  }

  /** Resolves when the frame can be removed. */
  end(): Promise<void> {
    this.#end.abort()
    return this.#host.teardown('The inspector shows another view', 500)
  }

  #answers(): HostAnswers {
    const { endpoint } = this.#options.catalog
    return {
      callTool: async (name, args, signal) => {
        const run = { endpoint, method: 'tools/call', params: { name, arguments: args } }
        try {
          return await callTool(run, signal, (list) => this.#ask(list))
        } finally {
          this.#update({ asks: undefined })
        }
      },
      readResource: (uri, signal) => sendRequest(endpoint, 'resources/read', { uri }, { signal }),
      openLink: (url) => {
        this.#say('link', url)
        if (isWebUrl(url)) open(url, '_blank', 'noopener,noreferrer')
      },
      sendMessage: (content) => this.#say('message', content),
      updateModelContext: (context) => this.#say('context', context),
      requestDisplayMode: (mode) => {
        changeSettings({ mode })
        return mode
      },
    }
  }

  #ask(list: readonly Ask[]): Promise<Params> {
    return new Promise((answer) => this.#update({ asks: { list, answer } }))
  }

  #update(changed: Partial<ShownState>): void {
    this.state.set({ ...this.state.value, ...changed })
  }

  #found(finding: Finding): void {
    const { findings } = this.state.value
    if (findings.some(({ message }) => message === finding.message)) return
    this.#update({ findings: [...findings, finding] })
  }

  #say(kind: Said['kind'], value: unknown): void {
    // Each context replaces the one before.
    const before = this.state.value.said.filter((said) => kind !== 'context' || said.kind !== kind)
    this.#update({ said: [...before, { kind, value }].slice(-MAX_SAID) })
  }
}

function problemOf({ html, csp }: ViewDocument, settings: ViewSettings): string | undefined {
  const { title, maxBytes, showsViews } = presetOf(settings)
  if (!showsViews)
    return `${title} reads views and shows none: the text of the result is what a person sees.`
  const bytes = new TextEncoder().encode(html).byteLength
  if (bytes > maxBytes) {
    return `The view has ${sizeOf(bytes)}, and ${title} shows at most ${sizeOf(maxBytes)}: load less, or pass data by the result.`
  }
  const fault = policyFault(csp)
  return fault && `${fault}.`
}

/** The members that differ, for the notification of a change. */
function changedMembers<T extends object>(before: T, after: T): Partial<T> {
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(before[name as keyof T])
  return Object.fromEntries(Object.entries(after).filter(isChanged)) as Partial<T>
}
