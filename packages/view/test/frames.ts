/** A view and its host in Node: the official bridge of hosts, and windows whose messages have their source. */
import { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
import { vi } from 'vitest'
import {
  type AnyTools,
  type ConnectOptions,
  connectView,
  type NameOf,
  type ToolMap,
  type View,
} from '../src/index.ts'

export type Message = Readonly<Record<string, unknown>>
type Transport = Parameters<AppBridge['connect']>[0]

export interface Frames {
  /** What the view has sent. */
  readonly sent: readonly Message[]
  /** Changes the size of the document. */
  resize(height: number): void
  readonly style: { [name: string]: unknown }
  /** Delivers a message to the view. */
  deliver(data: unknown, source?: object): void
  /** The end of the host. */
  readonly transport: Transport
  /** Connects a view in its frame. */
  connect<Tools extends ToolMap<Tools> = AnyTools, Own extends NameOf<Tools> = NameOf<Tools>>(
    options?: Partial<ConnectOptions>,
  ): View<Tools, Own>
}

/** Installs a window until `vi.unstubAllGlobals()`. */
export function openFrames(): Frames {
  const sent: Message[] = []
  let listener: (event: object) => void = () => {}
  let changed = () => {}
  let height = 10
  const transport: Transport = {
    start: async () => {},
    close: async () => {},
    send: async (message) => deliver(message),
  }
  const parent = {
    postMessage(message: Message) {
      const data = structuredClone(message)
      sent.push(data)
      queueMicrotask(() => transport.onmessage?.(data as never))
    },
  }
  const deliver = (data: unknown, source: object = parent) =>
    listener({ source, data: structuredClone(data) })
  const style: Frames['style'] = {
    setProperty(name: string, value: string) {
      this[name] = value
    },
  }
  const root = {
    style,
    setAttribute: (name: string, value: string) => {
      style[name] = value
    },
    getBoundingClientRect: () => ({ height }),
  }
  const window = {
    parent,
    innerWidth: 400,
    document: { documentElement: root, body: {} },
    ResizeObserver: class {
      constructor(callback: () => void) {
        changed = callback
      }
      observe() {
        changed()
      }
    },
    requestAnimationFrame: (callback: () => void) => queueMicrotask(callback),
    addEventListener: (_: string, added: typeof listener) => {
      listener = added
    },
  }
  vi.stubGlobal('window', window)
  return {
    sent,
    style,
    deliver,
    transport,
    resize(to) {
      height = to
      changed()
    },
    connect: (options) => connectView({ name: 'note', ...options }),
  }
}

export const CAPABILITIES = { serverTools: {}, openLinks: {}, message: {}, updateModelContext: {} }

/** A view that the official host has initialized. */
export async function openView<
  Tools extends ToolMap<Tools> = AnyTools,
  Own extends NameOf<Tools> = NameOf<Tools>,
>(hostContext: Readonly<Record<string, unknown>> = {}, options?: Partial<ConnectOptions>) {
  const frames = openFrames()
  const info = { name: 'host', version: '1.0.0' }
  const bridge = new AppBridge(null, info, CAPABILITIES, { hostContext })
  const initialized = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve()
  })
  await bridge.connect(frames.transport)
  const view = frames.connect<Tools, Own>(options)
  await initialized
  return { frames, bridge, view }
}
