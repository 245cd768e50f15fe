/** What agents use that `McpAgent` of Edgeway does not have. How they are served: see `serving.ts`. */
import type { NodePath } from '@babel/traverse'
import type { CallExpression, Class, Node, ObjectExpression } from '@babel/types'
import { OBJECT_MEMBERS, OVERRIDDEN, USED } from '../../../agents/src/not-carried-members.ts'
import { type ModuleUse, moduleUses } from '../module-uses.ts'
import { AGENTS } from '../modules.ts'
import { type Decision, guide } from '../plan.ts'
import {
  isWrapper,
  nameOf,
  originOf,
  placeOfNode,
  type SourceFile,
  textOf,
  visit,
} from '../source-file.ts'

/** Whether an expression is `McpAgent`. */
export const isAgentBase = (path: NodePath): boolean => {
  const origin = originOf(path)
  return origin?.name === 'McpAgent' && ['agents/mcp', AGENTS].includes(origin.module)
}

/** The names of the classes that extend `McpAgent`, directly or by a class of the project. */
export function agentClasses(files: readonly SourceFile[]): ReadonlySet<string> {
  const bases = files.flatMap(classesWithBases)
  const agents = new Set<string>()
  const isAgent = ({ base, extendsAgent }: ClassBase) =>
    extendsAgent || (base !== undefined && agents.has(base))
  for (let before = -1; before < agents.size; ) {
    before = agents.size
    for (const one of bases) if (one.name !== undefined && isAgent(one)) agents.add(one.name)
  }
  return agents
}

/** Where a file imports `McpAgent` itself, not its type alone. */
export function importOfAgent(file: SourceFile): Node | undefined {
  const uses = moduleUses(file, (name) => name === 'agents/mcp' || name === AGENTS)
  return uses.find(
    ({ kind, names, divisible }) =>
      kind === 'import' && names?.includes('McpAgent') && !isTypeAlone(divisible),
  )?.literal
}

function isTypeAlone(declaration: ModuleUse['divisible']): boolean {
  if (declaration?.type !== 'ImportDeclaration') return false
  return (
    declaration.importKind === 'type' ||
    declaration.specifiers.every(
      (one) =>
        one.type !== 'ImportSpecifier' ||
        nameOf(one.imported) !== 'McpAgent' ||
        one.importKind === 'type',
    )
  )
}

export function definesClass(file: SourceFile, names: ReadonlySet<string>): boolean {
  return classesWithBases(file).some(({ name = '' }) => names.has(name))
}

interface ClassBase {
  readonly name: string | undefined
  readonly base: string | undefined
  readonly extendsAgent: boolean
}

function classesWithBases(file: SourceFile): readonly ClassBase[] {
  const found: ClassBase[] = []
  visit(file, {
    Class(path) {
      const base = path.get('superClass') as NodePath
      if (base.node === null || base.node === undefined) return
      found.push({
        name: nameOfClass(path),
        base: base.node.type === 'Identifier' ? base.node.name : undefined,
        extendsAgent: isAgentBase(base) || containsAgent(base),
      })
    },
    // A class under another name, such as that of its export.
    'ImportSpecifier|ExportSpecifier'({ node }: NodePath) {
      const [from, to] =
        node.type === 'ImportSpecifier'
          ? [node.imported, node.local]
          : node.type === 'ExportSpecifier'
            ? [node.local, node.exported]
            : []
      if (from === undefined || to === undefined || nameOf(from) === nameOf(to)) return
      found.push({ name: nameOf(to), base: nameOf(from), extendsAgent: false })
    },
  })
  return found
}

/** A mixin that is called with the base. */
function containsAgent(base: NodePath): boolean {
  if (base.node?.type !== 'CallExpression') return false
  return (base.get('arguments') as NodePath[]).some(isAgentBase)
}

function nameOfClass({ node, parent }: NodePath<Class>): string | undefined {
  if (node.id !== null && node.id !== undefined) return node.id.name
  return parent.type === 'VariableDeclarator' && parent.id.type === 'Identifier'
    ? parent.id.name
    : undefined
}

export function agentDecisions(file: SourceFile, agents: ReadonlySet<string>): readonly Decision[] {
  const decisions: Decision[] = []
  visit(file, {
    Class(path) {
      if (agents.has(nameOfClass(path) ?? '')) decisions.push(...memberDecisions(file, path))
    },
    CallExpression({ node }) {
      if (connectsByBinding(node)) decisions.push(rpcDecision(file, node))
    },
  })
  return decisions
}

function memberDecisions(file: SourceFile, path: NodePath<Class>): readonly Decision[] {
  const decisions: Decision[] = []
  const own = new Set([
    ...path.node.body.body.flatMap((member) => memberName(member) ?? []),
    ...membersAssigned(path),
  ])
  const add = (node: Node, subject: string, instead: string) => {
    const why = `${subject} is not carried: ${instead}`
    decisions.push(notCarried(file, node, 'agent-member', why))
  }
  for (const member of path.node.body.body) {
    const name = memberName(member)
    const instead = name === undefined ? undefined : entryOf(OVERRIDDEN, name)
    const isField = member.type === 'ClassProperty'
    if (name === undefined || instead === undefined || !('static' in member) || member.static)
      continue
    if (isField || member.type === 'ClassMethod')
      add(member, isField ? `The field ${name}` : `The method ${name}()`, instead)
  }
  path.traverse({
    // Its `this` is another one.
    Class: (inner) => inner.skip(),
    ThisExpression(one) {
      const hidden = hiddenMethod(one)
      if (hidden !== undefined) add(one.node, `this.${hidden.name} =`, hidden.instead)
      for (const name of membersTaken(one)) {
        const instead = own.has(name) ? undefined : entryOf(USED, name)
        if (instead !== undefined) add(one.node, `this.${name}`, instead)
        const later = isSetUp(one) ? entryOf(OF_CALLS, name) : undefined
        if (later !== undefined) decisions.push(outsideDecision(file, one.node, name, later))
      }
      const context = memberOf(one)
      if (context?.name !== 'ctx') return
      for (const name of membersTaken(context.path)) {
        const instead = entryOf(OBJECT_MEMBERS, name)
        if (instead !== undefined) add(one.node, `this.ctx.${name}`, instead)
      }
    },
  })
  return decisions
}

