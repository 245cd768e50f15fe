/** A Worker as it would deploy: bundled and minified by `wrangler deploy --dry-run`. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'

export const COMPATIBILITY_DATE = '2026-11-01'

const BENCH = fileURLToPath(new URL('..', import.meta.url))
const RESULTS = join(BENCH, 'results')

export interface Bundle {
  readonly folder: string
  readonly entry: string
  readonly compatibilityFlags: readonly string[]
  readonly gzipBytes: number
}

/** Bundles `lanes/<lane>/<entry>.ts`. @throws {Error} with wrangler's own words */
export async function bundle(
  lane: string,
  entry: string,
  compatibilityFlags: readonly string[],
): Promise<Bundle> {
  const folder = join(RESULTS, 'bundles', lane, entry)
  rmSync(folder, { recursive: true, force: true })
  const flags = compatibilityFlags.flatMap((flag) => ['--compatibility-flags', flag])
  await promisify(execFile)(
    join(BENCH, 'node_modules/.bin/wrangler'),
    [
      ...['deploy', join(BENCH, 'lanes', lane, `${entry}.ts`), '--dry-run', '--minify'],
      ...['--config', join(BENCH, 'wrangler.toml'), '--outdir', folder],
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
