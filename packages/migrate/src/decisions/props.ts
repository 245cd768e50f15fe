/** Props of a caller that differ between the requests of its session, which belongs to them. */
import type { NodePath } from '@babel/traverse'
import type { Node } from '@babel/types'
import { type Decision, guide } from '../plan.ts'
import { placeOfNode, rangeOf, type SourceFile, visit } from '../source-file.ts'
import { namesSubject } from './providers.ts'

const CURE =
  'A session belongs to the props of its caller, so its next request does not find it (404). Name the caller with static edgeway = { subject }, or leave that out of the props'

/** Served with a stream at one address and POST requests to another one. */
const HTTP_SSE = /\bserveSSE\s*\(|\.mount\s*\(|\btransport\s*:\s*['"`](?:sse|auto)['"`]/

/** @param files those of agents, and those that set the props */
export function propsDecisions(files: readonly SourceFile[]): readonly Decision[] {
  if (files.some(namesSubject)) return []
  const hasSse = files.some(({ text }) => HTTP_SSE.test(text))
  return files.flatMap((file) => {
    const decisions: Decision[] = []
    visit(file, {
      AssignmentExpression(path) {
        if (!isProps(path.node.left)) return
        const found = changingValue(file, path.get('right') as NodePath, hasSse)
        if (found === undefined) return
        const why = `The props contain ${found.what}, which another request of the session has not. ${CURE}`
        const place = placeOfNode(file, found.node)
        const anchor = guide.moving('oauthprovider-in-front')
        decisions.push({ ...place, code: 'session-ends-with-props', why, guide: anchor })
      },
    })
    return decisions
  })
}

/** `ctx.props`, `(ctx as any).props`, `c.executionCtx.props`, and a member of them. */
function isProps(node: Node): boolean {
  if (node.type !== 'MemberExpression') return false
  const { object, property } = node
  const name = property.type === 'Identifier' && !node.computed ? property.name : ''
  return (name === 'props' && object.type !== 'ThisExpression') || isProps(object)
}

interface Changing {
  readonly node: Node
  readonly what: string
}

/** The first value of an expression that is another one in each request, or at each address. */
function changingValue(file: SourceFile, path: NodePath, hasSse: boolean): Changing | undefined {
  let found: Changing | undefined
  const look = (one: NodePath) => {
    const what = hasSse && isAddress(file, one) ? 'the URL of the request' : changes(file, one)
    if (found === undefined && what !== undefined) found = { node: one.node, what }
    return found !== undefined
  }
  if (look(path)) return found
  path.traverse({ enter: (one) => void (look(one) && one.stop()) })
  return found
}

const textOf = (file: SourceFile, node: Node): string =>
  typeof node.start === 'number' ? file.text.slice(...rangeOf(node)) : ''

const REQUEST_URL = /^(?:\w+\.)*(?:request|req|raw)\.url$/

const ADDRESSES = ['href', 'pathname']

/** The URL as a whole, or its path: one part of the query is the same at both addresses. */
function isAddress(file: SourceFile, path: NodePath): boolean {
  const text = textOf(file, path.node)
  const { parent } = path
  if (REQUEST_URL.test(text)) return !isPartTaken(path)
  // A property may have its name.
  if (path.node.type !== 'Identifier' || !path.isReferencedIdentifier()) return false
  const declared = path.scope.getBinding(path.node.name)?.path.node
  if (declared?.type !== 'VariableDeclarator') return false
  const { init, id } = declared
  if (id.type === 'ObjectPattern' && !ADDRESSES.includes(path.node.name)) return false
  const value = init?.type === 'NewExpression' ? init.arguments[0] : init
  if (value === null || value === undefined || !REQUEST_URL.test(textOf(file, value))) return false
  if (parent.type !== 'MemberExpression' || parent.object !== path.node) return true
  const member = parent.property.type === 'Identifier' ? parent.property.name : ''
  return [...ADDRESSES, 'toString', 'toJSON'].includes(member)
}

/** `new URL(request.url).searchParams` */
function isPartTaken(path: NodePath): boolean {
  const outer = path.parentPath
  if (outer?.node.type !== 'NewExpression') return false
  const member = outer.parent
  const name =
    member.type === 'MemberExpression' && member.property.type === 'Identifier'
      ? member.property.name
      : ''
  return ['searchParams', 'search', 'origin', 'host', 'hostname'].includes(name)
}

/** What is another one in each request, whichever the transport is. */
function changes(file: SourceFile, { node, parent }: NodePath): string | undefined {
  const text = textOf(file, node)
  if (/^(?:Date\.now|(?:globalThis\.)?crypto\.randomUUID|performance\.now)\(\)$/.test(text))
    return text
  if (text === 'new Date()') return text
  const isHeaders = /^(?:\w+\.)*(?:request|req|raw)\.headers$/.test(text)
  return isHeaders && parent.type !== 'MemberExpression' ? 'the headers of the request' : undefined
}
