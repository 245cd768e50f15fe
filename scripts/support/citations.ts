/**
 * The citations of a test file: which test verifies which requirement, by the calls of `verifies('…')` in it. They
 * are read from the syntax, without running the file.
 */
import { childrenOf, isNode, parseSource, type SyntaxNode } from './syntax.ts'

export interface Citation {
  /** `<document>/<id>`. */
  readonly requirement: string
  /** The path of the file from the project's directory. */
  readonly file: string
  /** The `describe`s and the title of the test, joined with ` > `, as the file spells them. */
  readonly test: string
  /** A text of the row that verifies the requirement, in a test that runs over a table. */
  readonly row?: string
}

export interface Citations {
  readonly citations: readonly Citation[]
  /** What does not name a requirement from inside a test, or is in a test that does not run. */
  readonly faults: readonly string[]
}

/** `scenario` of `test/scenarios` generates a test for each client. */
const TESTS = ['it', 'test', 'scenario']

interface Place {
  readonly titles: readonly string[]
  readonly isTest: boolean
  readonly isSkipped: boolean
}

/** Collects the citations of one file. */
export function citationsOf(file: string, source: string): Citations {
  const citations: Citation[] = []
  const faults: string[] = []
  if (!source.includes('verifies(')) return { citations, faults }

  const visit = (node: SyntaxNode, place: Place): void => {
    const inside = node.type === 'CallExpression' ? enter(node, place) : place
    for (const child of childrenOf(node)) visit(child, inside)
  }
  const enter = (call: SyntaxNode, place: Place): Place => {
    const [root, ...modifiers] = namesOf(call.callee)
    const parameters = Array.isArray(call.arguments) ? call.arguments.filter(isNode) : []
    if (root === 'verifies') cite(call, parameters, place)
    const [title, ...rest] = parameters
    // `it.each(TABLE)` and `it.concurrent` are no tests yet: a test has a title and a function.
    if (title === undefined || rest.length === 0) return place
    if (root !== 'describe' && !TESTS.includes(root ?? '')) return place
    return {
      titles: [...place.titles, titleOf(title, source)],
      isTest: root !== 'describe',
      isSkipped: place.isSkipped || modifiers.some((name) => name === 'skip' || name === 'todo'),
    }
  }
  const cite = (call: SyntaxNode, parameters: readonly SyntaxNode[], place: Place): void => {
    const row = rowOf(parameters.at(-1))
    const requirements = (row === undefined ? parameters : parameters.slice(0, -1)).map(
      ({ value }) => value,
    )
    const text = `${file}: ${source.slice(call.start, call.end)}`
    if (requirements.length === 0) faults.push(`${text} names no requirement`)
    if (!place.isTest) faults.push(`${text} is not in a test`)
    if (place.isSkipped) faults.push(`${text} is in a test that is skipped`)
    for (const requirement of requirements) {
      if (typeof requirement !== 'string') faults.push(`${text} does not spell a requirement`)
      else citations.push({ requirement, file, test: place.titles.join(' > '), ...row })
    }
  }

  const program = parseSource(source)
  if (isNode(program)) visit(program, { titles: [], isTest: false, isSkipped: false })
  return { citations, faults }
}

/** The row in the last argument: `{ row: '…' }`. */
function rowOf(argument: SyntaxNode | undefined): { readonly row: string } | undefined {
  if (argument?.type !== 'ObjectExpression') return undefined
  const [property] = childrenOf(argument)
  const value = property === undefined || !isNode(property.value) ? '' : property.value.value
  return { row: String(value) }
}

/** The names of a chain of calls: `it` and `each` of `it.each(TABLE)('…')`. */
function namesOf(callee: unknown): readonly string[] {
  if (!isNode(callee)) return []
  if (callee.type === 'Identifier') return [String(callee.name)]
  if (callee.type === 'CallExpression') return namesOf(callee.callee)
  if (callee.type !== 'MemberExpression') return []
  const object = namesOf(callee.object)
  return object.length === 0 ? [] : [...object, ...namesOf(callee.property)]
}

/** A title as the file spells it: the value of a string, the source of a template or of an expression. */
function titleOf(argument: SyntaxNode, source: string): string {
  if (typeof argument.value === 'string') return argument.value
  const quotes = argument.type === 'TemplateLiteral' ? 1 : 0
  return source.slice(argument.start + quotes, argument.end - quotes)
}
