/** A file of the project that is JavaScript or TypeScript, with its syntax tree. */
import { type ParserOptions, type ParserPlugin, parse } from '@babel/parser'
import traverse, { type NodePath, type Visitor } from '@babel/traverse'
import type { File, Identifier, Node } from '@babel/types'
import { CommandError } from '../../text/src/command-error.ts'
import { printable } from '../../text/src/terminal-text.ts'
import type { Place } from './plan.ts'
import { type SourceText, splitText } from './source-text.ts'

export interface SourceFile extends SourceText {
  /** Relative to the folder, with slashes. */
  readonly path: string
  readonly ast: File
  readonly isTypeScript: boolean
}

export const SOURCE_FILE = /\.(?:[cm]?[jt]s|[jt]sx)$/
/** Compilers and `wrangler types` write most of them, so none is changed. */
export const DECLARATION_FILE = /\.d\.(?:[\w-]+\.)?[cm]?ts$/

/** Tests, scripts and settings, which are no part of a server. */
export const TEST_FILE =
  /(?:^|\/)(?:tests?|__tests__|__mocks__|scripts|e2e|bench)\/|\.(?:test|spec|bench)\.|(?:^|\/)[\w.-]+\.config\./

/** Parameters can be decorated in the older form alone. */
const DECORATORS: readonly ParserPlugin[] = ['decorators', 'decorators-legacy']

/** @throws {CommandError} for a syntax error, with its place */
export function parseSource(path: string, contents: string): SourceFile {
  const { mark, text, eol } = splitText(contents)
  const isTypeScript = /\.[cm]?tsx?$/.test(path)
  let problem: unknown
  for (const plugins of pluginsFor(path, isTypeScript)) {
    try {
      const ast = parse(text, { ...OPTIONS, plugins: [...plugins] })
      // Finds names that are declared twice, which the parser allows.
      traverse(ast, { Program: (program) => program.stop() })
      return { path, mark, text, eol, ast, isTypeScript }
    } catch (error) {
      problem ??= error
    }
  }
  throw new CommandError(messageOf(path, problem))
}

const OPTIONS: ParserOptions = {
  sourceType: 'unambiguous',
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
  allowUndeclaredExports: true,
  errorRecovery: false,
}

function pluginsFor(path: string, isTypeScript: boolean): readonly (readonly ParserPlugin[])[] {
  const languages: readonly (readonly ParserPlugin[])[] = isTypeScript
    ? [/x$/.test(path) ? ['typescript', 'jsx'] : ['typescript']]
    : [['jsx'], ['jsx', 'flow']]
  return languages.flatMap((language) =>
    DECORATORS.map((decorators): ParserPlugin[] => [
      ...language,
      decorators,
      'decoratorAutoAccessors',
    ]),
  )
}

function messageOf(path: string, error: unknown): string {
  const { message, loc } = error as {
    readonly message: string
    readonly loc?: { readonly line: number; readonly column: number }
  }
  const place = loc === undefined ? '' : `:${loc.line}:${loc.column + 1}`
  const text = message.replace(/\.? \(\d+:\d+\)$/, '').split('\n')[0] ?? ''
  return `${printable(path, 1000)}${place} cannot be parsed: ${printable(text, 300)}. Correct it, and run the command again`
}

export function placeOfNode({ path }: SourceFile, node: Node): Place {
  const { line = 1, column = 0 } = node.loc?.start ?? {}
  return { file: path, line, column: column + 1 }
}

/** The range of a node in the text of its file. */
export function rangeOf(node: Node): readonly [number, number] {
  const { start, end } = node
  if (typeof start !== 'number' || typeof end !== 'number') throw new Error('A node has no range')
  return [start, end]
}

export function visit(file: SourceFile, visitor: Visitor): void {
  traverse(file.ast, visitor)
}

/** What a name of a file was imported as. The name of a namespace is `*`. */
export interface Origin {
  readonly module: string
  readonly name: string
}

/** The import behind an expression: a name, or a member of a namespace. Undefined where it is shadowed. */
export function originOf(path: NodePath | null | undefined): Origin | undefined {
  const { node } = path ?? {}
  if (path === null || path === undefined || node === null || node === undefined) return undefined
  if (node.type === 'Identifier') return originOfName(path, node.name)
  if (node.type === 'JSXIdentifier') return originOfName(path, node.name)
  if (node.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier') {
    const owner = originOf(path.get('object') as NodePath)
    return owner?.name === '*' ? { module: owner.module, name: node.property.name } : undefined
  }
  if (isWrapper(node)) return originOf(path.get('expression') as NodePath)
  return undefined
}

export const isWrapper = (node: Node): boolean =>
  /^(?:TSAsExpression|TSNonNullExpression|TSSatisfiesExpression|ParenthesizedExpression)$/.test(
    node.type,
  )

export function originOfName(path: NodePath, name: string): Origin | undefined {
  const binding = path.scope.getBinding(name)
  const declared = binding?.path
  if (declared === undefined) return undefined
  const { node, parent } = declared
  if (parent.type === 'ImportDeclaration') {
    const module = parent.source.value
    if (node.type === 'ImportSpecifier') return { module, name: nameOf(node.imported) }
    if (node.type === 'ImportDefaultSpecifier') return { module, name: 'default' }
    return { module, name: '*' }
  }
  if (node.type !== 'VariableDeclarator') return undefined
  const module = requiredModule(node.init)
  if (module === undefined) return undefined
  if (node.id.type === 'Identifier') return { module, name: '*' }
  if (node.id.type !== 'ObjectPattern') return undefined
  const property = node.id.properties.find(
    (entry) =>
      entry.type === 'ObjectProperty' &&
      entry.value.type === 'Identifier' &&
      entry.value.name === name,
  )
  if (property?.type !== 'ObjectProperty' || property.computed) return undefined
  return property.key.type === 'Identifier' ? { module, name: property.key.name } : undefined
}

/** The module of `require('…')` or `await import('…')`. */
function requiredModule(node: Node | null | undefined): string | undefined {
  const call = node?.type === 'AwaitExpression' ? node.argument : node
  if (call?.type === 'ImportExpression') return textOf(call.source)
  if (call?.type !== 'CallExpression') return undefined
  const { callee } = call
  const isRequire = callee.type === 'Identifier' && callee.name === 'require'
  return isRequire || callee.type === 'Import' ? textOf(call.arguments[0]) : undefined
}

/** The text of a literal without substitutions. */
export function textOf(node: Node | null | undefined): string | undefined {
  if (node?.type === 'StringLiteral') return node.value
  if (node?.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined
  return node.quasis[0]?.value.cooked ?? undefined
}

/** The name of an imported or exported binding, which may be a text. */
export const nameOf = (node: Identifier | { readonly value: string }): string =>
  'value' in node ? node.value : node.name
