/** The files that the main module of a Worker imports, as far as relative imports lead. */
import { posix } from 'node:path'
import { moduleUses } from './module-uses.ts'
import type { SourceFile } from './source-file.ts'

const EXTENSIONS = ['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs', '.cjs', '.cts']

/**
 * @param sources all files of the project that can be imported
 * @param parse undefined for a file that cannot be parsed
 */
export function reachableFrom(
  mains: readonly string[],
  sources: ReadonlySet<string>,
  parse: (file: string) => SourceFile | undefined,
): ReadonlySet<string> {
  const reached = new Set<string>()
  const left = mains.filter((file) => sources.has(file))
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    const source = parse(file)
    const imports = source === undefined ? [] : moduleUses(source, (name) => name.startsWith('.'))
    for (const { specifier } of imports) {
      const found = resolveFile(posix.join(posix.dirname(file), specifier), sources)
      if (found !== undefined) left.push(found)
    }
  }
  return reached
}

/** The file of a module: its name may lack an extension, or have that of the compiled file. */
export function resolveFile(path: string, sources: ReadonlySet<string>): string | undefined {
  const stem = path.replace(/\.[cm]?jsx?$/, '')
  const candidates = [
    path,
    ...EXTENSIONS.flatMap((extension) => [`${stem}${extension}`, `${path}${extension}`]),
    ...EXTENSIONS.map((extension) => `${path}/index${extension}`),
  ]
  return candidates.find((candidate) => sources.has(candidate))
}
