/** How agents are served: `MyMCP.serve(path, options)`, in the file of the class or in another one. */
import type { NodePath } from '@babel/traverse'
import type { CallExpression, Node } from '@babel/types'
import type { Decision } from '../plan.ts'
import { type SourceFile, textOf, visit } from '../source-file.ts'
import { isAgentBase, notCarried, propertyOf } from './agents.ts'

const SERVING = ['serve', 'serveSSE', 'mount']
const SERVES_BASE =
  'serve() of McpAgent itself is not carried: call serve() of the class that extends it'

export function servingDecisions(
  file: SourceFile,
  agents: ReadonlySet<string>,
): readonly Decision[] {
  const decisions: Decision[] = []
  visit(file, {
    CallExpression(path) {
      const { node } = path
      const served = servedAgent(node.callee, agents)
      if (served !== undefined) decisions.push(...pathDecisions(file, served, node.arguments))
      if (servesBase(path)) decisions.push(notCarried(file, node, 'agent-member', SERVES_BASE))
    },
  })
  return decisions
}

/** `McpAgent.serve(…)`, which names a binding and no class. */
function servesBase(path: NodePath<CallExpression>): boolean {
  const { callee } = path.node
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false
  return (
    SERVING.includes(callee.property.name) && isAgentBase(path.get('callee.object') as NodePath)
  )
}

/** The class of `MyMCP.serve(…)`. */
function servedAgent(callee: Node, agents: ReadonlySet<string>): string | undefined {
  if (callee.type !== 'MemberExpression' || callee.computed) return undefined
  const { object, property } = callee
  if (object.type !== 'Identifier' || property.type !== 'Identifier') return undefined
  const isServed = SERVING.includes(property.name)
  return isServed && agents.has(object.name) ? object.name : undefined
}

function pathDecisions(
  file: SourceFile,
  agent: string,
  [path]: readonly Node[],
): readonly Decision[] {
  const decisions: Decision[] = []
  const add = (node: Node, code: Decision['code'], why: string) =>
    decisions.push(notCarried(file, node, code, why))
  const text = textOf(path)
  if (path !== undefined && text !== undefined && (text === '/' || /[*:?(]/.test(text))) {
    const why = `${agent} is served at "${text}", and an agent needs one path, such as /mcp`
    add(path, 'path-not-served', why)
  }
  return decisions
}

/** Whether an object has no members but those that are written, and none where it is absent. */
const isWrittenOut = (node: Node | undefined): boolean =>
  node === undefined ||
  (node.type === 'ObjectExpression' &&
    node.properties.every(
      (property) =>
        property.type !== 'SpreadElement' &&
        (!property.computed || property.key.type === 'StringLiteral'),
    ))

/** Whether a file serves an agent, which another file may define. */
export function servesAgent(file: SourceFile, agents: ReadonlySet<string>): boolean {
  let serves = false
  visit(file, {
    CallExpression({ node }) {
      if (servedAgent(node.callee, agents) !== undefined) serves = true
    },
  })
  return serves
}

/** How agents are served: each class with its binding, where it is written out. */
export interface ServedAgent {
  readonly name: string
  readonly binding: string
  readonly file: SourceFile
  readonly node: CallExpression
}

export const DEFAULT_BINDING = 'MCP_OBJECT'

export function servedAgents(
  files: readonly SourceFile[],
  agents: ReadonlySet<string>,
): readonly ServedAgent[] {
  return files.flatMap((file) => {
    const found: ServedAgent[] = []
    visit(file, {
      CallExpression({ node }) {
        const name = servedAgent(node.callee, agents)
        if (name === undefined) return
        const [, options] = node.arguments
        const property = propertyOf(options, 'binding')
        const value = property?.type === 'ObjectProperty' ? textOf(property.value) : undefined
        const isWritten = property === undefined && isWrittenOut(options)
        // A binding that is computed is not known.
        if (value === undefined && !isWritten) return
        found.push({ name, binding: value ?? DEFAULT_BINDING, file, node })
      },
    })
    return found
  })
}
