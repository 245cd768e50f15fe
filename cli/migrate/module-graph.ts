/** The files that the main module of a Worker imports, as far as relative imports lead. */
import { posix } from 'node:path'
import { moduleUses } from './module-uses.ts'
import { MigrateError } from './migrate-error.ts'
import { parseSource, type SourceFile } from './source-file.ts'

const EXTENSIONS = ['.ts', '.tsx', '.mts', '.js', '.jsx', '.mjs', '.cjs', '.cts']

/**
 * @param sources all files of the project that can be imported
 * @param read the contents of one
 */
export function reachableFrom(
  mains: readonly string[],
  sources: ReadonlySet<string>,
  read: (file: string) => string,
): ReadonlySet<string> {
  const reached = new Set<string>()
  const left = mains.filter((file) => sources.has(file))
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    for (const specifier of relativeImports(file, read)) {
      const found = resolveFile(posix.join(posix.dirname(file), specifier), sources)
      if (found !== undefined) left.push(found)
    }
  }
  return reached
}

function relativeImports(file: string, read: (file: string) => string): readonly string[] {
  let source: SourceFile
  try {
    source = parseSource(file, read(file))
  } catch (error) {
    // The file has nothing to do with the move, or it was named before.
    if (error instanceof MigrateError) return []
    throw error
  }
  return moduleUses(source, (name) => name.startsWith('.')).map(({ specifier }) => specifier)
}

/** The file of a module: its name may lack an extension, or have that of the compiled file. */
function resolveFile(path: string, sources: ReadonlySet<string>): string | undefined {
  const stem = path.replace(/\.[cm]?jsx?$/, '')
  const candidates = [
    path,
    ...EXTENSIONS.flatMap((extension) => [`${stem}${extension}`, `${path}${extension}`]),
    ...EXTENSIONS.map((extension) => `${path}/index${extension}`),
  ]
  return candidates.find((candidate) => sources.has(candidate))
}
