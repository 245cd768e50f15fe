/** Bundles kept between runs, each with the fingerprints of all it was made of. */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { PROJECT_DIRECTORY } from './project.ts'
import type { WorkerBundle } from './worker-bundle.ts'

interface KeptBundle {
  /** SHA-256 of each input, by its absolute path. */
  readonly inputs: Readonly<Record<string, string>>
  readonly bundle: WorkerBundle
}

/** The bundle kept for a configuration, if every input is still what it was. */
export async function readKeptBundle(configPath: string): Promise<WorkerBundle | undefined> {
  let kept: KeptBundle
  try {
    kept = JSON.parse(await readFile(cachePath(configPath), 'utf8'))
  } catch {
    // Nothing kept yet, or nothing that can be read: it is made anew.
    return undefined
  }
  const now = await fingerprint(Object.keys(kept.inputs))
  const fresh = Object.entries(kept.inputs).every(([path, digest]) => now[path] === digest)
  return fresh ? kept.bundle : undefined
}

/** Keeps a bundle. The file is replaced in one step, so that servers starting together may share it. */
export async function keepBundle(
  configPath: string,
  inputs: readonly string[],
  bundle: WorkerBundle,
): Promise<void> {
  const path = cachePath(configPath)
  const kept: KeptBundle = { inputs: await fingerprint(inputs), bundle }
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, JSON.stringify(kept))
  await rename(draft, path)
}

function cachePath(configPath: string): string {
  const name = relative(PROJECT_DIRECTORY, configPath).replaceAll(/[^\w.-]/g, '-')
  return join(PROJECT_DIRECTORY, '.wrangler/bundles', `${name}.json`)
}

async function fingerprint(paths: readonly string[]): Promise<Record<string, string>> {
  const entries = paths.map(async (path) => [path, await digestOf(path)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** An input that has gone differs from every digest. */
async function digestOf(path: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(path))
      .digest('hex')
  } catch {
    return 'missing'
  }
}
