/** The entries of the package, and the modules of this checkout that they are built from. */
import { dirname, join, resolve } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }

const ROOT = resolve(import.meta.dirname, '../../..')

/** `edgeway/tasks` and the path of its module. */
const SOURCES: ReadonlyMap<string, string> = new Map(
  Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [
          [
            entry.replace('.', 'edgeway'),
            join(ROOT, target.default.replace('./dist/', '').replace(/\.js$/, '.ts')),
          ] as const,
        ],
  ),
)

const ENTRIES = new Map(Array.from(SOURCES, ([entry, source]) => [source, entry]))

/** A module of an author, whose imports lead to the sources of this checkout. */
export const ofCheckout = (source: string): string =>
  source.replace(/from '(edgeway(?:\/[a-z-]+)?)'/g, (statement, entry: string) => {
    const module = SOURCES.get(entry)
    return module === undefined ? statement : `from '${module}'`
  })

/** A module of this checkout as an author writes it: it imports the entries. @param file its path */
export const asAuthor = (source: string, file: string): string =>
  source.replace(/'(\.{1,2}\/[^'\n]*)'/g, (specifier, path: string) => {
    const entry = ENTRIES.get(resolve(dirname(file), path))
    return entry === undefined ? specifier : `'${entry}'`
  })
