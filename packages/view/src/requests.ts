/** The requests of a view to its host. */
import type { Channel } from './channel.ts'
import { type ContentBlock, parseResult, type ToolResult } from './content.ts'
import { type Members, warn } from './frame.ts'
import { type DisplayMode, type HostContext, isDisplayMode } from './host-context.ts'
import type { CallOptions, ModelContext } from './view.ts'
import { ViewError } from './view-error.ts'

interface Connection {
  readonly channel: Channel
  /** Resolves when the host has answered `ui/initialize`. */
  connected(): Promise<void>
  hostContext(): HostContext
  /** The modes that the view has named to the host. */
  readonly displayModes: readonly DisplayMode[]
}

export function requestsOf({ channel, connected, hostContext, displayModes }: Connection) {
  const request: Channel['request'] = async (...call) => {
    await connected()
    return channel.request(...call)
  }
  /** @throws {ViewError} also for a result with `isError` */
  const ask = async (method: string, params: object) => {
    const { isError } = await request(method, params)
    if (isError) throw new ViewError('refused', `The host refused ${method}`)
  }
  return {
    async callTool(name: string, args: Members = {}, { signal }: CallOptions = {}) {
      const params = { name, arguments: args }
      return resultOf(name, await request('tools/call', params, signal))
    },
    async requestDisplayMode(mode: DisplayMode): Promise<DisplayMode> {
      if (!displayModes.includes(mode)) {
        throw new TypeError(
          `connectView(): displayModes must name "${mode}", which the view requests`,
        )
      }
      await connected()
      const { availableDisplayModes = [], displayMode = 'inline' } = hostContext()
      if (!availableDisplayModes.includes(mode)) {
        warn(`The host does not have the display mode "${mode}"`, availableDisplayModes)
        return displayMode
      }
      const chosen = (await request('ui/request-display-mode', { mode })).mode
      return isDisplayMode(chosen) ? chosen : displayMode
    },
    openLink: (url: string | URL) => ask('ui/open-link', { url: String(url) }),
    sendMessage(message: string | readonly ContentBlock[]) {
      const content = typeof message === 'string' ? [{ type: 'text', text: message }] : message
      return ask('ui/message', { role: 'user', content })
    },
    updateModelContext: (context: ModelContext) => ask('ui/update-model-context', context),
  }
}

function resultOf(name: string, answer: Members): ToolResult {
  const result = parseResult(answer)
  if (result !== undefined) return result
  warn(`The result of ${name} is malformed`, answer)
  throw new ViewError('malformed', `The host sent a malformed result of ${name}`)
}
