/**
 * Which revision sends which member of the neutral model, and as what.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema
 * @see https://modelcontextprotocol.io/specification/2026-07-28/schema
 */
import { RESOURCE_URI_META, UI_META } from '../apps.ts'
import type { ServerCapabilities } from '../capabilities.ts'
import type {
  Annotations,
  BlobResourceContents,
  ContentBlock,
  ContentBlockFields,
  Icon,
  Implementation,
  JsonSchema,
  ListedFields,
  PromptMessage,
  Resource,
  ResourceContents,
  TextResourceContents,
} from '../content.ts'
import { isJsonObject } from '../json.ts'
import type {
  CompleteResult,
  ListItems,
  ListMethod,
  PromptArgument,
  ReturnedContents,
  ReturnedPrompt,
  ReturnedToolResult,
  Tool,
  ToolAnnotations,
} from '../primitives.ts'
import type { WireFeatures } from '../revisions.ts'
import type { Progress } from './codec.ts'
import { each, members, narrow, type Rules } from './narrow.ts'

/** MCP Apps is an extension of every revision; the earliest have no other `_meta` of definitions. */
function narrowMeta(meta: object, features: WireFeatures): object | undefined {
  if (features.structuredOutput || !isJsonObject(meta)) return meta
  const ofViews = Object.entries(meta).filter(
    ([key]) => key === UI_META || key === RESOURCE_URI_META,
  )
  return ofViews.length === 0 ? undefined : Object.fromEntries(ofViews)
}

const ICON = { src: 'all', mimeType: 'all', sizes: 'all', theme: 'all' } satisfies Rules<Icon>

const narrowIcons = each(members<Icon>(ICON))

const LISTED = {
  title: 'structuredOutput',
  description: 'all',
  icons: (icons, features) => (features.icons ? narrowIcons(icons, features) : undefined),
  _meta: narrowMeta,
} satisfies Rules<ListedFields>

const ANNOTATIONS = {
  audience: 'all',
  priority: 'all',
  lastModified: 'structuredOutput',
} satisfies Rules<Annotations>

const TOOL_ANNOTATIONS = {
  title: 'all',
  readOnlyHint: 'all',
  destructiveHint: 'all',
  idempotentHint: 'all',
  openWorldHint: 'all',
} satisfies Rules<ToolAnnotations>

const TOOL = {
  ...LISTED,
  name: 'all',
  inputSchema: narrowSchema,
  outputSchema: (schema, features) => {
    if (features.anySchema) return schema
    // Clients reject a list with any other.
    const isSent = features.structuredOutput && schema.type === 'object'
    return isSent ? narrowSchema(schema, features) : undefined
  },
  annotations: (annotations, features) =>
    features.audioAndAnnotations ? narrow(annotations, TOOL_ANNOTATIONS, features) : undefined,
  execution: 'tasks',
} satisfies Rules<Tool>

/** Replaces the property schemas `true` and `false` by objects. */
function narrowSchema(schema: JsonSchema, features: WireFeatures): JsonSchema {
  const { properties } = schema
  if (features.anySchema || !isJsonObject(properties)) return schema
  const entries = Object.entries(properties)
  if (!entries.some(([, property]) => typeof property === 'boolean')) return schema
  const narrowed = entries.map(([name, property]) => [
    name,
    property === true ? {} : property === false ? { not: {} } : property,
  ])
  return { ...schema, properties: Object.fromEntries(narrowed) }
}

const ARGUMENT = {
  name: 'all',
  title: 'structuredOutput',
  description: 'all',
  required: 'all',
} satisfies Rules<PromptArgument>

const RESOURCE = {
  ...LISTED,
  uri: 'all',
  name: 'all',
  mimeType: 'all',
  annotations: members<Annotations>(ANNOTATIONS),
  size: 'all',
} satisfies Rules<Resource>

const { uri: _, size: __, ...TEMPLATE } = RESOURCE

const ITEMS: { readonly [Method in ListMethod]: Rules<ListItems[Method]> } = {
  'tools/list': TOOL,
  'prompts/list': { ...LISTED, name: 'all', arguments: each(members<PromptArgument>(ARGUMENT)) },
  'resources/list': RESOURCE,
  'resources/templates/list': { ...TEMPLATE, uriTemplate: 'all' },
}

