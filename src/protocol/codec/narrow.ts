/** Narrows values of the neutral model to the features of a revision. */
import { RESOURCE_URI_META, UI_META } from '../apps.ts'
import type { Annotations, ContentBlock, JsonSchema, ResourceContents } from '../content.ts'
import { isJsonObject } from '../json.ts'
import type { Tool } from '../primitives.ts'
import type { WireFeatures } from '../revisions.ts'

interface DisplayFields {
  readonly title?: unknown
  readonly icons?: unknown
  readonly annotations?: unknown
  readonly _meta?: unknown
}

/** Removes the fields of a definition or content block that the revision does not have. */
export function narrowFields<T extends DisplayFields>(item: T, features: WireFeatures): object {
  if (features.icons) return item
  const { icons: _, title, _meta, annotations, ...rest } = item
  return {
    ...rest,
    ...(features.structuredOutput && title !== undefined ? { title } : undefined),
    ...narrowMeta(_meta, features),
    ...(annotations === undefined
      ? undefined
      : { annotations: narrowAnnotations(annotations as Annotations, features) }),
  }
}

/** MCP Apps is an extension of every revision; the earliest have no other `_meta` of definitions. */
function narrowMeta(_meta: unknown, features: WireFeatures): object | undefined {
  if (features.structuredOutput || !isJsonObject(_meta))
    return _meta === undefined ? undefined : { _meta }
  const ofViews = Object.entries(_meta).filter(
    ([key]) => key === UI_META || key === RESOURCE_URI_META,
  )
  return ofViews.length === 0 ? undefined : { _meta: Object.fromEntries(ofViews) }
}

function narrowAnnotations(annotations: Annotations, features: WireFeatures): object {
  if (features.structuredOutput) return annotations
  const { lastModified: _, ...rest } = annotations
  return rest
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/schema#tool */
export function narrowTool(tool: Tool, features: WireFeatures): object {
  const { outputSchema, annotations, inputSchema, execution, ...rest } = tool
  return {
    ...narrowFields(rest, features),
    ...(features.tasks && execution !== undefined ? { execution } : undefined),
    inputSchema: narrowSchema(inputSchema),
    // Before 2026-07-28 an output schema must have type object. Clients reject a list with any other.
    ...(features.structuredOutput && outputSchema?.type === 'object'
      ? { outputSchema: narrowSchema(outputSchema) }
      : undefined),
    ...(features.audioAndAnnotations && annotations !== undefined ? { annotations } : undefined),
  }
}

/** Replaces the property schemas `true` and `false` by objects, which these revisions require. */
function narrowSchema(schema: JsonSchema): JsonSchema {
  const { properties } = schema
  if (!isJsonObject(properties)) return schema
  const entries = Object.entries(properties)
  if (!entries.some(([, property]) => typeof property === 'boolean')) return schema
  const narrowed = entries.map(([name, property]) => [
    name,
    property === true ? {} : property === false ? { not: {} } : property,
  ])
  return { ...schema, properties: Object.fromEntries(narrowed) }
}

export function narrowContents(contents: ResourceContents, features: WireFeatures): object {
  if (features.structuredOutput) return contents
  const { _meta, ...rest } = contents
  return { ...rest, ...narrowMeta(_meta, features) }
}

export function narrowBlock(block: ContentBlock, features: WireFeatures): object {
  if (features.icons) return block
  if (block.type === 'resource_link' && !features.structuredOutput) {
    const { title, name, uri, description } = block
    const suffix = description === undefined ? '' : ` (${description})`
    return { type: 'text', text: `${title ?? name}: ${uri}${suffix}` }
  }
  if (block.type === 'audio' && !features.audioAndAnnotations) {
    const { mimeType, data } = block
    return { type: 'resource', resource: { uri: 'attachment:audio', mimeType, blob: data } }
  }
  const narrowed = narrowFields(block, features)
  return block.type === 'resource'
    ? { ...narrowed, resource: narrowContents(block.resource, features) }
    : narrowed
}
