/** The calls that connect a server to a transport, and where the server of each comes from. */
import type { NodePath } from '@babel/traverse'
import type { CallExpression } from '@babel/types'
import { roleOf } from '../modules.ts'
import { originOf, originOfName, type SourceFile, visit } from '../source-file.ts'

export interface Connection {
  readonly node: CallExpression
  /** `memory`: both ends are in the same program, as in tests. */
  readonly transport: 'memory' | 'server'
  readonly server: ConnectedServer
}

/**
 * `module`: a variable of the module. `factory`: what a function of another file returns, without arguments.
 * `other`: anything else, such as a server that a function of the same file creates.
 */
export type ConnectedServer =
  | { readonly kind: 'module' | 'other' }
  | { readonly kind: 'factory'; readonly module: string; readonly name: string }

export function connectionsOf(file: SourceFile): readonly Connection[] {
  const found: Connection[] = []
  visit(file, {
    CallExpression(path) {
      const transport = transportOf(path)
      if (transport === undefined) return
      found.push({ node: path.node, transport, server: serverOf(path) })
    },
  })
  return found
}

/** What `….connect(transport)` is connected to, unless it is a client. */
function transportOf(path: NodePath<CallExpression>): Connection['transport'] | undefined {
  const { callee } = path.node
  if (callee.type !== 'MemberExpression' || callee.computed) return undefined
  if (callee.property.type !== 'Identifier' || callee.property.name !== 'connect') return undefined
  const [argument] = path.get('arguments') as NodePath[]
  if (argument === undefined || isClient(path.get('callee.object') as NodePath)) return undefined
  return kindOf(argument)
}

function isClient(path: NodePath): boolean {
  const init = initOf(path)
  return init?.node?.type === 'NewExpression' && classOf(init)?.name === 'Client'
}

/** The value that a variable is declared with. */
function initOf(path: NodePath): NodePath | undefined {
  if (path.node?.type !== 'Identifier') return undefined
  const declared = path.scope.getBinding(path.node.name)?.path
  if (declared?.node.type !== 'VariableDeclarator' || declared.node.id.type !== 'Identifier') {
    return undefined
  }
  return declared.get('init') as NodePath
}

const classOf = (path: NodePath) => originOf(path.get('callee') as NodePath)

function kindOf(path: NodePath): Connection['transport'] | undefined {
  const { node } = path
  if (node.type === 'NewExpression') return isTransport(path) ? 'server' : undefined
  if (node.type !== 'Identifier') return undefined
  const binding = path.scope.getBinding(node.name)
  if (binding === undefined) return undefined
  if (binding.kind === 'param') return isTyped(binding.identifier) ? 'server' : undefined
  const values = [
    binding.path.node.type === 'VariableDeclarator' ? (binding.path.get('init') as NodePath) : path,
    ...binding.constantViolations.map((one) => one.get('right') as NodePath),
  ]
  if (values.some((value) => value.node?.type === 'NewExpression' && isTransport(value)))
    return 'server'
  return values.some(isLinkedPair) ? 'memory' : undefined
}

/** A parameter whose type is that of the SDK. */
function isTyped({ typeAnnotation }: { readonly typeAnnotation?: unknown }): boolean {
  const type = (typeAnnotation as { typeAnnotation?: { typeName?: { name?: string } } } | undefined)
    ?.typeAnnotation
  return /Transport$/.test(type?.typeName?.name ?? '')
}

function isTransport(path: NodePath): boolean {
  const origin = classOf(path)
  if (origin === undefined) return false
  const role = roleOf(origin.module)
  const isOfSdk = role?.kind === 'stays' && role.reason?.code === 'transport'
  return isOfSdk || origin.name === 'WorkerTransport'
}

/** `InMemoryTransport.createLinkedPair()`. */
function isLinkedPair(path: NodePath): boolean {
  if (path.node?.type !== 'CallExpression') return false
  return originOf(path.get('callee.object') as NodePath)?.name === 'InMemoryTransport'
}

function serverOf(path: NodePath<CallExpression>): ConnectedServer {
  const object = path.get('callee.object') as NodePath
  const init = initOf(object)
  if (init?.node === undefined || init.node === null) return { kind: 'other' }
  const isInModule = init.scope.path.isProgram()
  if (init.node.type === 'NewExpression') return { kind: isInModule ? 'module' : 'other' }
  const call = init.node.type === 'AwaitExpression' ? (init.get('argument') as NodePath) : init
  if (call.node?.type !== 'CallExpression' || call.node.arguments.length > 0)
    return { kind: 'other' }
  const { callee } = call.node
  const origin = callee.type === 'Identifier' ? originOfName(call, callee.name) : undefined
  const isLocal = origin?.module.startsWith('.') === true && origin.name !== '*'
  return isLocal ? { kind: 'factory', ...origin } : { kind: 'other' }
}
