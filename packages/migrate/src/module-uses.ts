/** The places of a file that name a module, with the names that each takes from it. */
import type { NodePath } from '@babel/traverse'
import type {
  ExportNamedDeclaration,
  ImportDeclaration,
  Node,
  StringLiteral,
  TemplateLiteral,
} from '@babel/types'
import { nameOf, type SourceFile, textOf, visit } from './source-file.ts'

export interface ModuleUse {
  readonly specifier: string
  readonly literal: StringLiteral | TemplateLiteral
  /** The names that are taken; undefined where they cannot be known. */
  readonly names: readonly string[] | undefined
  /** A declaration whose names can be divided among several modules. */
  readonly divisible?: ImportDeclaration | ExportNamedDeclaration
  /** `mock`: a text that is given to a function, such as `vi.mock`. */
  readonly kind: 'import' | 'mock'
}

/** @param isWanted whether a module matters */
export function moduleUses(
  file: SourceFile,
  isWanted: (specifier: string) => boolean,
): readonly ModuleUse[] {
  const uses: ModuleUse[] = []
  const add = (literal: Node | null | undefined, use: Omit<ModuleUse, 'specifier' | 'literal'>) => {
    const specifier = textOf(literal)
    if (specifier === undefined || !isWanted(specifier)) return
    uses.push({ ...use, specifier, literal: literal as StringLiteral })
  }
  visit(file, {
    ImportDeclaration(path) {
      add(path.node.source, importUse(path))
    },
    ExportNamedDeclaration({ node }) {
      const names = node.specifiers.flatMap((specifier) =>
        specifier.type === 'ExportSpecifier' ? nameOf(specifier.local) : '*',
      )
      add(node.source, { kind: 'import', divisible: node, names: knownNames(names) })
    },
    ExportAllDeclaration({ node }) {
      add(node.source, { kind: 'import', names: undefined })
    },
    ImportExpression(path) {
      add(path.node.source, { kind: 'import', names: namesTaken(path) })
    },
    CallExpression(path) {
      const {
        callee,
        arguments: [first],
      } = path.node
      const isRequire =
        callee.type === 'Identifier' &&
        callee.name === 'require' &&
        !path.scope.hasBinding('require')
      if (isRequire) add(first, { kind: 'import', names: namesTaken(path) })
      else add(first, { kind: 'mock', names: undefined })
    },
    TSImportType({ node }) {
      add(node.source, { kind: 'import', names: qualifierOf(node) })
    },
    TSExternalModuleReference(path) {
      const { parent } = path
      const local = parent.type === 'TSImportEqualsDeclaration' ? parent.id.name : undefined
      const names = local === undefined ? undefined : membersOf(path, local)
      add(path.node.expression, { kind: 'import', names })
    },
    TSModuleDeclaration({ node }) {
      add(node.id, { kind: 'import', names: undefined })
    },
  })
  return uses
}

function importUse(path: NodePath<ImportDeclaration>): Omit<ModuleUse, 'specifier' | 'literal'> {
  const { node } = path
  const [first] = node.specifiers
  // An import for its effects.
  if (first === undefined) return { kind: 'import', names: undefined }
  if (node.specifiers.every(({ type }) => type === 'ImportSpecifier')) {
    const names = node.specifiers.flatMap((specifier) =>
      specifier.type === 'ImportSpecifier' ? nameOf(specifier.imported) : [],
    )
    return { kind: 'import', names, divisible: node }
  }
  if (node.specifiers.length > 1 || first.type !== 'ImportNamespaceSpecifier') {
    return { kind: 'import', names: undefined }
  }
  return { kind: 'import', names: membersOf(path, first.local.name) }
}

const knownNames = (names: readonly string[]) => (names.includes('*') ? undefined : names)

/** The members of a namespace that a file uses; undefined where the namespace itself is used. */
function membersOf(path: NodePath, local: string): readonly string[] | undefined {
  const names: string[] = []
  let isKnown = true
  const program = path.findParent((parent) => parent.isProgram())
  const binding = program?.scope.getBinding(local)
  const use = (one: NodePath, name: string | undefined) => {
    if (one.scope.getBinding(local) !== binding) return
    if (name === undefined) isKnown = false
    else names.push(name)
  }
  program?.traverse({
    Identifier(one) {
      if (one.node.name !== local || isDeclared(one)) return
      use(one, memberName(one))
    },
    JSXIdentifier(one) {
      if (one.node.name === local) isKnown = false
    },
  })
  return isKnown ? names : undefined
}

/** Whether an identifier is no use of a variable: its declaration, or the name of a member. */
function isDeclared({ parent, node, key }: NodePath): boolean {
  if (/^(?:Import\w*Specifier|TSImportEqualsDeclaration)$/.test(parent.type))
    return key !== 'moduleReference'
  if (parent.type === 'TSQualifiedName') return parent.right === node
  const isName = key === 'property' || key === 'key'
  return isName && 'computed' in parent && parent.computed !== true
}

function memberName({ parent, node }: NodePath): string | undefined {
  if (parent.type === 'MemberExpression' || parent.type === 'OptionalMemberExpression') {
    if (parent.object !== node) return undefined
    return !parent.computed && parent.property.type === 'Identifier'
      ? parent.property.name
      : textOf(parent.property)
  }
  return parent.type === 'TSQualifiedName' && parent.left === node ? parent.right.name : undefined
}

/** The names that are taken of `require('…')` and `import('…')`. */
function namesTaken(path: NodePath): readonly string[] | undefined {
  const { parentPath } = path
  if (parentPath === null) return undefined
  const { node: parent } = parentPath
  if (parent.type === 'AwaitExpression' || parent.type === 'ParenthesizedExpression') {
    return namesTaken(parentPath)
  }
  if (parent.type === 'VariableDeclarator') return namesIn(parentPath, parent.id)
  if (parent.type !== 'MemberExpression' || parent.object !== path.node || parent.computed)
    return undefined
  if (parent.property.type !== 'Identifier') return undefined
  if (parent.property.name !== 'then') return [parent.property.name]
  const call = parentPath.parent
  const callback = call.type === 'CallExpression' ? call.arguments[0] : undefined
  const isFunction =
    callback?.type === 'ArrowFunctionExpression' || callback?.type === 'FunctionExpression'
  const [param] = isFunction ? callback.params : []
  return param?.type === 'ObjectPattern' ? keysOf(param) : undefined
}

function namesIn(path: NodePath, id: Node): readonly string[] | undefined {
  if (id.type === 'Identifier') return membersOfVariable(path, id.name)
  return id.type === 'ObjectPattern' ? keysOf(id) : undefined
}

function keysOf(pattern: Extract<Node, { type: 'ObjectPattern' }>): readonly string[] | undefined {
  const names = pattern.properties.map((property) => {
    if (property.type !== 'ObjectProperty' || property.computed) return '*'
    return property.key.type === 'Identifier' ? property.key.name : (textOf(property.key) ?? '*')
  })
  return knownNames(names)
}

function membersOfVariable(path: NodePath, local: string): readonly string[] | undefined {
  const binding = path.scope.getBinding(local)
  if (binding === undefined || !binding.constant) return undefined
  return knownNames(binding.referencePaths.map((one) => memberName(one) ?? '*'))
}

/** `McpServer` of `import('…').McpServer`. */
function qualifierOf(node: Extract<Node, { type: 'TSImportType' }>): readonly string[] | undefined {
  let { qualifier } = node
  while (qualifier?.type === 'TSQualifiedName') qualifier = qualifier.left
  return qualifier?.type === 'Identifier' ? [qualifier.name] : undefined
}
