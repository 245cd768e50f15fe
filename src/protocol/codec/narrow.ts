/** Single values of the neutral model, narrowed to a revision's features. */
import type { Annotations, ContentBlock, JsonSchema, ResourceContents } from '../content.ts'
import { isJsonObject } from '../json.ts'
import type { Tool } from '../primitives.ts'
import type { WireFeatures } from '../revisions.ts'

interface Adorned {
  readonly title?: unknown
  readonly icons?: unknown
  readonly annotations?: unknown
  readonly _meta?: unknown
}

/** A definition or block without the fields that a revision does not have. */
export function narrowFields<T extends Adorned>(item: T, features: WireFeatures): object {
  if (features.icons) return item
  const { icons: _, title, _meta, annotations, ...rest } = item
  return {
    ...rest,
    ...(features.structuredOutput && title !== undefined ? { title } : undefined),
    ...(features.structuredOutput && _meta !== undefined ? { _meta } : undefined),
    ...(annotations === undefined
      ? undefined
      : { annotations: narrowAnnotations(annotations as Annotations, features) }),
  }
}

function narrowAnnotations(annotations: Annotations, features: WireFeatures): object {
  if (features.structuredOutput) return annotations
  const { lastModified: _, ...rest } = annotations
  return rest
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/schema#tool */
export function narrowTool(tool: Tool, features: WireFeatures): object {
  const { outputSchema, annotations, inputSchema, ...rest } = tool
  return {
    ...narrowFields(rest, features),
    inputSchema: narrowSchema(inputSchema),
    // Output schemas are objects before 2026-07-28: any other would make clients refuse the list.
    ...(features.structuredOutput && outputSchema?.type === 'object'
      ? { outputSchema: narrowSchema(outputSchema) }
      : undefined),
    ...(features.audioAndAnnotations && annotations !== undefined ? { annotations } : undefined),
  }
}

/** These revisions' schemas have an object for every property; `true` and `false` are spelt out. */
function narrowSchema(schema: JsonSchema): JsonSchema {
  const { properties } = schema
  if (!isJsonObject(properties)) return schema
  const entries = Object.entries(properties)
  if (!entries.some(([, property]) => typeof property === 'boolean')) return schema
  const spelt = entries.map(([name, property]) => [
    name,
    property === true ? {} : property === false ? { not: {} } : property,
  ])
  return { ...schema, properties: Object.fromEntries(spelt) }
}

export function narrowContents(contents: ResourceContents, features: WireFeatures): object {
  if (features.structuredOutput) return contents
  const { _meta, ...rest } = contents
  return rest
}

export function narrowBlock(block: ContentBlock, features: WireFeatures): object {
  if (features.icons) return block
  if (block.type === 'resource_link' && !features.structuredOutput) {
    const { title, name, uri, description } = block
    const said = description === undefined ? '' : ` (${description})`
    return { type: 'text', text: `${title ?? name}: ${uri}${said}` }
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
