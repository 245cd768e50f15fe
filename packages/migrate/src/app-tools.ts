/** Functions of MCP Apps that take a server of the SDK: their types name its class. */
import type { NodePath } from '@babel/traverse'
import type MagicString from 'magic-string'
import { type Decision, guide } from './plan.ts'
import { originOf, placeOfNode, rangeOf, type SourceFile, visit } from './source-file.ts'

const MODULE = '@modelcontextprotocol/ext-apps/server'
const FUNCTIONS = ['registerAppTool', 'registerAppResource']

/** Writes `server as never` for the server, where it is TypeScript. */
export function moveAppTools(file: SourceFile, output: MagicString): readonly Decision[] {
  const decisions: Decision[] = []
  visit(file, {
    CallExpression(path) {
      const origin = originOf(path.get('callee') as NodePath)
      if (origin?.module !== MODULE || !FUNCTIONS.includes(origin.name)) return
      const [server] = path.node.arguments
      const why = 'A tool of an MCP App needs features: [apps()] of edgeway/apps'
      const place = placeOfNode(file, path.node)
      if (decisions.length === 0) {
        decisions.push({
          ...place,
          code: 'feature-needed',
          why,
          guide: guide.moving('what-does-not-carry'),
        })
      }
      const isPlain = server?.type === 'Identifier' || server?.type === 'MemberExpression'
      if (file.isTypeScript && isPlain) output.appendRight(rangeOf(server)[1], ' as never')
    },
  })
  return decisions
}
