/** Results of tools, as hosts pass them to a view. */
import { isObject } from './frame.ts'

interface DescribedContent {
  readonly annotations?: {
    readonly audience?: readonly ('user' | 'assistant')[]
    readonly priority?: number
    readonly lastModified?: string
  }
  readonly _meta?: { readonly [name: string]: unknown }
}

interface EmbeddedContent {
  readonly uri: string
  readonly mimeType?: string
  readonly _meta?: { readonly [name: string]: unknown }
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/schema#contentblock */
export type ContentBlock =
  | (DescribedContent & { readonly type: 'text'; readonly text: string })
  | (DescribedContent & {
      readonly type: 'image'
      readonly data: string
      readonly mimeType: string
    })
  | (DescribedContent & {
      readonly type: 'audio'
      readonly data: string
      readonly mimeType: string
    })
  | (DescribedContent & {
      readonly type: 'resource_link'
      readonly uri: string
      readonly name: string
      readonly title?: string
      readonly description?: string
      readonly mimeType?: string
      readonly size?: number
    })
  | (DescribedContent & {
      readonly type: 'resource'
      readonly resource: EmbeddedContent & ({ readonly text: string } | { readonly blob: string })
    })

interface AnyToolResult {
  readonly content: readonly ContentBlock[]
  readonly _meta?: { readonly [name: string]: unknown }
}

/**
 * The result of a tool. `structuredContent` may be absent, also where the tool has an output schema: a host may pass
 * on the text alone, which {@link textOf} reads.
 */
export type ToolResult<Result = unknown> =
  | (AnyToolResult & { readonly isError?: false; readonly structuredContent?: Result })
  | (AnyToolResult & { readonly isError: true; readonly structuredContent?: unknown })

/** The text of a result, its blocks joined by line breaks. */
export function textOf({ content }: AnyToolResult): string {
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
}

/** The result that a host has sent, or undefined where it is malformed. A host may leave out an empty `content`. */
export function parseResult({ content = [], ...rest }: Readonly<Record<string, unknown>>) {
  const { isError } = rest
  const isResult =
    Array.isArray(content) &&
    content.every((block) => isObject(block) && typeof block.type === 'string') &&
    content.every(({ type, text }) => type !== 'text' || typeof text === 'string') &&
    (isError === undefined || typeof isError === 'boolean')
  return isResult ? ({ ...rest, content } as ToolResult) : undefined
}
