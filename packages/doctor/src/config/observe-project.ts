/** Observes a project: reads its configuration and secrets, bundles and loads its main module. */
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { CommandError } from '../../../text/src/command-error.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { detected } from '../doctor/detected.ts'
import { type BuiltWorker, buildWorker } from './build-worker.ts'
import type { ExampleCaller, WorkerDescription } from './inspector.ts'
import { readSecretFiles } from './local-secrets.ts'
import type { ObservedEnvironment, ProjectObservations } from './project-observations.ts'
import { runWorker } from './run-worker.ts'
import {
  type Environment,
  findConfiguration,
  loadWrangler,
  type ProjectWrangler,
  readEnvironments,
  type WranglerConfig,
} from './wrangler.ts'

export interface ReadOptions {
  readonly onProgress?: (activity: string) => void
  /** For whom factories build their definitions. Default: they build none. */
  readonly caller?: ExampleCaller | undefined
}

/**
 * @param path a folder, or the configuration file of a project
 * @throws {CommandError} when it is not the project of an Edgeway server, or its configuration cannot be read
 */
export async function observeProject(
  path: string,
  { onProgress = () => undefined, caller }: ReadOptions = {},
): Promise<ProjectObservations> {
  onProgress('Reading the configuration')
  const configPath = findConfiguration(path)
  const wrangler = await loadWrangler(configPath)
  const environments = readEnvironments(wrangler, configPath)
  const [{ config }] = environments
  const secretFiles = readSecretFiles(dirname(configPath))
  onProgress('Bundling the main module')
  const build = await buildWorker(wrangler, withMain(config, configPath))
  if (typeof build === 'string') {
    const failure = detected('worker-not-built', build)
    const unknown = environments.map(withoutFlags) as [ObservedEnvironment]
    return {
      config: configPath,
      environments: unknown,
      worker: undefined,
      failure,
      importsAsyncHooks: false,
      secretFiles,
    }
  }
  if (!build.hasEdgeway) {
    throw new CommandError(
      `${printable(config.main ?? '', 1000)} does not import createEdgeway. This is no project of Edgeway`,
    )
  }
  onProgress('Loading the main module')
  const observed = await observeWorker(wrangler, { ...build, caller }, environments)
  return { config: configPath, ...observed, secretFiles }
}

const withoutFlags = (environment: Environment): ObservedEnvironment => ({
  ...environment,
  flags: undefined,
  refusedFlags: undefined,
})

function withMain(config: WranglerConfig, configPath: string) {
  const { main } = config
  if (main === undefined) {
    throw new CommandError(`${printable(configPath, 1000)} names no main module`)
  }
  if (!existsSync(main) && config.build.command === undefined) {
    throw new CommandError(`The main module ${printable(main, 1000)} does not exist`)
  }
  return { ...config, main }
}

/** Provided for the load where it is missing, so that this is one finding. */
const ASYNC_HOOKS_FLAG = 'nodejs_als'

async function observeWorker(
  wrangler: ProjectWrangler,
  build: BuiltWorker,
  environments: readonly [Environment, ...Environment[]],
): Promise<Omit<ProjectObservations, 'config' | 'secretFiles'>> {
  const [first, ...rest] = environments
  const { worker, flags, refusedFlags } = await loadWorker(wrangler, build, first)
  const top = { ...first, flags, refusedFlags }
  const observed: [ObservedEnvironment, ...ObservedEnvironment[]] = [top]
  for (const environment of rest) {
    observed.push(await observeFlags(wrangler, environment, observed))
  }
  const error = typeof worker === 'string' ? worker : worker.error
  return {
    environments: observed,
    worker: typeof worker === 'string' || worker.error !== undefined ? undefined : worker,
    failure:
      error === undefined ? undefined : detected('worker-does-not-start', printable(error, 600)),
    importsAsyncHooks: build.importsAsyncHooks,
  }
}

interface LoadedWorker extends Pick<ObservedEnvironment, 'flags' | 'refusedFlags'> {
  readonly worker: WorkerDescription | string
}

/** Loads it with the flags of the configuration; with others if these prevent the load. */
async function loadWorker(
  wrangler: ProjectWrangler,
  build: BuiltWorker,
  environment: Environment,
): Promise<LoadedWorker> {
  const load = (flags: readonly string[]) => runWorker(wrangler, build, environment, flags)
  const { compatibility_flags: configured } = environment.config
  const worker = await load(configured)
  if (typeof worker === 'string') {
    const { flags, refusedFlags } = await observeFlags(wrangler, environment, [])
    return { worker: refusedFlags === undefined ? worker : await load([]), flags, refusedFlags }
  }
  const { flags } = worker
  const hasAsyncHooks = flags.some((flag) => /^nodejs_(?:als|compat)$/.test(flag))
  const isRepeated = worker.error !== undefined && build.importsAsyncHooks && !hasAsyncHooks
  return {
    worker: isRepeated ? await load([...configured, ASYNC_HOOKS_FLAG]) : worker,
    flags,
    refusedFlags: undefined,
  }
}

const NOTHING: BuiltWorker = {
  entry: 'nothing.js',
  modules: [{ path: 'nothing.js', contents: Buffer.from('export default {}') }],
  hasEdgeway: false,
  importsAsyncHooks: false,
}

/** Environments mostly have the same date and flags, so each pair is asked for once. */
export async function observeFlags(
  wrangler: ProjectWrangler,
  environment: Environment,
  before: readonly ObservedEnvironment[],
): Promise<ObservedEnvironment> {
  const keyOf = ({ config }: Environment) =>
    JSON.stringify([config.compatibility_date, config.compatibility_flags])
  const known = before.find((other) => keyOf(other) === keyOf(environment))
  if (known !== undefined) {
    return { ...environment, flags: known.flags, refusedFlags: known.refusedFlags }
  }
  const { compatibility_flags: configured } = environment.config
  const empty = await runWorker(wrangler, NOTHING, environment, configured)
  if (typeof empty !== 'string')
    return { ...environment, flags: empty.flags, refusedFlags: undefined }
  return { ...environment, flags: undefined, refusedFlags: empty }
}
