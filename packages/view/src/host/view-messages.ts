/** The messages of views, by MCP Apps 2026-01-26: the capability that each needs, and its form. */
import { isObject, type Members } from '../frame.ts'
import { type HostCapabilities, isDisplayMode } from '../host-context.ts'

interface Form {
  readonly capability?: keyof HostCapabilities
  /** What the params have, for the sentence about malformed ones. */
  readonly expected: string
  readonly test: (params: Members) => boolean
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isBlock = (value: unknown) => isObject(value) && isText(value.type)
const isBlocks = (value: unknown) => Array.isArray(value) && value.every(isBlock)
const isSize = (value: unknown) =>
  value === undefined || (typeof value === 'number' && value >= 0 && Number.isFinite(value))
const isWebAddress = (value: unknown) =>
  isText(value) && /^https?:\/\//i.test(value) && URL.canParse(value)

const ANY: Form = { expected: 'an object', test: () => true }

/** @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx */
export const VIEW_REQUESTS: ReadonlyMap<string, Form> = new Map<string, Form>([
  [
    'ui/initialize',
    {
      expected: 'protocolVersion, appInfo with name and version, and appCapabilities',
      test: ({ protocolVersion, appInfo, appCapabilities }) =>
        isText(protocolVersion) &&
        isObject(appInfo) &&
        isText(appInfo.name) &&
        isText(appInfo.version) &&
        isObject(appCapabilities),
    },
  ],
  ['ping', ANY],
  [
    'tools/call',
    {
      capability: 'serverTools',
      expected: 'name, and arguments that are an object',
      test: ({ name, arguments: args = {} }) => isText(name) && isObject(args),
    },
  ],
  [
    'resources/read',
    { capability: 'serverResources', expected: 'uri', test: ({ uri }) => isText(uri) },
  ],
  [
    'ui/open-link',
    {
      capability: 'openLinks',
      expected: 'url, an address of http or https',
      test: ({ url }) => isWebAddress(url),
    },
  ],
  [
    'ui/message',
    {
      capability: 'message',
      expected: 'role "user", and content with blocks',
      test: ({ role, content }) => role === 'user' && (isBlocks(content) || isBlock(content)),
    },
  ],
  [
    'ui/update-model-context',
    {
      capability: 'updateModelContext',
      expected: 'content, a list of blocks, or structuredContent, an object',
      test: ({ content = [], structuredContent = {} }) =>
        isBlocks(content) && isObject(structuredContent),
    },
  ],
  [
    'ui/request-display-mode',
    {
      expected: 'mode, one of inline, fullscreen and pip',
      test: ({ mode }) => isDisplayMode(mode),
    },
  ],
])

export const VIEW_NOTIFICATIONS: ReadonlyMap<string, Form> = new Map<string, Form>([
  ['ui/notifications/initialized', ANY],
  [
    'ui/notifications/size-changed',
    {
      expected: 'width and height in pixels',
      test: ({ width, height }) => isSize(width) && isSize(height),
    },
  ],
  [
    'notifications/message',
    { capability: 'logging', expected: 'level and data', test: ({ level }) => isText(level) },
  ],
  [
    'notifications/cancelled',
    { expected: 'requestId', test: ({ requestId }) => requestId != null },
  ],
])
