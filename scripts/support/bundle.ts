/**
 * Bundles a Worker with the `wrangler deploy` that would publish it. The bundle is reused until one of
 * its inputs changes, so that a server restarts quickly.
 */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { V4WorkerOptionsShape } from 'miniflare'
import { readCachedBundle, type WorkerBundle, writeCachedBundle } from './bundle-cache.ts'
import { ensureInspectorPage } from './inspector-page.ts'
import { PROJECT_DIRECTORY } from './project.ts'

const run = promisify(execFile)

const WRANGLER = join(PROJECT_DIRECTORY, 'node_modules/wrangler/bin/wrangler.js')

/** Inputs of every bundle besides the source files that esbuild reads. */
const TOOLING = ['node_modules/wrangler/package.json', 'tsconfig.json', 'scripts/support/bundle.ts']

/** Bundling in this process: servers that start together share it. */
const running = new Map<string, Promise<WorkerBundle>>()

/**
 * Bundles the Worker that a `wrangler.toml` describes.
 *
 * @throws {Error} with wrangler's message when wrangler cannot bundle it
 */
export function bundleWorker(configPath: string): Promise<WorkerBundle> {
  const bundle =
    running.get(configPath) ?? findOrBundle(configPath).finally(() => running.delete(configPath))
  running.set(configPath, bundle)
  return bundle
}

async function findOrBundle(configPath: string): Promise<WorkerBundle> {
  await ensureInspectorPage()
  const cached = await readCachedBundle(configPath)
  if (cached !== undefined) return cached
  const { bundle, inputs } = await runBundler(configPath)
  await writeCachedBundle(configPath, [configPath, ...TOOLING.map(inProject), ...inputs], bundle)
  return bundle
}

async function runBundler(configPath: string) {
  const outDirectory = await mkdtemp(join(tmpdir(), 'edgeway-bundle-'))
  try {
    const metafilePath = join(outDirectory, 'meta.json')
    await runWrangler(configPath, ['--outdir', outDirectory, '--metafile', metafilePath])
    const bundle = {
      script: await readModule(outDirectory),
      options: (await readWorkerOptions(configPath)).options,
    }
    return { bundle, inputs: await readInputs(configPath, metafilePath) }
  } finally {
    await rm(outDirectory, { recursive: true, force: true })
  }
}

function inProject(path: string): string {
  return join(PROJECT_DIRECTORY, path)
}

async function runWrangler(configPath: string, flags: readonly string[]) {
  const args = ['deploy', '--dry-run', '--config', configPath, ...flags]
  try {
    await run(process.execPath, [WRANGLER, ...args], {
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

async function readModule(outDirectory: string): Promise<string> {
  const names = (await readdir(outDirectory)).filter((name) => /\.m?js$/.test(name))
  const [name] = names
  if (name === undefined || names.length > 1) {
    throw new Error(`Expected one module in the bundle, found: ${names.join(', ') || 'none'}`)
  }
  return readFile(join(outDirectory, name), 'utf8')
}

/** The source files that esbuild read. Paths in a metafile are relative to esbuild's working directory. */
async function readInputs(configPath: string, metafilePath: string): Promise<string[]> {
  const { inputs } = JSON.parse(await readFile(metafilePath, 'utf8')) as { inputs: object }
  return Object.keys(inputs)
    .filter((path) => !/^[a-z-]+:/.test(path) && !path.includes('.wrangler/tmp'))
    .map((path) => resolve(dirname(configPath), path))
}

/** The compatibility settings and bindings of a Worker, and the path of its main module. */
export async function readWorkerOptions(
  configPath: string,
): Promise<{ readonly options: V4WorkerOptionsShape; readonly main: string }> {
  // Loading wrangler takes seconds, so only a new bundle loads it.
  const { unstable_getMiniflareWorkerOptions: getOptions, unstable_readConfig: readConfig } =
    await import('wrangler')
  const config = readConfig({ config: configPath })
  // Rules for finding modules are wrangler's business; miniflare refuses them.
  const { modulesRules, ...options } = getOptions(config).workerOptions
  return { options: { ...options, name: config.name }, main: config.main ?? '' }
}
