/** The mutants of one file: small changes of its syntax, each of which a test should find. */
import { childrenOf, isNode, parseSource, type SyntaxNode } from '../support/syntax.ts'

export const MUTANT_KINDS = ['condition', 'boundary', 'return', 'statement'] as const
export type MutantKind = (typeof MUTANT_KINDS)[number]

export interface Mutant {
  readonly file: string
  /** The line of the changed text, counted from 1. */
  readonly line: number
  /** The line on which the statement around the changed text begins: the line that coverage knows. */
  readonly statementLine: number
  readonly kind: MutantKind
  readonly start: number
  readonly end: number
  readonly before: string
  readonly after: string
}

const BOUNDARIES: Readonly<Record<string, string>> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>' }
const COMPARISONS = ['==', '!=', '===', '!==', 'in', 'instanceof', ...Object.keys(BOUNDARIES)]
const LOOPS = ['WhileStatement', 'DoWhileStatement', 'ForStatement']

/** Syntax that holds an expression and a type. Every other node whose type begins with TS is a type. */
const TYPED_EXPRESSIONS = ['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']

/** Replaces any value. A type would find `undefined` alone, which says nothing of the tests. */
const NO_VALUE = 'undefined as never'

interface Place {
  readonly statement: SyntaxNode | undefined
  /** Inside a loop without a function between them: a removed assignment could make it endless. */
  readonly inLoop: boolean
}

/** Every mutant of a source. Types, texts, imports and what begins a module's own calls are left alone. */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const mutants: Mutant[] = []
  const lineAt = lineFinder(source)
  const textOf = ({ start, end }: SyntaxNode) => source.slice(start, end)

  const visit = (node: SyntaxNode, outer: Place): void => {
    if (isType(node) || node.type === 'ImportDeclaration') return
    const place = placeOf(node, outer)
    const add = (kind: MutantKind, { start, end }: Span, after: string) => {
      const statement = place.statement ?? node
      mutants.push({
        ...{ file, line: lineAt(start), statementLine: lineAt(statement.start), kind, start, end },
        ...{ before: source.slice(start, end), after },
      })
    }
    const test = conditionOf(node)
    if (test !== undefined) add('condition', test, `!(${textOf(test)})`)
    const operator = operatorOf(node, source)
    if (operator !== undefined) add(operator.kind, operator, operator.after)
    const value = returnedBy(node)
    const replaced = value && replacementOf(value, textOf)
    if (value !== undefined && replaced !== undefined) add('return', value, replaced)
    if (isRemovable(node, place)) add('statement', node, ';')
    for (const child of childrenOf(node)) visit(child, place)
  }

  const program = parseSource(source, file.endsWith('.tsx') ? 'tsx' : 'ts')
  if (isNode(program)) visit(program, { statement: undefined, inLoop: false })
  return mutants
}

/** The source with the change of a mutant. */
export const mutate = (source: string, { start, end, after }: Mutant): string =>
  source.slice(0, start) + after + source.slice(end)

type Span = Pick<SyntaxNode, 'start' | 'end'>

const isType = ({ type }: SyntaxNode): boolean =>
  type.startsWith('TS') && !TYPED_EXPRESSIONS.includes(type)

const isFunction = ({ type }: SyntaxNode): boolean => type.includes('Function')

function placeOf(node: SyntaxNode, outer: Place): Place {
  const isStatement = node.type.endsWith('Statement') || node.type.endsWith('Declaration')
  const hasOwnBody = node.type === 'BlockStatement' || isFunction(node)
  return {
    statement: isStatement && !hasOwnBody ? node : outer.statement,
    inLoop: LOOPS.includes(node.type) || (outer.inLoop && !isFunction(node)),
  }
}

/** The test of a choice. That of a loop is left alone: its negation would seldom end. */
function conditionOf(node: SyntaxNode): SyntaxNode | undefined {
  const hasTest = node.type === 'IfStatement' || node.type === 'ConditionalExpression'
  return hasTest && isNode(node.test) ? node.test : undefined
}

interface Operator extends Span {
  readonly kind: MutantKind
  readonly after: string
}

function operatorOf(node: SyntaxNode, source: string): Operator | undefined {
  const { type, operator, left, right } = node
  if (typeof operator !== 'string' || !isNode(left) || !isNode(right)) return undefined
  const start = source.indexOf(operator, left.end)
  const span = { start, end: start + operator.length }
  // A comment between the operands can hold the operator.
  if (!/^[\s()]*$/.test(source.slice(left.end, start))) return undefined
  const boundary = type === 'BinaryExpression' ? BOUNDARIES[operator] : undefined
  if (boundary !== undefined) return { ...span, kind: 'boundary', after: boundary }
  if (type !== 'LogicalExpression' || operator === '??') return undefined
  return { ...span, kind: 'condition', after: operator === '&&' ? '||' : '&&' }
}

function returnedBy(node: SyntaxNode): SyntaxNode | undefined {
  if (node.type === 'ReturnStatement' && isNode(node.argument)) return node.argument
  const isShort = node.type === 'ArrowFunctionExpression' && node.expression === true
  return isShort && isNode(node.body) ? node.body : undefined
}

/** What replaces a returned value, or undefined for one that is left alone: a text, or no value. */
function replacementOf(
  value: SyntaxNode,
  textOf: (node: SyntaxNode) => string,
): string | undefined {
  const text = textOf(value)
  if (value.type === 'Literal' && typeof value.value === 'boolean') return String(!value.value)
  if (value.type === 'Literal' && typeof value.value === 'number') return `(${text} + 1)`
  if (value.type === 'Literal' && typeof value.value === 'string' && /\s/.test(text)) return
  if (value.type === 'TemplateLiteral') return
  if (text === 'undefined' || text.startsWith('void ')) return
  if (value.type === 'UnaryExpression' && value.operator === '!') return `!(${text})`
  if (value.type === 'BinaryExpression' && COMPARISONS.includes(String(value.operator))) {
    return `!(${text})`
  }
  if (text === '[]') return
  if (value.type === 'ArrayExpression') return '[]'
  if (value.type.startsWith('JSX')) return text === 'null' ? undefined : 'null'
  return NO_VALUE
}

function isRemovable(node: SyntaxNode, { inLoop }: Place): boolean {
  if (node.type === 'ThrowStatement') return true
  if (node.type !== 'ExpressionStatement' || typeof node.directive === 'string') return false
  const { expression } = node
  if (!isNode(expression)) return false
  const { type, callee } = expression
  if (type === 'CallExpression' && isNode(callee) && callee.type === 'Super') return false
  return !(inLoop && (type === 'AssignmentExpression' || type === 'UpdateExpression'))
}

/** Returns a function that says on which line a position is. */
function lineFinder(source: string): (position: number) => number {
  const ends = [...source.matchAll(/\n/g)].map(({ index }) => index)
  return (position) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) < position) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}
