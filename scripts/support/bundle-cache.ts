/** Stores bundles between runs, each with the digests of its inputs. */
import { createHash, randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { V4WorkerOptionsShape } from 'miniflare'
import { PROJECT_DIRECTORY } from './project.ts'

export interface WorkerBundle {
  /** The one module of the Worker. */
  readonly script: string
  /** The compatibility settings and bindings of its `wrangler.toml`, as miniflare takes them. */
  readonly options: V4WorkerOptionsShape
}

interface CachedBundle {
  /** SHA-256 of each input, by its path in the project: a copy of the folder has inputs of its own. */
  readonly inputs: Readonly<Record<string, string>>
  readonly bundle: WorkerBundle
}

/** Bundles that this process has read, by configuration, with the modification times of their inputs. */
const known = new Map<string, CachedBundle & { readonly times: string }>()

/** The cached bundle of a configuration; undefined when an input has changed since. */
export async function readCachedBundle(configPath: string): Promise<WorkerBundle | undefined> {
  const before = known.get(configPath)
  if (before !== undefined && before.times === timesOf(before)) return before.bundle
  let cached: CachedBundle
  try {
    cached = JSON.parse(await readFile(cachePath(configPath), 'utf8'))
  } catch {
    // No cached bundle, or an unreadable one: the caller makes a new one.
    return undefined
  }
  const times = timesOf(cached)
  const now = await digest(Object.keys(cached.inputs))
  const fresh = Object.entries(cached.inputs).every(([path, value]) => now[path] === value)
  if (!fresh) return undefined
  known.set(configPath, { ...cached, times })
  return cached.bundle
}

/** Much cheaper than the digests, for a process that starts many servers. */
function timesOf({ inputs }: CachedBundle): string {
  const times = Object.keys(inputs).map(
    (path) => statSync(resolve(PROJECT_DIRECTORY, path), { throwIfNoEntry: false })?.mtimeMs,
  )
  return times.join()
}

/** Caches a bundle. The file is replaced atomically, because servers that start together share it. */
export async function writeCachedBundle(
  configPath: string,
  inputs: readonly string[],
  bundle: WorkerBundle,
): Promise<void> {
  const path = cachePath(configPath)
  const own = inputs.map((input) => relative(PROJECT_DIRECTORY, input))
  const cached: CachedBundle = { inputs: await digest(own), bundle }
  await mkdir(dirname(path), { recursive: true })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, JSON.stringify(cached))
  await rename(draft, path)
}

function cachePath(configPath: string): string {
  const name = relative(PROJECT_DIRECTORY, configPath).replaceAll(/[^\w.-]/g, '-')
  return join(PROJECT_DIRECTORY, '.wrangler/bundles', `${name}.json`)
}

async function digest(paths: readonly string[]): Promise<Record<string, string>> {
  const entries = paths.map(async (path) => [path, await digestOf(path)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** A deleted input differs from every digest. */
async function digestOf(path: string): Promise<string> {
  try {
    return createHash('sha256')
      .update(await readFile(resolve(PROJECT_DIRECTORY, path)))
      .digest('hex')
  } catch {
    return 'missing'
  }
}