/** A method of the session object that the constructor of the class replaces by a value. `init()` runs in no such object. */
function hiddenMethod(path: NodePath) {
  const member = memberOf(path)
  const assignment = member?.path.parent
  const isAssigned =
    assignment?.type === 'AssignmentExpression' && assignment.left === member?.path.node
  const method = path.getFunctionParent()?.node
  const isConstructed = method?.type === 'ClassMethod' && method.kind === 'constructor'
  const instead = member === undefined ? undefined : entryOf(OVERRIDDEN, member.name)
  return member !== undefined && isAssigned && isConstructed && instead !== undefined
    ? { name: member.name, instead }
    : undefined
}

/** Members that belong to a running call, each with what to do instead. */
const OF_CALLS: Readonly<Record<string, string>> = {
  state: 'read it in a handler',
  setState: 'declare initialState, or call it in a handler',
  getSessionId: 'call it in a handler',
  getTransportType: 'call it in a handler',
  elicitInput: 'ask in a handler',
}

/** Whether a part of a class runs before any call: its constructor and `init()`, without the functions within. */
function isSetUp(path: NodePath): boolean {
  const method = path.getFunctionParent()?.node
  if (method?.type !== 'ClassMethod' || method.static) return false
  return method.key.type === 'Identifier' && ['constructor', 'init'].includes(method.key.name)
}

const outsideDecision = (
  file: SourceFile,
  node: Node,
  name: string,
  instead: string,
): Decision => ({
  ...placeOfNode(file, node),
  code: 'outside-of-calls',
  why: `this.${name} throws in init(), which belongs to no call: ${instead}`,
  guide: guide.moving('state'),
})

/** The members that the methods of a class set. */
function membersAssigned(path: NodePath<Class>): readonly string[] {
  const names: string[] = []
  path.traverse({
    AssignmentExpression({ node: { operator, left } }) {
      if (operator !== '=' || left.type !== 'MemberExpression' || left.computed) return
      if (left.object.type === 'ThisExpression' && left.property.type === 'Identifier')
        names.push(left.property.name)
    },
  })
  return names
}

const entryOf = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

function memberName(member: Class['body']['body'][number]): string | undefined {
  if (!('key' in member) || ('computed' in member && member.computed === true)) return undefined
  const { key } = member
  return key.type === 'Identifier' ? key.name : undefined
}

/** The member that is read of an expression: `sql` of `this.sql` and of `(this as any).sql`. */
function memberOf(path: NodePath): { readonly name: string; readonly path: NodePath } | undefined {
  const { parentPath } = path
  if (parentPath === null) return undefined
  if (isWrapper(parentPath.node)) return memberOf(parentPath)
  const { node } = parentPath
  const isMember = node.type === 'MemberExpression' || node.type === 'OptionalMemberExpression'
  if (!isMember || node.object !== path.node || node.computed) return undefined
  return node.property.type === 'Identifier'
    ? { name: node.property.name, path: parentPath }
    : undefined
}

/** The members that are read of an expression, also by a pattern. */
function membersTaken(path: NodePath): readonly string[] {
  const member = memberOf(path)
  if (member !== undefined) return [member.name]
  const { parent } = path
  if (parent.type !== 'VariableDeclarator' || parent.id.type !== 'ObjectPattern') return []
  return parent.id.properties.flatMap((property) =>
    property.type === 'ObjectProperty' && property.key.type === 'Identifier'
      ? property.key.name
      : [],
  )
}

/** `addMcpServer(name, env.MyMCP)`: a client that calls the object of an agent. */
function connectsByBinding({ callee, arguments: [, target] }: CallExpression): boolean {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return false
  const isMember = target?.type === 'MemberExpression' && target.property.type === 'Identifier'
  return callee.property.name === 'addMcpServer' && isMember && !/url/i.test(nameOfMember(target))
}

const nameOfMember = ({ property }: { readonly property: Node }): string =>
  property.type === 'Identifier' ? property.name : ''

function rpcDecision(file: SourceFile, node: Node): Decision {
  const why =
    'RPC between agents is not carried: name the URL of the server, or call its code directly'
  return notCarried(file, node, 'agent-member', why)
}

export const notCarried = (file: SourceFile, node: Node, code: Decision['code'], why: string) => ({
  ...placeOfNode(file, node),
  ...{ code, why, guide: guide.moving('what-an-agent-does-not-carry') },
})

/** A property of an object that is written out. */
export function propertyOf(
  node: Node | undefined,
  name: string,
): ObjectExpression['properties'][number] | undefined {
  if (node?.type !== 'ObjectExpression') return undefined
  return node.properties.find(
    (property) =>
      property.type !== 'SpreadElement' &&
      !property.computed &&
      (property.key.type === 'Identifier' ? property.key.name : textOf(property.key)) === name,
  )
}
