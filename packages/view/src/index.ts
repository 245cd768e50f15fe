/** `edgeway/view`: the side of a view of MCP Apps 2026-01-26, in the frame that a host shows. */

export { type ConnectOptions, connectView } from './connect-view.ts'
export { type ContentBlock, type ToolResult, textOf } from './content.ts'
export type { DisplayMode, HostCapabilities, HostContext } from './host-context.ts'
export type { AnyTools, NameOf, ToolMap } from './tool-map.ts'
export type { Partially, ToolState } from './tool-state.ts'
export type { CallOptions, ModelContext, Size, View, ViewState } from './view.ts'
export { ViewError, type ViewErrorReason } from './view-error.ts'
