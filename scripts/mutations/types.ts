/** The type checker over a tree. It stores what it knows of the tree without a mutant, and reads that each time. */
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

export interface TypeChecker {
  /** The first error, or undefined where there is none. */
  check(): string | undefined
}

/**
 * Checks the tree as it is now, which must have no errors, and returns what checks it again.
 *
 * @throws {Error} when the tree has an error without a mutant
 */
export function createTypeChecker(directory: string): TypeChecker {
  const configs = configsOf(readFileSync(join(directory, 'package.json'), 'utf8'))
  const stores = join(directory, '.vitest/types')
  mkdirSync(stores, { recursive: true })
  const storeOf = (config: string) => join(stores, config.replaceAll('/', '-'))

  const check = (): string | undefined => {
    for (const config of configs) {
      const store = `${storeOf(config)}.now`
      rmSync(store, { force: true })
      if (existsSync(storeOf(config))) copyFileSync(storeOf(config), store)
      const { stdout, status } = spawnSync(
        join(directory, 'node_modules/.bin/tsc'),
        ['-p', config, '--incremental', '--tsBuildInfoFile', store, '--pretty', 'false'],
        { cwd: directory, encoding: 'utf8' },
      )
      if (status !== 0) return stdout.split('\n', 1)[0] ?? 'tsc failed'
    }
    return undefined
  }

  const error = check()
  if (error !== undefined) {
    throw new Error(`The types have an error without a mutant. Repair it first: ${error}`)
  }
  for (const config of configs) copyFileSync(`${storeOf(config)}.now`, storeOf(config))
  return { check }
}

/** The configurations that `npm run typecheck` names. */
export function configsOf(packageJson: string): readonly string[] {
  return String(JSON.parse(packageJson).scripts.typecheck).match(/\S+\.json/g) ?? []
}
