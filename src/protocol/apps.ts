/**
 * MCP Apps: tools with a user interface, which a host shows in a sandboxed frame.
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
import { type ClientCapabilities, hasCapability } from './capabilities.ts'
import { isJsonObject } from './json.ts'
import type { Tool } from './primitives.ts'

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
 * Maximum size of the HTML of a view, in bytes: the most that any host is known to accept. The
 * specification has no limit. It is the default of LibreChat (`operationLimits.maxBytes`), and the largest
 * value that Qwen Code proposes for its setting (`appResourceMaxBytes`), whose default is 1 MiB.
 *
 * @see https://www.librechat.ai/docs/configuration/librechat_yaml/object_structure/mcp_app_sandbox
 * @see https://github.com/QwenLM/qwen-code/pull/12258
 */
export const MAX_VIEW_BYTES = 4 * 1024 * 1024

/** Where a view may connect to, and from where it may load, as the names of `_meta.ui.csp`. */
export type ViewOrigins = 'connectDomains' | 'resourceDomains' | 'frameDomains' | 'baseUriDomains'

const PAGE_SCHEMES = ['https:', 'http:']
const ORIGIN_SCHEMES: Readonly<Record<ViewOrigins, readonly string[]>> = {
  connectDomains: [...PAGE_SCHEMES, 'wss:', 'ws:'],
  resourceDomains: PAGE_SCHEMES,
  frameDomains: PAGE_SCHEMES,
  baseUriDomains: PAGE_SCHEMES,
}

export const VIEW_ORIGINS: readonly string[] = Object.keys(ORIGIN_SCHEMES)

/** Origins to which ChatGPT opens links without a question. No member of the standard policy. */
export const REDIRECT_DOMAINS = 'redirectDomains'

/**
 * The host of a source in a policy. `URL` also accepts hosts with `;`, `,` and quotes, which would begin
 * another directive or another policy. Browsers ignore a source with `_` or an IPv6 address.
 *
 * @see https://www.w3.org/TR/CSP3/#grammardef-host-part
 */
const POLICY_HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?$/

/**
 * Whether the value is an entry of a list of the policy. Hosts write the entries into a header, so nothing
 * but an origin may pass.
 */
export function isViewOrigin(list: string, value: unknown): boolean {
  if (typeof value !== 'string' || !VIEW_ORIGINS.includes(list)) return false
  // A wildcard stands for a label in front of a domain, not of a top-level domain.
  const origin = value.replace(/^([a-z]+:\/\/)\*\.(?=[^.]+\.[^.])/, '$1any.')
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  const schemes = ORIGIN_SCHEMES[list as ViewOrigins]
  return url.origin === origin && schemes.includes(url.protocol) && POLICY_HOST.test(url.hostname)
}

/** What a view may ask the browser for, as the names of `_meta.ui.permissions`. */
export type ViewPermission = 'camera' | 'microphone' | 'geolocation' | 'clipboardWrite'

/** Who may call a tool: the model, or a view of the same server. */
export type ToolAudience = 'model' | 'app'

/** Whether the model may call a tool: unless its visibility says otherwise. */
export function isForModel({ _meta }: Tool): boolean {
  const ui = _meta?.[UI_META]
  const visibility = isJsonObject(ui) ? ui.visibility : undefined
  return !Array.isArray(visibility) || visibility.includes('model')
}

/** Whether a client declares that it shows views. */
export function showsViews(capabilities: ClientCapabilities): boolean {
  if (!hasCapability(capabilities, ['extensions', APPS_EXTENSION])) return false
  const { extensions } = capabilities
  const settings = isJsonObject(extensions) ? extensions[APPS_EXTENSION] : undefined
  const mimeTypes = isJsonObject(settings) ? settings.mimeTypes : undefined
  return Array.isArray(mimeTypes) && mimeTypes.includes(VIEW_TYPE)
}
