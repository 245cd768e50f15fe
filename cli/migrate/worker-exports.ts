/** Adds the export of a class to the main module of the Worker. */
import type { Node, Statement } from '@babel/types'
import type MagicString from 'magic-string'
import { AGENTS } from './modules.ts'
import { nameOf, rangeOf, type SourceFile } from './source-file.ts'

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

/** The names of a pattern, such as `const { McpKeyring } = edgeway.objects`. */
function namesIn(pattern: Node): readonly string[] {
  if (pattern.type === 'Identifier') return [pattern.name]
  if (pattern.type !== 'ObjectPattern') return []
  return pattern.properties.flatMap((property) =>
    property.type === 'ObjectProperty' ? namesIn(property.value) : [],
  )
}

/** Writes `export { McpKeyring } from 'edgeway/agents'` behind the imports, in the style of the file. */
export function addAgentExport(file: SourceFile, output: MagicString, name: string): void {
  const { text, ast, eol } = file
  const imports = ast.program.body.filter(({ type }) => type === 'ImportDeclaration')
  const last = imports.at(-1)
  const line = `export { ${name} } from ${styled(file, imports)}`
  if (last === undefined) {
    output.append(`${text === '' || text.endsWith('\n') ? '' : eol}${line}${eol}`)
    return
  }
  const [, end] = rangeOf(last)
  const rest = /^[ \t]*(?:\/\/[^\r\n]*)?(?=\r?\n|$)/.exec(text.slice(end))
  output.appendLeft(end + (rest?.[0].length ?? 0), `${eol}${line}${rest === null ? eol : ''}`)
}

function styled({ text }: SourceFile, imports: readonly Statement[]): string {
  const last = imports.at(-1)
  if (last?.type !== 'ImportDeclaration') return `'${AGENTS}'`
  const quote = text[rangeOf(last.source)[0]] ?? "'"
  const semicolon = text[rangeOf(last)[1] - 1] === ';' ? ';' : ''
  return `${quote}${AGENTS}${quote}${semicolon}`
}
