/** The titles of the tests in a file, read from its syntax without running it. */
import { isNode, parseSource, type SyntaxNode } from './syntax.ts'

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

/**
 * Returns the path of every test in a source that is not skipped: its `describe`s and its title, joined
 * with ` > `. A title of a table keeps its placeholders, and a template literal its `${…}`.
 */
export function testTitles(source: string): ReadonlySet<string> {
  const titles = new Set<string>()
  const visit = (value: unknown, path: readonly string[]): void => {
    if (Array.isArray(value)) for (const item of value) visit(item, path)
    if (!isNode(value)) return
    const inside = value.type === 'CallExpression' ? enter(value, path) : path
    if (inside === undefined) return
    for (const child of Object.values(value)) visit(child, inside)
  }
  /** Returns the path inside a call, or undefined where its tests do not run. */
  const enter = (call: SyntaxNode, path: readonly string[]): readonly string[] | undefined => {
    const [root, ...modifiers] = namesOf(call.callee)
    const [title, ...rest] = Array.isArray(call.arguments) ? call.arguments : []
    // `it.each(TABLE)` and `it.concurrent` are no tests yet: a test has a title and a function.
    if (rest.length === 0 || !isNode(title)) return path
    if (root !== 'describe' && root !== 'it' && root !== 'test') return path
    if (modifiers.some((name) => name === 'skip' || name === 'todo')) return undefined
    const full = [...path, titleOf(title, source)]
    if (root !== 'describe') titles.add(full.join(' > '))
    return full
  }
  visit(parseSource(source), [])
  return titles
}
