/** What servers of the SDK do that is different here, or needs a feature. */
import type { NodePath } from '@babel/traverse'
import type { CallExpression, Node } from '@babel/types'
import { NOT_CARRIED } from '../../../sdk/src/not-carried-options.ts'
import { SDK } from '../modules.ts'
import { type Decision, guide, type Place } from '../plan.ts'
import { originOf, placeOfNode, type SourceFile, textOf, visit } from '../source-file.ts'
import { propertyOf } from './agents.ts'

const HANDLERS = ['createMcpHandler', 'createLegacyMcpHandler', 'experimental_createMcpHandler']
const HANDLER_MODULES = ['agents/mcp', 'agents/mcp/server', '@modelcontextprotocol/server', SDK]
const ASKING = ['elicitInput', 'createMessage', 'listRoots', 'sendRequest', 'requestSampling']
const CHANGING = [
  'sendToolListChanged',
  'sendPromptListChanged',
  'sendResourceListChanged',
  'sendResourceUpdated',
]
/** Methods that Edgeway answers itself. */
const RESERVED = ['initialize', 'ping', 'server/discover', 'subscriptions/listen']
const TASK_OPTIONS = ['taskStore', 'taskMessageQueue']

export function isHandlerCall(path: NodePath<CallExpression>): boolean {
  const origin = originOf(path.get('callee') as NodePath)
  return (
    origin !== undefined &&
    HANDLERS.includes(origin.name) &&
    HANDLER_MODULES.includes(origin.module)
  )
}

export function serverDecisions(file: SourceFile): readonly Decision[] {
  const decisions: Decision[] = []
  let changes: Place | undefined
  visit(file, {
    CallExpression(path) {
      const { node } = path
      if (isHandlerCall(path)) decisions.push(...optionDecisions(file, node.arguments[1]))
      const method = methodOf(node.callee)
      if (method === undefined) return
      const place = placeOfNode(file, node)
      if (ASKING.includes(method) && worksBefore(path)) decisions.push(askDecision(place, method))
      if (CHANGING.includes(method)) changes ??= place
      if (method === 'registerToolTask') decisions.push(taskDecision(place))
      if (method === 'setRequestHandler')
        decisions.push(...reservedDecision(place, node.arguments[0]))
    },
    NewExpression(path) {
      const name = originOf(path.get('callee') as NodePath)?.name
      if (name !== 'McpServer' && name !== 'Server') return
      for (const option of TASK_OPTIONS) {
        const property = propertyOf(path.node.arguments[1], option)
        if (property !== undefined) decisions.push(taskOption(placeOfNode(file, property), option))
      }
    },
    'MemberExpression|OptionalMemberExpression'({ node }: NodePath) {
      const internal = internalMember(node)
      if (internal !== undefined)
        decisions.push(internalDecision(placeOfNode(file, node), internal))
      if (!isCallerToken(node)) return
      const why =
        'authInfo.token throws, because a token of Edgeway is for Edgeway alone: call other services with what the props contain'
      decisions.push({
        ...placeOfNode(file, node),
        code: 'caller-token',
        why,
        guide: guide.moving('authinfo'),
      })
    },
  })
  if (changes !== undefined) {
    const why =
      'Changes reach clients by features: [changes()] and the binding MCP_OBJECTS; without them nothing is sent'
    decisions.push({
      ...changes,
      code: 'changes-need-feature',
      why,
      guide: guide.moving('the-entry'),
    })
  }
  return decisions
}

function optionDecisions(file: SourceFile, options: Node | undefined): readonly Decision[] {
  const anchor = guide.moving('what-does-not-carry')
  const found = Object.entries(NOT_CARRIED).flatMap(([option, instead]): Decision[] => {
    const property = propertyOf(options, option)
    if (property === undefined) return []
    const why = `The option ${option} is not carried: ${instead}`
    return [{ ...placeOfNode(file, property), code: 'handler-option', why, guide: anchor }]
  })
  const mode = propertyOf(options, 'responseMode')
  const isAuto = mode?.type === 'ObjectProperty' && textOf(mode.value) === 'auto'
  if (mode === undefined || isAuto) return found
  const why = 'The option responseMode is not carried: Edgeway chooses between JSON and a stream'
  return [...found, { ...placeOfNode(file, mode), code: 'handler-option', why, guide: anchor }]
}

