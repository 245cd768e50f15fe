/** Tools, resources and prompts that a handler registers or changes, which throws while a server is served. */
import type { NodePath } from '@babel/traverse'
import type { CallExpression, Node } from '@babel/types'
import { type Decision, guide } from '../plan.ts'
import { placeOfNode, rangeOf, type SourceFile, visit } from '../source-file.ts'

const REGISTERING = /^(?:tool|resource|prompt|register(?:Tool|Resource|Prompt|ToolTask))$/
const CHANGING = ['enable', 'disable', 'update', 'remove']

export function registrationDecisions(file: SourceFile): readonly Decision[] {
  const registered = new Set<string>()
  visit(file, {
    VariableDeclarator({ node: { id, init } }) {
      if (isRegistration(init)) registered.add(sourceOf(file, id))
    },
    AssignmentExpression({ node: { left, right } }) {
      if (isRegistration(right)) registered.add(sourceOf(file, left))
    },
  })
  const decisions: Decision[] = []
  visit(file, {
    'CallExpression|OptionalCallExpression'(path: NodePath) {
      const called = methodOf(path.node)
      if (called === undefined) return
      const { name } = called
      const owner = sourceOf(file, called.owner)
      const isChange = CHANGING.includes(name) && registered.has(owner)
      if (!isChange && !REGISTERING.test(name)) return
      const outer = registrationAround(path)
      if (outer === undefined) return
      // Methods of other objects have these names too.
      const isOfServer = name.startsWith('register') || owner === sourceOf(file, outer.owner)
      if (isChange || isOfServer) decisions.push(decisionAt(file, path.node, name))
    },
  })
  return decisions
}

interface Called {
  readonly name: string
  readonly owner: Node
}

function methodOf(node: Node | null | undefined): Called | undefined {
  if (node?.type === 'AwaitExpression') return methodOf(node.argument)
  if (node?.type !== 'CallExpression' && node?.type !== 'OptionalCallExpression') return undefined
  const { callee } = node
  const isMember = callee.type === 'MemberExpression' || callee.type === 'OptionalMemberExpression'
  if (!isMember || callee.computed || callee.property.type !== 'Identifier') return undefined
  return { name: callee.property.name, owner: callee.object }
}

const isRegistration = (node: Node | null | undefined): boolean =>
  REGISTERING.test(methodOf(node)?.name ?? '')

const sourceOf = (file: SourceFile, node: Node): string => file.text.slice(...rangeOf(node))

/** The registration whose handler contains a call. */
function registrationAround(path: NodePath): Called | undefined {
  const handler = path.findParent(
    (parent) =>
      parent.isFunction() && parent.listKey === 'arguments' && isRegistration(parent.parent),
  )
  return handler === null ? undefined : methodOf(handler.parent as CallExpression)
}

function decisionAt(file: SourceFile, node: Node, name: string): Decision {
  const why = `${name}() in a handler throws, because a definition serves many calls: register everything before, and decide in the handler what a call may do`
  const anchor = guide.moving('registrations-that-change')
  return { ...placeOfNode(file, node), code: 'registration-in-handler', why, guide: anchor }
}