export function narrowItem<M extends ListMethod>(
  method: M,
  item: ListItems[M],
  features: WireFeatures,
): object {
  return narrow(item, ITEMS[method] as Rules<ListItems[M]>, features)
}

const CONTENTS: Rules<TextResourceContents & Record<keyof BlobResourceContents, unknown>> = {
  uri: 'all',
  mimeType: 'all',
  text: 'all',
  blob: 'all',
  _meta: narrowMeta,
}

const narrowContents = (contents: ResourceContents, features: WireFeatures): object =>
  narrow(contents as TextResourceContents & BlobResourceContents, CONTENTS, features)

const ON_BLOCK = {
  annotations: members<Annotations>(ANNOTATIONS),
  _meta: narrowMeta,
} satisfies Rules<ContentBlockFields>

const DATA = { ...ON_BLOCK, type: 'all', data: 'all', mimeType: 'all' } as const

const BLOCKS: { readonly [T in ContentBlock['type']]: Rules<ContentBlock & { type: T }> } = {
  text: { ...ON_BLOCK, type: 'all', text: 'all' },
  image: DATA,
  audio: DATA,
  resource_link: { ...RESOURCE, type: 'all' },
  resource: { ...ON_BLOCK, type: 'all', resource: narrowContents },
}

/** A block that the revision does not have becomes text or an embedded resource. */
function narrowBlock(block: ContentBlock, features: WireFeatures): object {
  if (block.type === 'resource_link' && !features.structuredOutput) {
    const { title, name, uri, description } = block
    const suffix = description === undefined ? '' : ` (${description})`
    return { type: 'text', text: `${title ?? name}: ${uri}${suffix}` }
  }
  if (block.type === 'audio' && !features.audioAndAnnotations) {
    const { mimeType, data } = block
    return { type: 'resource', resource: { uri: 'attachment:audio', mimeType, blob: data } }
  }
  return narrow<object>(block, BLOCKS[block.type] as Rules<object>, features)
}

export const TOOL_RESULT = {
  content: each(narrowBlock),
  // An older revision has only objects. `content` has the value as text in any case.
  structuredContent: (value, features) =>
    features.anySchema || (features.structuredOutput && isJsonObject(value)) ? value : undefined,
  isError: 'all',
  _meta: 'all',
} satisfies Rules<ReturnedToolResult>

export const READ_RESULT = {
  contents: each(narrowContents),
  _meta: 'all',
} satisfies Rules<ReturnedContents>

export const PROMPT_RESULT = {
  description: 'all',
  messages: each(members<PromptMessage>({ role: 'all', content: narrowBlock })),
  _meta: 'all',
} satisfies Rules<ReturnedPrompt>

export const COMPLETE_RESULT = {
  completion: members<CompleteResult['completion']>({
    values: 'all',
    total: 'all',
    hasMore: 'all',
  }),
} satisfies Rules<CompleteResult>

const LIST_CHANGED = { listChanged: 'all' } as const

export const CAPABILITIES = {
  logging: 'all',
  completions: 'audioAndAnnotations',
  tools: members<NonNullable<ServerCapabilities['tools']>>(LIST_CHANGED),
  prompts: members<NonNullable<ServerCapabilities['prompts']>>(LIST_CHANGED),
  resources: members<NonNullable<ServerCapabilities['resources']>>({
    ...LIST_CHANGED,
    subscribe: 'all',
  }),
  tasks: 'tasks',
  events: 'all',
  extensions: 'extensions',
  experimental: 'all',
} satisfies Rules<ServerCapabilities>

export const IMPLEMENTATION = {
  name: 'all',
  version: 'all',
  title: 'structuredOutput',
  description: 'icons',
  icons: LISTED.icons,
  websiteUrl: 'icons',
} satisfies Rules<Implementation>

export const PROGRESS = {
  progress: 'all',
  total: 'all',
  message: 'audioAndAnnotations',
} satisfies Rules<Progress>
