/**
 * A Worker as one bundle, made by the same `wrangler deploy` that would publish it, and kept as long
 * as nothing it was made of has changed, so that a server is back quickly after a restart.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { keepBundle, readKeptBundle } from './bundle-cache.ts'
import { PROJECT_DIRECTORY } from './project.ts'
import type { WorkerBundle } from './worker-bundle.ts'

const run = promisify(execFile)

const WRANGLER = join(PROJECT_DIRECTORY, 'node_modules/wrangler/bin/wrangler.js')

/** Everything a bundle depends on besides what esbuild reads. */
const TOOLING = ['node_modules/wrangler/package.json', 'tsconfig.json', 'scripts/support/bundle.ts']

/**
 * Bundles the Worker that a `wrangler.toml` describes.
 *
 * @throws {Error} with wrangler's own message when it does not bundle
 */
export async function bundleWorker(configPath: string): Promise<WorkerBundle> {
  const kept = await readKeptBundle(configPath)
  if (kept !== undefined) return kept
  const outDirectory = await mkdtemp(join(tmpdir(), 'edgeway-bundle-'))
  try {
    const metafilePath = join(outDirectory, 'meta.json')
    await runWrangler(configPath, outDirectory, metafilePath)
    const bundle: WorkerBundle = {
      ...(await readWorkerConfig(configPath)),
      modules: await readModules(outDirectory),
    }
    const inputs = await readInputs(configPath, metafilePath)
    await keepBundle(configPath, [configPath, ...TOOLING.map(inProject), ...inputs], bundle)
    return bundle
  } finally {
    await rm(outDirectory, { recursive: true, force: true })
  }
}

function inProject(path: string): string {
  return join(PROJECT_DIRECTORY, path)
}

async function runWrangler(configPath: string, outDirectory: string, metafilePath: string) {
  const args = ['deploy', '--dry-run', '--config', configPath, '--outdir', outDirectory]
  try {
    await run(process.execPath, [WRANGLER, ...args, '--metafile', metafilePath], {
      cwd: dirname(configPath),
      env: {
        ...process.env,
        CI: '1',
        WRANGLER_SEND_METRICS: 'false',
        WRANGLER_HIDE_BANNER: 'true',
      },
    })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`wrangler could not bundle ${configPath}\n${stdout}${stderr}`, { cause: error })
  }
}

async function readModules(outDirectory: string): Promise<WorkerBundle['modules']> {
  const names = (await readdir(outDirectory)).filter((name) => /\.m?js$/.test(name))
  const [name] = names
  if (name === undefined || names.length > 1) {
    throw new Error(`Expected one module in the bundle, found: ${names.join(', ') || 'none'}`)
  }
  return [{ name, source: await readFile(join(outDirectory, name), 'utf8') }]
}

/** The source files that esbuild read; paths in a metafile are relative to where it ran. */
async function readInputs(configPath: string, metafilePath: string): Promise<string[]> {
  const { inputs } = JSON.parse(await readFile(metafilePath, 'utf8')) as { inputs: object }
  return Object.keys(inputs)
    .filter((path) => !/^[a-z-]+:/.test(path) && !path.includes('.wrangler/tmp'))
    .map((path) => resolve(dirname(configPath), path))
}

/** What is read of wrangler's configuration; its own type depends on a package that is not published. */
interface WranglerConfig {
  readonly name: string | undefined
  readonly compatibility_date: string | undefined
  readonly compatibility_flags: readonly string[]
  readonly vars: Readonly<Record<string, unknown>>
  readonly durable_objects: {
    readonly bindings: readonly { readonly name: string; readonly class_name: string }[]
  }
  readonly migrations: readonly { readonly new_sqlite_classes?: readonly string[] }[]
}

async function readWorkerConfig(configPath: string): Promise<Omit<WorkerBundle, 'modules'>> {
  // Loading wrangler takes longer than everything else here, so only a new bundle pays for it.
  const { unstable_readConfig: readConfig } = await import('wrangler')
  const config: WranglerConfig = readConfig({ config: configPath })
  const { name, compatibility_date: compatibilityDate } = config
  if (name === undefined || compatibilityDate === undefined) {
    throw new Error(`${configPath} needs a name and a compatibility_date`)
  }
  const sqlite = new Set(config.migrations.flatMap(({ new_sqlite_classes: names = [] }) => names))
  return {
    name,
    compatibilityDate,
    compatibilityFlags: config.compatibility_flags,
    vars: Object.fromEntries(
      Object.entries(config.vars).map(([key, value]) => [key, String(value)]),
    ),
    durableObjects: config.durable_objects.bindings.map(({ name: binding, class_name }) => ({
      binding,
      className: class_name,
      sqlite: sqlite.has(class_name),
    })),
  }
}
