/**
 * MCP Apps: tools with a user interface, which a host shows in a sandboxed frame.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
import { type ClientCapabilities, hasCapability } from './capabilities.ts'
import { isJsonObject } from './json.ts'

export const APPS_EXTENSION = 'io.modelcontextprotocol/ui'

/** The `mimeType` of every view. */
export const VIEW_TYPE = 'text/html;profile=mcp-app'

/** What every address of a view begins with. */
export const VIEW_SCHEME = 'ui://'

/** The member of `_meta` that belongs to the extension, of a tool and of a resource. */
export const UI_META = 'ui'

/** Its deprecated form of a tool, which earlier hosts read. */
export const RESOURCE_URI_META = 'ui/resourceUri'

/**
 * Maximum size of the HTML of a view, in bytes. The specification has no limit; this is the value in the
 * documentation of one host (the setting `operationLimits.maxBytes` of LibreChat).
 *
 * @see https://www.librechat.ai/docs/configuration/librechat_yaml/object_structure/mcp_app_sandbox
 */
export const MAX_VIEW_BYTES = 4 * 1024 * 1024

/** Where a view may connect to, and from where it may load, as the names of `_meta.ui.csp`. */
export type ViewOrigins = 'connectDomains' | 'resourceDomains' | 'frameDomains' | 'baseUriDomains'

/** What a view may ask the browser for, as the names of `_meta.ui.permissions`. */
export type ViewPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite'

/** Who may call a tool: the model, or a view of the same server. */
export type ToolAudience = 'model' | 'app'

/** Whether a client declares that it shows views. */
export function showsViews(capabilities: ClientCapabilities): boolean {
  if (!hasCapability(capabilities, ['extensions', APPS_EXTENSION])) return false
  const { extensions } = capabilities
  const settings = isJsonObject(extensions) ? extensions[APPS_EXTENSION] : undefined
  const mimeTypes = isJsonObject(settings) ? settings.mimeTypes : undefined
  return Array.isArray(mimeTypes) && mimeTypes.includes(VIEW_TYPE)
}
