/** `connectView()`: connects a view to the host that shows it. */
import { openChannel } from './channel.ts'
import { type Frame, isObject, warn } from './frame.ts'
import {
  applyStyles,
  checkedContext,
  type DisplayMode,
  type HostCapabilities,
} from './host-context.ts'
import { reportSize } from './report-size.ts'
import { requestsOf } from './requests.ts'
import { createStore } from './store.ts'
import type { AnyTools, NameOf, ToolMap } from './tool-map.ts'
import { TOOL_NOTIFICATIONS } from './tool-state.ts'
import type { View, ViewState } from './view.ts'
import { ViewError } from './view-error.ts'

export interface ConnectOptions {
  /** The name of the view, for the host. */
  readonly name: string
  /** Default `1.0.0`. */
  readonly version?: string
  /** The modes that the view can be shown in. Default `['inline']`. */
  readonly displayModes?: readonly DisplayMode[]
  /** Whether the host learns of each size of the document. Default true. */
  readonly autoResize?: boolean
  /** Whether theme and variables of the host are set on the root element. Default true. */
  readonly hostStyles?: boolean
  /** Runs before the host removes the view, which waits for it. */
  readonly onTeardown?: () => void | Promise<void>
  /** How long the host may take to answer `ui/initialize`, in milliseconds. Default 20,000. */
  readonly timeoutMs?: number
}

const PROTOCOL_VERSION = '2026-01-26'

/**
 * Connects the view to its host. `Tools` has the types of the tools of the server, and `Own` the names of those that
 * the view is shown for.
 */
export function connectView<
  Tools extends ToolMap<Tools> = AnyTools,
  Own extends NameOf<Tools> = NameOf<Tools>,
>(options: ConnectOptions): View<Tools, Own> {
  const { name, version = '1.0.0', displayModes = ['inline'] } = options
  const frame = (globalThis as unknown as { readonly window: Frame }).window
  const store = createStore<ViewState<AnyTools, string>>({
    tool: { status: 'waiting' },
    host: {},
    capabilities: {},
  })
  const takeContext = (context: unknown) => {
    const host = { ...store.state.host, ...checkedContext(context) }
    if (options.hostStyles !== false) applyStyles(frame.document.documentElement, host)
    store.update({ host })
  }
  const channel = openChannel(frame, {
    async onRequest(method) {
      if (method === 'ui/resource-teardown') await options.onTeardown?.()
      else if (method !== 'ping') return undefined
      return {}
    },
    onNotification(method, params) {
      if (method === 'ui/notifications/host-context-changed') takeContext(params)
      const tool = TOOL_NOTIFICATIONS.get(method)?.(store.state.tool, params)
      if (typeof tool === 'string') warn(tool, params)
      else if (tool !== undefined) store.update({ tool })
    },
  })
  const initialize = async () => {
    if ((frame.parent as unknown) === frame) {
      throw new ViewError('no-host', 'The page is in no frame of a host')
    }
    const result = await channel.request('ui/initialize', {
      protocolVersion: PROTOCOL_VERSION,
      appInfo: { name, version },
      appCapabilities: { availableDisplayModes: displayModes },
    })
    const capabilities = isObject(result.hostCapabilities) ? result.hostCapabilities : {}
    takeContext(result.hostContext)
    store.update({ capabilities: capabilities as HostCapabilities, error: undefined })
    channel.notify('ui/notifications/initialized')
    if (options.autoResize !== false) reportSize(frame, sendSize)
  }
  const sendSize = (size: object) => channel.notify('ui/notifications/size-changed', size)
  const connected = connection(initialize, options.timeoutMs ?? 20_000, (error) => {
    console.error(`edgeway/view: ${error.message}`)
    store.update({ error })
  })
  return {
    get state() {
      return store.state
    },
    watch: store.watch,
    sendSize,
    ...requestsOf({ channel, connected, hostContext: () => store.state.host, displayModes }),
  } as unknown as View<Tools, Own>
}

/** @returns the attempt to connect. A late answer of the host connects the view as well. */
function connection(
  initialize: () => Promise<void>,
  timeoutMs: number,
  onError: (error: ViewError) => void,
): () => Promise<void> {
  let attempt = new Promise<void>((resolve, reject) => {
    const silence = `The host did not answer ui/initialize within ${timeoutMs} ms`
    const timer = setTimeout(() => reject(new ViewError('no-answer', silence)), timeoutMs)
    const end = () => {
      clearTimeout(timer)
      attempt = initialized
      resolve(initialized)
    }
    const initialized = initialize()
    initialized.then(end, end)
  })
  attempt.catch(onError)
  return () => attempt
}
