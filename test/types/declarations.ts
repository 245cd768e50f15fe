/** Reads built declarations: which types the public API names, and which it exports. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

interface Declaration {
  readonly name: string
  readonly keyword: string
  readonly isExported: boolean
  /** The declaration without comments and string literals. */
  readonly text: string
}

interface Module {
  readonly declarations: ReadonlyMap<string, Declaration>
  /** Local name to the name and file of an import. */
  readonly imports: ReadonlyMap<string, { readonly name: string; readonly file: string }>
  /** Exported name to the name and file of a re-export. */
  readonly reexports: ReadonlyMap<string, { readonly name: string; readonly file: string }>
  /** The files whose exports are all re-exported. */
  readonly stars: readonly string[]
}

const modules = new Map<string, Module>()

/**
 * Returns every type that is reachable from the exports of `entry` but not exported by it, with a path to it.
 *
 * @param others entries of the same package, which may export the type instead
 */
export function findUnexportedTypes(
  entry: string,
  others: readonly string[] = [],
): readonly string[] {
  const exported = new Set<string>()
  for (const each of [entry, ...others])
    for (const [, target] of exportsOf(each)) exported.add(keyOf(resolveName(target)))
  const seen = new Set<string>()
  const missing: string[] = []
  const visit = (file: string, name: string, path: readonly string[]): void => {
    const key = keyOf({ file, name })
    if (seen.has(key)) return
    seen.add(key)
    const here = [...path, name]
    const module = readModule(file)
    const declaration = module.declarations.get(name)
    if (declaration === undefined) throw new Error(`${file} declares no ${name}`)
    const isType = /interface|type|class/.test(declaration.keyword)
    if (isType && !exported.has(key)) missing.push(here.join(' > '))
    const names = new Set(declaration.text.match(/(?<![.\w$#])[A-Z][\w$]*/g) ?? [])
    for (const used of names) {
      if (used === name) continue
      const imported = module.imports.get(used)
      if (imported !== undefined) {
        const target = resolveName(imported)
        visit(target.file, target.name, here)
      } else if (module.declarations.has(used)) visit(file, used, here)
    }
  }
  for (const target of exportsOf(entry).values()) {
    const { file, name } = resolveName(target)
    visit(file, name, [])
  }
  return missing
}

/** The names that an entry exports. */
export const namesIn = (entry: string): readonly string[] => [...exportsOf(entry).keys()]

/** The exports of an entry: what it re-exports and what it declares itself. */
function exportsOf(entry: string): Module['reexports'] {
  const { declarations, reexports, stars } = readModule(entry)
  const all: Map<string, { readonly name: string; readonly file: string }> = new Map(reexports)
  for (const { name, isExported } of declarations.values())
    if (isExported) all.set(name, { name, file: entry })
  for (const file of stars) for (const [name, target] of exportsOf(file)) all.set(name, target)
  return all
}

function keyOf({ file, name }: { readonly file: string; readonly name: string }): string {
  return `${file}#${name}`
}

/** Follows re-exports to the file that declares a name. */
function resolveName(target: { readonly name: string; readonly file: string }): {
  readonly name: string
  readonly file: string
} {
  const next = readModule(target.file).reexports.get(target.name)
  return next === undefined ? target : resolveName(next)
}

function declarationsAt(file: string, path: string): string {
  return resolve(dirname(file), path).replace(/\.js$|\.ts$/, '.d.ts')
}

function readModule(file: string): Module {
  const known = modules.get(file)
  if (known !== undefined) return known
  const text = readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
  const imports = new Map<string, { name: string; file: string }>()
  const reexports = new Map<string, { name: string; file: string }>()
  const links = /^(import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from\s+['"](\.[^'"]+)['"];?/gm
  for (const [, keyword, list = '', path = ''] of text.matchAll(links)) {
    const target = declarationsAt(file, path)
    for (const item of list.split(',')) {
      const [name, alias] = item
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/)
      if (name === undefined || name === '') continue
      const map = keyword === 'import' ? imports : reexports
      map.set(alias ?? name, { name, file: target })
    }
  }
  const declarations = new Map<string, Declaration>()
  const start =
    /^(?:export\s+)?(?:declare\s+)?(?:abstract\s+)?(interface|type|class|function|const|let)\s+([\w$]+)/gm
  const starts = [...text.matchAll(start)]
  for (const [index, match] of starts.entries()) {
    const [, keyword = '', name = ''] = match
    const end = starts[index + 1]?.index ?? text.length
    const body = text
      .slice(match.index, end)
      .replace(/^(?:import|export)\s[^\n]*from[^\n]*$/gm, '')
      .replace(/'[^']*'|"[^"]*"/g, "''")
    const earlier = declarations.get(name)?.text ?? ''
    const isExported = match[0].startsWith('export')
    declarations.set(name, { name, keyword, isExported, text: `${earlier}\n${body}` })
  }
  const starred = text.matchAll(/^export\s+(?:type\s+)?\*\s+from\s+['"](\.[^'"]+)['"];?/gm)
  const stars = [...starred].map(([, path = '']) => declarationsAt(file, path))
  const module = { declarations, imports, reexports, stars }
  modules.set(file, module)
  return module
}
