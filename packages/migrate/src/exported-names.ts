/** The names that entries of this package export, read from its declarations. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from '@babel/parser'
import type { ExportNamedDeclaration } from '@babel/types'
import { PACKAGE_ROOT } from '../../text/src/package-root.ts'

/** Whether an exported name is a type alone. */
export type ExportKind = 'type' | 'value'

/** @param entry a package of this repository that is an entry of the npm package, such as `sdk` */
export function exportedNames(entry: string, root = PACKAGE_ROOT): ReadonlyMap<string, ExportKind> {
  const folder = `packages/${entry}/src`
  const candidates = [`${folder}/index.ts`, `dist/${folder}/index.d.ts`]
  const file = candidates.map((path) => join(root, path)).find((path) => existsSync(path))
  if (file === undefined) throw new Error(`The package has no declarations of ${entry}`)
  const names = new Map<string, ExportKind>()
  addNames(file, 'value', names)
  return names
}

function addNames(file: string, most: ExportKind, names: Map<string, ExportKind>): void {
  const plugins: [['typescript', { dts: boolean }]] = [['typescript', { dts: isDeclaration(file) }]]
  const { program } = parse(readFileSync(file, 'utf8'), { sourceType: 'module', plugins })
  for (const statement of program.body) {
    if (statement.type === 'ExportAllDeclaration') {
      const other = resolveModule(file, statement.source.value)
      if (other === undefined) continue
      addNames(other, statement.exportKind === 'type' ? 'type' : most, names)
    }
    if (statement.type !== 'ExportNamedDeclaration') continue
    for (const [name, kind] of namesOf(statement)) {
      const known = most === 'type' ? most : kind
      if (names.get(name) !== 'value') names.set(name, known)
    }
  }
}

function namesOf(statement: ExportNamedDeclaration): readonly (readonly [string, ExportKind])[] {
  const { declaration, specifiers, exportKind } = statement
  if (declaration?.type === 'VariableDeclaration') {
    return declaration.declarations.flatMap(({ id }) =>
      id.type === 'Identifier' ? [[id.name, 'value'] as const] : [],
    )
  }
  if (declaration !== null && declaration !== undefined) {
    const isType = /^TS(?:Interface|TypeAlias)Declaration$/.test(declaration.type)
    const id = 'id' in declaration ? declaration.id : undefined
    return id?.type === 'Identifier' ? [[id.name, isType ? 'type' : 'value']] : []
  }
  return specifiers.flatMap((specifier) => {
    if (specifier.type !== 'ExportSpecifier' || specifier.exported.type !== 'Identifier') return []
    const isType = exportKind === 'type' || specifier.exportKind === 'type'
    return [[specifier.exported.name, isType ? ('type' as const) : ('value' as const)]]
  })
}

/** The declarations of a relative module, which name the source of another by its extension, or its source. */
function resolveModule(from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  const path = join(dirname(from), specifier)
  const declarations = path.replace(/\.[jt]s$/, '.d.ts')
  return [declarations, path].find((file) => file.endsWith('.ts') && existsSync(file))
}

const isDeclaration = (file: string): boolean => file.endsWith('.d.ts')
