/** Servers that are connected to a transport, which Edgeway replaces by its entry. */
import type { NodePath } from '@babel/traverse'
import type { CallExpression } from '@babel/types'
import { roleOf } from '../modules.ts'
import { type Decision, guide } from '../plan.ts'
import { originOf, placeOfNode, type SourceFile, TEST_FILE, visit } from '../source-file.ts'

const IN_TEST =
  'A server is not connected to a transport: connect() of edgeway/testing calls it in a test'
const IN_MEMORY = 'A server is not connected to a transport: call what its tools call directly'
const IN_ENTRY =
  'A server is not connected to a transport: remove the call, and export createEdgeway(server) as the entry of a Worker'

export function transportDecisions(file: SourceFile): readonly Decision[] {
  const decisions: Decision[] = []
  visit(file, {
    CallExpression(path) {
      const kind = connectedKind(path)
      if (kind === undefined) return
      const place = placeOfNode(file, path.node)
      const isTest = kind === 'memory' && TEST_FILE.test(file.path)
      const why = isTest ? IN_TEST : kind === 'memory' ? IN_MEMORY : IN_ENTRY
      const anchor = isTest ? guide.testing : guide.sdk('the-entry')
      decisions.push({ ...place, code: 'connects-transport', why, guide: anchor })
    },
  })
  return decisions
}

/** Whether a file connects a server to a transport that goes. */
export const servesTransport = (file: SourceFile): boolean =>
  transportDecisions(file).some(({ guide: page }) => page !== guide.testing)

/** The decision about a program that stays with the SDK, because it is no part of the Worker. */
export function programDecision(file: SourceFile): readonly Decision[] {
  const [first] = transportDecisions(file)
  const why =
    'The program serves over a transport of the SDK and is no part of the Worker, so it and what it alone imports stay with the SDK: keep it, or delete it'
  return first === undefined ? [] : [{ ...first, code: 'transport', why }]
}

type TransportKind = 'memory' | 'server'

/** What `….connect(transport)` is connected to, unless it is a client. */
function connectedKind(path: NodePath<CallExpression>): TransportKind | undefined {
  const { callee } = path.node
  if (callee.type !== 'MemberExpression' || callee.computed) return undefined
  if (callee.property.type !== 'Identifier' || callee.property.name !== 'connect') return undefined
  const [argument] = path.get('arguments') as NodePath[]
  if (argument === undefined || isClient(path.get('callee.object') as NodePath)) return undefined
  return kindOf(argument)
}

function isClient(path: NodePath): boolean {
  if (path.node?.type !== 'Identifier') return false
  const created = createdBy(path, path.node.name)
  return created?.name === 'Client'
}

function kindOf(path: NodePath): TransportKind | undefined {
  const { node } = path
  if (node.type === 'NewExpression') return kindOfClass(path.get('callee') as NodePath)
  if (node.type !== 'Identifier') return undefined
  const binding = path.scope.getBinding(node.name)
  const declared = binding?.path
  if (declared === undefined) return undefined
  // A parameter whose type is that of the SDK.
  const annotation = binding?.kind === 'param' ? binding.identifier.typeAnnotation : undefined
  if (annotation?.type === 'TSTypeAnnotation') {
    const type = annotation.typeAnnotation
    const isTransport = type.type === 'TSTypeReference' && type.typeName.type === 'Identifier'
    return isTransport && /Transport$/.test((type.typeName as { name: string }).name)
      ? 'server'
      : undefined
  }
  if (declared.node.type !== 'VariableDeclarator') return undefined
  const init = declared.get('init') as NodePath
  if (init.node?.type === 'NewExpression') return kindOfClass(init.get('callee') as NodePath)
  return isLinkedPair(init) ? 'memory' : assignedKind(binding?.constantViolations ?? [])
}

/** `let transport` that is assigned later. */
function assignedKind(assignments: readonly NodePath[]): TransportKind | undefined {
  for (const path of assignments) {
    const value = path.get('right') as NodePath
    const kind =
      value.node?.type === 'NewExpression'
        ? kindOfClass(value.get('callee') as NodePath)
        : undefined
    if (kind !== undefined) return kind
  }
  return undefined
}

function kindOfClass(path: NodePath): TransportKind | undefined {
  const origin = originOf(path)
  const role = origin === undefined ? undefined : roleOf(origin.module)
  if (origin?.name === 'WorkerTransport') return 'server'
  return role?.kind === 'stays' && role.reason?.code === 'transport' ? 'server' : undefined
}

/** `InMemoryTransport.createLinkedPair()`. */
function isLinkedPair(path: NodePath): boolean {
  if (path.node?.type !== 'CallExpression') return false
  const owner = path.get('callee.object') as NodePath
  return originOf(owner)?.name === 'InMemoryTransport'
}

function createdBy(path: NodePath, name: string) {
  const declared = path.scope.getBinding(name)?.path
  if (declared?.node.type !== 'VariableDeclarator') return undefined
  const init = declared.get('init') as NodePath
  return init.node?.type === 'NewExpression' ? originOf(init.get('callee') as NodePath) : undefined
}
