/** Bundles a Worker as it would deploy: minified by `wrangler deploy --dry-run`. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { EntryName, Lane } from '../lanes/lane.ts'

export const COMPATIBILITY_DATE = '2026-11-01'

const BENCH = fileURLToPath(new URL('..', import.meta.url))
const RESULTS = join(BENCH, 'results')

export interface Bundle {
  readonly folder: string
  readonly entry: string
  readonly compatibilityFlags: readonly string[]
  readonly gzipBytes: number
}

const bundles = new Map<string, Promise<Bundle>>()

/** The configuration of wrangler: with the names of functions, as it deploys by default, or without. */
type Names = 'named' | 'unnamed'

const CONFIGURATIONS: Readonly<Record<Names, string>> = {
  named: 'wrangler.toml',
  unnamed: 'wrangler.unnamed.toml',
}

/** Bundles an entry of a lane, once in a run. @throws {Error} with wrangler's output */
export function bundleOf(lane: Lane, entry: EntryName, names: Names = 'named'): Promise<Bundle> {
  const key = `${lane.folder}/${entry}/${names}`
  const bundled = bundles.get(key) ?? bundle(lane, entry, names)
  bundles.set(key, bundled)
  return bundled
}

async function bundle(
  { folder: name, source = join(BENCH, 'lanes', name), compatibilityFlags }: Lane,
  entry: EntryName,
  names: Names,
): Promise<Bundle> {
  const folder = join(RESULTS, 'bundles', name, entry, names)
  rmSync(folder, { recursive: true, force: true })
  const flags = compatibilityFlags.flatMap((flag) => ['--compatibility-flags', flag])
  await promisify(execFile)(
    join(BENCH, 'node_modules/.bin/wrangler'),
    [
      ...['deploy', join(source, `${entry}.ts`), '--dry-run', '--minify'],
      ...['--config', join(BENCH, CONFIGURATIONS[names]), '--outdir', folder],
      ...['--compatibility-date', COMPATIBILITY_DATE, ...flags],
    ],
    { cwd: BENCH, env: { ...process.env, CI: '1', WRANGLER_SEND_METRICS: 'false' } },
  )
  const script = join(folder, `${entry}.js`)
  if (!existsSync(script)) throw new Error(`wrangler wrote no ${basename(script)}`)
  return {
    folder,
    entry: `${entry}.js`,
    compatibilityFlags,
    gzipBytes: gzipSync(readFileSync(script), { level: 9 }).byteLength,
  }
}
