/** A recorded release as one file: the fixture servers as it served them, and the golden state of each deployment. */
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type BuildOptions, build, type PluginBuild } from 'esbuild'
import { readWorkerOptions } from './bundle.ts'
import type { WorkerBundle } from './bundle-cache.ts'
import { readCompressed, writeCompressed } from './compressed-json.ts'
import { PROJECT_DIRECTORY } from './project.ts'

export type FixtureName = 'fixture' | 'protected'

export interface Release {
  readonly version: string
  readonly description: string
  /** The recorded deployments by name. */
  readonly deployments: Readonly<Record<string, DeploymentRecord>>
  readonly workers: Readonly<Partial<Record<FixtureName, RecordedWorker>>>
  /** The minified modules of all Workers by name. What they share is in one of them, so that it is stored once. */
  readonly modules: Modules
}

type Modules = Readonly<Record<string, string>>

export interface DeploymentRecord {
  /** When the server was killed, in ISO 8601. Its clock continues from here. */
  readonly recordedAt: string
  /** What its clients hold, by the kind of open state. */
  readonly held: Readonly<Record<string, unknown>>
  /** The databases of its objects: see `packState`. */
  readonly databases: Readonly<Record<string, string>>
}

interface RecordedWorker {
  /** The name of its module. */
  readonly main: string
  readonly options: WorkerBundle['options']
  readonly limits: Limits
}

/** The limits of a server in force, without and with `--short`. */
type Limits = Readonly<Record<'default' | 'short', Readonly<Record<string, number>>>>

/** A fixture server of a release. */
export interface ReleasedWorker {
  readonly version: string
  readonly bundle: WorkerBundle
  readonly limits: Limits
}

/** @throws {Error} when the directory is not that of a recorded release */
export function readRelease(directory: string): Release {
  const path = releasePath(directory)
  if (existsSync(path)) return readCompressed(path)
  throw new Error(`${directory} holds no recorded release: ${path} does not exist`)
}

export function writeRelease(directory: string, release: Release): void {
  writeCompressed(releasePath(directory), release)
}

const releasePath = (directory: string) => join(directory, 'release.json.br')

/** @throws {Error} when the directory holds no such Worker */
export async function readReleasedWorker(
  directory: string,
  name: FixtureName,
): Promise<ReleasedWorker> {
  const { version, workers, modules } = readRelease(directory)
  const worker = workers[name]
  if (worker === undefined) {
    throw new Error(`The recording of release ${version} lacks its Worker ${name}: ${directory}`)
  }
  const { main, options, limits } = worker
  return { version, bundle: { script: await joined(main, modules), options }, limits }
}

/** What esbuild does for `wrangler deploy --minify`. */
const LIKE_WRANGLER = {
  bundle: true,
  write: false as const,
  format: 'esm' as const,
  target: 'es2024',
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*', 'node:*'],
  logLevel: 'error' as const,
} satisfies BuildOptions

/** The page is a quarter of a bundle, and no state of an object depends on it. */
const WITHOUT_INSPECTOR_PAGE = {
  name: 'without-inspector-page',
  setup: ({ onLoad }: PluginBuild) =>
    onLoad({ filter: /inspector\/generated\/page\.ts$/ }, () => ({
      contents: "export const INSPECTOR_HTML = ''; export const INSPECTOR_CSP = ''",
    })),
}

/** Bundles the Workers of several configurations, for a release: without paths of their source. */
export async function bundleRelease<Name extends FixtureName>(
  configPaths: Readonly<Record<Name, string>>,
  limits: Readonly<Record<Name, Limits>>,
): Promise<Pick<Release, 'workers' | 'modules'>> {
  const names = Object.keys(configPaths) as Name[]
  const read = await Promise.all(names.map((name) => readWorkerOptions(configPaths[name])))
  const { outputFiles } = await build({
    ...LIKE_WRANGLER,
    entryPoints: Object.fromEntries(names.map((name, at) => [name, read[at]?.main ?? ''])),
    outdir: PROJECT_DIRECTORY,
    splitting: true,
    minify: true,
    legalComments: 'none',
    define: {
      'process.env.NODE_ENV': '"production"',
      'navigator.userAgent': '"Cloudflare-Workers"',
    },
    plugins: [WITHOUT_INSPECTOR_PAGE],
  })
  const workers = names.map((name, at) => {
    const { rootPath: _, ...options } = read[at]?.options ?? {}
    return [name, { main: `${name}.js`, options, limits: limits[name] }] as const
  })
  return {
    workers: Object.fromEntries(workers),
    modules: Object.fromEntries(outputFiles.map(({ path, text }) => [basename(path), text])),
  }
}

/** One module of a Worker and those that it imports. */
async function joined(main: string, modules: Modules): Promise<string> {
  const { outputFiles } = await build({
    ...LIKE_WRANGLER,
    stdin: { contents: modules[main] ?? '' },
    plugins: [
      {
        name: 'modules-of-a-release',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^\.\// }, ({ path }) => ({ path, namespace: 'release' }))
          onLoad({ filter: /^/, namespace: 'release' }, ({ path }) => ({
            contents: modules[basename(path)] ?? '',
          }))
        },
      },
    ],
  })
  return outputFiles[0]?.text ?? ''
}
