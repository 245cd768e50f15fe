/** The folder of the package that this command belongs to, from its source and from its bundle. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// `import.meta.dirname` is absent before Node 20.11.
export const PACKAGE_ROOT = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(folder: string): string {
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'edgeway') {
    return folder
  }
  const parent = dirname(folder)
  if (parent === folder) throw new Error('This command is outside of the package edgeway')
  return findRoot(parent)
}
