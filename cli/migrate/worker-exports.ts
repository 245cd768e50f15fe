/** Adds the export of a class to the main module of the Worker. */
import traverse from '@babel/traverse'
import type { Node, Statement } from '@babel/types'
import type MagicString from 'magic-string'
import { OBJECTS_CLASS } from '../config/object-classes.ts'
import { propertyOf } from './decisions/agents.ts'
import type { ServedAgent } from './decisions/serving.ts'
import { nameOf, rangeOf, type SourceFile, textOf } from './source-file.ts'

/** The names that a module exports itself. What `export *` brings is not known. */
export function exportsOf({ ast }: SourceFile): ReadonlySet<string> {
  return new Set(ast.program.body.flatMap(exportedBy))
}

function exportedBy(statement: Statement): readonly string[] {
  if (statement.type !== 'ExportNamedDeclaration') return []
  const { declaration, specifiers } = statement
  const named = specifiers.map((specifier) => nameOf(specifier.exported))
  if (declaration === null || declaration === undefined) return named
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.flatMap(({ id }) => namesIn(id))
  }
  const id = 'id' in declaration ? declaration.id : undefined
  return id?.type === 'Identifier' ? [id.name] : []
}

/** The names of a pattern, such as `const { McpObjects } = objects`. */
function namesIn(pattern: Node): readonly string[] {
  if (pattern.type === 'Identifier') return [pattern.name]
  if (pattern.type !== 'ObjectPattern') return []
  return pattern.properties.flatMap((property) =>
    property.type === 'ObjectProperty' ? namesIn(property.value) : [],
  )
}

/** Whether a module has a name of its own or of an import, so that a class at its end can use it. */
function hasName({ ast }: SourceFile, name: string): boolean {
  let found = false
  traverse(ast, {
    Program(program) {
      found = program.scope.hasOwnBinding(name)
      program.stop()
    },
  })
  return found
}

/**
 * The class of Edgeway of a Worker with agents, such as `export class McpObjects extends MyMCP.serve('/mcp').Objects {}`.
 *
 * @param served the agents of the Worker
 * @returns undefined where the module does not name every agent, or the path of one is not written out
 */
export function objectsExport(
  file: SourceFile,
  served: readonly ServedAgent[],
): ObjectsExport | undefined {
  const bindings = served.map(({ binding }) => binding)
  const calls = served.filter((one, at) => bindings.indexOf(one.binding) === at).map(serveCall)
  const isKnown = served.every(({ name }) => hasName(file, name)) && !calls.includes(undefined)
  if (calls.length === 0 || !isKnown) return undefined
  const base = calls.length === 1 ? `${calls[0]}.Objects` : `objectsOf(${calls.join(', ')})`
  const line = `export class ${OBJECTS_CLASS} extends ${base} {}`
  return { line, needsImport: calls.length > 1 }
}

interface ObjectsExport {
  readonly line: string
  /** Whether the line calls `objectsOf`. */
  readonly needsImport: boolean
}

/** The call of `serve()` with the options that name objects. */
function serveCall({ name, file, node }: ServedAgent): string | undefined {
  const [path, options] = node.arguments
  if (path?.type !== 'StringLiteral') return undefined
  const textAt = (part: Node) => file.text.slice(...rangeOf(part))
  const kept = ['binding', 'jurisdiction'].flatMap((option) => propertyOf(options, option) ?? [])
  if (kept.some((one) => one.type !== 'ObjectProperty' || textOf(one.value) === undefined)) {
    return undefined
  }
  const parts = [textAt(path), ...(kept.length === 0 ? [] : [`{ ${kept.map(textAt).join(', ')} }`])]
  return `${name}.serve(${parts.join(', ')})`
}

/** Writes the export at the end of the file, in its style. */
export function addObjectsExport(
  file: SourceFile,
  output: MagicString,
  { line, needsImport }: ObjectsExport,
): void {
  const { text, ast, eol } = file
  output.append(`${text === '' || text.endsWith('\n') ? '' : eol}${eol}${line}${eol}`)
  if (!needsImport) return
  const last = ast.program.body.findLast(({ type }) => type === 'ImportDeclaration')
  const [start] = last === undefined ? [0] : rangeOf(last)
  const isDouble = last !== undefined && text.slice(...rangeOf(last)).includes('"')
  const quote = isDouble ? '"' : "'"
  const semicolon = last !== undefined && text[rangeOf(last)[1] - 1] === ';' ? ';' : ''
  output.appendLeft(start, `import { objectsOf } from ${quote}edgeway${quote}${semicolon}${eol}`)
}
