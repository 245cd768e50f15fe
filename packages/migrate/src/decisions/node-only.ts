/** What Node has and a Worker has not, in the files of the server. */
import type { NodePath } from '@babel/traverse'
import { type Decision, guide } from '../plan.ts'
import { placeOfNode, type SourceFile, textOf, visit } from '../source-file.ts'

const FILES = ['url', 'dirname', 'filename']
const GLOBALS = ['__dirname', '__filename']
const FILES_OF_COMPUTER =
  'has no files of the computer in a Worker: import what the server reads, and keep what it writes in a binding, such as R2, D1 or KV'
const PROGRAMS = 'starts no program in a Worker: another service does that work'
/** Modules of Node that a Worker can import, and whose work it cannot do. */
const MODULES: Readonly<Record<string, string>> = {
  fs: FILES_OF_COMPUTER,
  'fs/promises': FILES_OF_COMPUTER,
  sqlite: FILES_OF_COMPUTER,
  child_process: PROGRAMS,
  worker_threads: PROGRAMS,
}
const PROCESS = ['argv', 'stdin', 'on', 'once', 'exit']

export function nodeDecisions(file: SourceFile): readonly Decision[] {
  const decisions: Decision[] = []
  const add = (path: NodePath, what: string) => {
    const anchor = guide.moving('from-node-to-workers')
    decisions.push({ ...placeOfNode(file, path.node), code: 'node-only', why: what, guide: anchor })
  }
  visit(file, {
    MemberExpression(path) {
      const { object, property, computed } = path.node
      if (computed || property.type !== 'Identifier') return
      const { name } = property
      if (object.type === 'MetaProperty' && FILES.includes(name) && !isGuarded(path)) {
        add(
          path,
          `import.meta.${name} is undefined in the bundle of a Worker: import the file that it finds`,
        )
      }
      const isProcess = object.type === 'Identifier' && object.name === 'process'
      if (isProcess && PROCESS.includes(name) && !path.scope.hasBinding('process')) {
        add(path, `process.${name} has no meaning in a Worker: remove it`)
      }
    },
    Identifier(path) {
      const { name } = path.node
      if (!GLOBALS.includes(name) || !path.isReferencedIdentifier() || path.scope.hasBinding(name))
        return
      add(path, `${name} does not exist in the bundle of a Worker: import the file that it finds`)
    },
    ImportDeclaration(path) {
      const module = textOf(path.node.source) ?? ''
      if (module === 'dotenv' || module === 'dotenv/config') {
        add(path, 'dotenv goes: local secrets of a Worker are in the file .dev.vars')
      }
      const name = module.replace(/^node:/, '')
      if (path.node.importKind === 'type' || !Object.hasOwn(MODULES, name)) return
      add(path, `${module} ${MODULES[name]}`)
    },
  })
  return decisions
}

/** Whether a condition has asked for `import.meta` before. */
function isGuarded(path: NodePath): boolean {
  const condition = path.findParent(
    ({ node }) =>
      node.type === 'ConditionalExpression' ||
      node.type === 'IfStatement' ||
      node.type === 'LogicalExpression',
  )
  const node = condition?.node
  const test =
    node?.type === 'LogicalExpression'
      ? node.left
      : (node as { test?: typeof path.node } | undefined)?.test
  let asks = false
  if (condition === null || test === undefined) return false
  condition.traverse({
    MetaProperty({ node: { start } }) {
      if ((start ?? 0) >= (test.start ?? 0) && (start ?? 0) < (test.end ?? 0)) asks = true
    },
  })
  return asks
}
