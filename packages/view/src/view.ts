/** What `connectView()` returns. */
import type { ContentBlock, ToolResult } from './content.ts'
import type { DisplayMode, HostCapabilities, HostContext } from './host-context.ts'
import type { ArgumentsOf, NameOf, ResultOf, ToolMap } from './tool-map.ts'
import type { ToolState } from './tool-state.ts'
import type { ViewError } from './view-error.ts'

export interface ViewState<Tools extends ToolMap<Tools>, Own extends NameOf<Tools>> {
  /** The call that the view belongs to. */
  readonly tool: ToolState<ArgumentsOf<Tools, Own>, ResultOf<Tools, Own>>
  /** Theme, locale, display mode, safe area and size, as the host has last sent them. */
  readonly host: HostContext
  readonly capabilities: HostCapabilities
  /** Why the view has no host. */
  readonly error?: ViewError
}

export interface CallOptions {
  /** Aborting it cancels the call at the host. */
  readonly signal?: AbortSignal
}

/** In pixels. */
export interface Size {
  readonly width?: number
  readonly height?: number
}

/** What the model reads with the next message. It replaces what the view has sent before. */
export interface ModelContext {
  readonly content?: readonly ContentBlock[]
  readonly structuredContent?: { readonly [name: string]: unknown }
}

/** Without members that are required, the arguments may be left out. */
type CallParameters<Arguments> =
  Record<never, never> extends Arguments
    ? [args?: Arguments, options?: CallOptions]
    : [args: Arguments, options?: CallOptions]

/** The host of a view. Its requests wait for the connection, and reject with a {@link ViewError}. */
export interface View<Tools extends ToolMap<Tools>, Own extends NameOf<Tools>> {
  readonly state: ViewState<Tools, Own>
  /**
   * Calls the listener with the state, now and after each change.
   *
   * @returns a function that ends it
   */
  watch(listener: (state: ViewState<Tools, Own>) => void): () => void
  /** Calls a tool of the server. A result with `isError` is returned, not thrown. */
  callTool<Name extends NameOf<Tools>>(
    name: Name,
    ...parameters: CallParameters<ArgumentsOf<Tools, Name>>
  ): Promise<ToolResult<ResultOf<Tools, Name>>>
  /** @returns the mode that the host has chosen: the present one where it does not have the other */
  requestDisplayMode(mode: DisplayMode): Promise<DisplayMode>
  openLink(url: string | URL): Promise<void>
  /** Sends a message of the person to the conversation. */
  sendMessage(message: string | readonly ContentBlock[]): Promise<void>
  updateModelContext(context: ModelContext): Promise<void>
  /** Reports a size; needed only with `autoResize: false`. */
  sendSize(size: Size): void
}
