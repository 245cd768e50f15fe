/** The files that the main module of a Worker imports, by relative paths and by aliases of folders. */
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
    const imports = source === undefined ? [] : moduleUses(source, (name) => /^\.|\//.test(name))
    for (const { specifier } of imports) {
      const found = specifier.startsWith('.')
        ? resolveFile(posix.join(posix.dirname(file), specifier), sources)
        : resolveAlias(specifier, sources)
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

/**
 * The file of an alias such as `@/server` or `src/server`. Whether `tsconfig.json`, a bundler or `package.json` defines it
 * is not read: a file that is found by mistake is only checked as a part of the server.
 */
function resolveAlias(specifier: string, sources: ReadonlySet<string>): string | undefined {
  const rest = specifier.slice(specifier.indexOf('/') + 1)
  const direct = resolveFile(specifier, sources) ?? resolveFile(rest, sources)
  if (direct !== undefined) return direct
  const folders = new Set([...sources].map((file) => posix.dirname(file)))
  for (const folder of folders) {
    const found = resolveFile(posix.join(folder, rest), sources)
    if (found !== undefined) return found
  }
  return undefined
}
