/** Adds the export of a class to the main module of the Worker. */
import traverse from '@babel/traverse'
import type { Node, Statement } from '@babel/types'
import type MagicString from 'magic-string'
import { OBJECTS_CLASS } from '../../doctor/src/config/object-classes.ts'
import type { ObjectBinding } from './configuration/worker-configuration.ts'
import { propertyOf } from './decisions/agents.ts'
import { DEFAULT_BINDING, type ServedAgent } from './decisions/serving.ts'
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
 * @param served how the agents are served
 * @returns undefined where the module does not name every agent
 */
export function objectsExport(
  file: SourceFile,
  agents: readonly ObjectBinding[],
  served: readonly ServedAgent[],
): ObjectsExport | undefined {
  const calls = agents.map(({ name: binding, className }) => {
    const one = served.find((each) => each.binding === binding)
    const name = one?.name ?? className
    return hasName(file, name)
      ? `${name}.serve(${argumentsText(quoteIn(file), binding, one)})`
      : undefined
  })
  if (calls.includes(undefined)) return undefined
  const base = calls.length === 1 ? `${calls[0]}.Objects` : `objectsOf(${calls.join(', ')})`
  const line = `export class ${OBJECTS_CLASS} extends ${base} {}`
  return { line, needsImport: calls.length > 1 }
}

interface ObjectsExport {
  readonly line: string
  /** Whether the line calls `objectsOf`. */
  readonly needsImport: boolean
}

/** The arguments of `serve()` that name objects. The path does not. */
function argumentsText(quote: string, binding: string, served: ServedAgent | undefined): string {
  const [path, options] = served?.node.arguments ?? []
  const jurisdiction = propertyOf(options, 'jurisdiction')
  const kept = [
    ...(binding === DEFAULT_BINDING ? [] : [`binding: ${quote}${binding}${quote}`]),
    ...(jurisdiction === undefined ? [] : [served?.file.text.slice(...rangeOf(jurisdiction))]),
  ]
  const first = `${quote}${textOf(path) ?? '/mcp'}${quote}`
  return [first, ...(kept.length === 0 ? [] : [`{ ${kept.join(', ')} }`])].join(', ')
}

const lastImport = ({ ast }: SourceFile) =>
  ast.program.body.findLast((statement) => statement.type === 'ImportDeclaration')

/** The quote of the imports of a file. */
function quoteIn(file: SourceFile): string {
  const last = lastImport(file)
  return (last && file.text[rangeOf(last.source)[0]]) ?? "'"
}

/** Writes the export at the end of the file, in its style. */
export function addObjectsExport(
  file: SourceFile,
  output: MagicString,
  { line, needsImport }: ObjectsExport,
): void {
  const { text, eol } = file
  output.append(`${text === '' || text.endsWith('\n') ? '' : eol}${eol}${line}${eol}`)
  if (!needsImport) return
  const last = lastImport(file)
  const [start, end] = last === undefined ? [0, 0] : rangeOf(last)
  const quote = quoteIn(file)
  const semicolon = text[end - 1] === ';' ? ';' : ''
  output.appendLeft(start, `import { objectsOf } from ${quote}edgeway${quote}${semicolon}${eol}`)
}