function methodOf(callee: Node): string | undefined {
  const isMember = callee.type === 'MemberExpression' || callee.type === 'OptionalMemberExpression'
  if (!isMember || callee.computed || callee.property.type !== 'Identifier') return undefined
  return callee.property.name
}

/** Whether the function of a question has awaited anything else before it asks. */
function worksBefore(path: NodePath): boolean {
  const handler = path.getFunctionParent()
  const asked = path.node.start ?? 0
  let works = false
  handler?.traverse({
    Function: (inner) => {
      if (!path.findParent((parent) => parent === inner)) inner.skip()
    },
    AwaitExpression({ node }) {
      const { argument } = node
      const call = argument.type === 'CallExpression' ? methodOf(argument.callee) : undefined
      const isSafe = call === 'step' || ASKING.includes(call ?? '')
      if ((node.end ?? 0) <= asked && !isSafe) works = true
    },
  })
  return works
}

function askDecision(place: Place, method: string): Decision {
  const why = `${method}() ends the handler, which runs again from the top when the answer arrives: what it awaits before must be repeatable, or belongs in getContext().step() of edgeway/context`
  return { ...place, code: 'ask-runs-again', why, guide: guide.moving('handlers-that-ask') }
}

function taskDecision(place: Place): Decision {
  const why =
    'A task tool needs features: [tasks()], and the class McpObjects with the binding MCP_OBJECTS'
  return { ...place, code: 'task-tools', why, guide: guide.moving('task-tools') }
}

function taskOption(place: Place, option: string): Decision {
  const why = `Remove the option ${option}: Edgeway stores tasks itself`
  return { ...place, code: 'task-tools', why, guide: guide.moving('task-tools') }
}

function reservedDecision(place: Place, first: Node | undefined): readonly Decision[] {
  const method = textOf(first) ?? (first?.type === 'Identifier' ? SCHEMAS[first.name] : undefined)
  if (method === undefined || !RESERVED.includes(method)) return []
  const why = `${method} cannot have a handler, because Edgeway answers it`
  return [{ ...place, code: 'reserved-method', why, guide: guide.moving('what-does-not-carry') }]
}

const SCHEMAS: Readonly<Record<string, string>> = {
  InitializeRequestSchema: 'initialize',
  PingRequestSchema: 'ping',
}

/** Members of the classes of the SDK that its documentation does not have. */
const INTERNAL =
  /^_(?:registered(?:Tools|Prompts|Resources|ResourceTemplates)|(?:request|notification)Handlers|onclose|onrequest|transport|serverInfo|client(?:Capabilities|Version))$/

function internalMember(node: Node): string | undefined {
  if (node.type !== 'MemberExpression' && node.type !== 'OptionalMemberExpression') return undefined
  const { object, property, computed } = node
  // A class may have members of its own with such names.
  if (object.type === 'ThisExpression') return undefined
  const name = computed ? textOf(property) : property.type === 'Identifier' ? property.name : ''
  return name !== undefined && INTERNAL.test(name) ? name : undefined
}

function internalDecision(place: Place, name: string): Decision {
  const why = `${name} is an internal member of the SDK, which the server of Edgeway does not have`
  return { ...place, code: 'internal-member', why, guide: guide.moving('what-does-not-carry') }
}

/** `authInfo.token`, or `extra.authInfo?.token`. */
function isCallerToken(node: Node): boolean {
  if (node.type !== 'MemberExpression' && node.type !== 'OptionalMemberExpression') return false
  const { object, property } = node
  if (property.type !== 'Identifier' || property.name !== 'token' || node.computed) return false
  const owner = object.type === 'TSNonNullExpression' ? object.expression : object
  return (owner.type === 'Identifier' ? owner.name : methodOf(owner)) === 'authInfo'
}

/** The first question of a file, where it asks. */
export function firstQuestion(file: SourceFile): Place | undefined {
  let place: Place | undefined
  visit(file, {
    CallExpression(path) {
      const { node } = path
      const origin = originOf(path.get('callee') as NodePath)
      const asks = ASKING.includes(methodOf(node.callee) ?? '') || origin?.name === 'inputRequired'
      if (asks) place ??= placeOfNode(file, node)
    },
  })
  return place
}
