/** The syntax tree of a TypeScript source, as vitest parses it. */
import { parseAst } from 'vitest/node'

export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [property: string]: unknown
}

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

/** @throws {Error} when the source is not valid */
export const parseSource = (source: string, lang: 'ts' | 'tsx' = 'ts'): unknown =>
  parseAst(source, { lang })

/** The children of a node that are nodes, in the order of the source. */
export function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children = Object.values(node).flatMap((value) => (Array.isArray(value) ? value : [value]))
  return children.filter(isNode)
}
