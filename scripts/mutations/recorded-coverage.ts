/** The coverage of a tree: recorded once for each state of its source, and read from then on. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readCompressed, writeCompressed } from '../support/compressed-json.ts'
import type { Coverage } from './coverage.ts'
import { startHost } from './host.ts'
import { isSource, MUTATIONS_DIRECTORY, type Tree } from './tree.ts'

const RECORD_LIMIT_MS = 120 * 60_000

/**
 * Reads the coverage of some projects, or runs their tests once to record it, which `again` demands. It only says
 * which tests run first, so it is kept when tests change.
 *
 * @throws {Error} when the tests could not run
 */
export async function recordedCoverage(
  tree: Tree,
  projects: readonly string[],
  again: boolean,
  print: (line: string) => void,
): Promise<Coverage> {
  const path = join(MUTATIONS_DIRECTORY, 'coverage', `${tree.name}-${hashSource(tree)}.json.br`)
  if (existsSync(path) && !again) return readCompressed<Coverage>(path)
  print(`The tests of ${tree.name} run once to record which of them run which lines.`)
  const host = startHost(tree.directory)
  try {
    const { coverage } = await host.ask({ type: 'record', projects }, 'recorded', RECORD_LIMIT_MS)
    mkdirSync(dirname(path), { recursive: true })
    writeCompressed(path, coverage)
    return coverage
  } finally {
    await host.close()
  }
}

function hashSource({ directory, files }: Tree): string {
  const hash = createHash('sha256')
  for (const file of files.filter(isSource)) {
    hash.update(file).update(readFileSync(join(directory, file)))
  }
  return hash.digest('hex').slice(0, 16)
}
