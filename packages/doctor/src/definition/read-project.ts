/** Reads the apps of a project: bundles and loads its main module as `edgeway doctor --config` does. */
import { CommandError } from '../../../text/src/command-error.ts'
import type { DescribedApp } from '../config/inspector.ts'
import { observeProject, type ReadOptions } from '../config/observe-project.ts'
import type { ProjectObservations } from '../config/project-observations.ts'
import type { Environment } from '../config/wrangler.ts'
import type { Surface } from './surface.ts'

export interface ReadApp {
  readonly app: DescribedApp
  readonly surface: Surface
}

export interface ReadProject {
  /** The configuration file. */
  readonly config: string
  /** The top level of the configuration. */
  readonly environment: Environment
  /** In the order in which the main module creates them; one at least. */
  readonly apps: readonly [ReadApp, ...ReadApp[]]
}

/** What does not depend on the caller. */
export interface LoadedProject {
  /** The configuration file. */
  readonly config: string
  /** The top level first. */
  readonly environments: readonly [Environment, ...Environment[]]
  /** In the order in which the main module creates them; one at least. */
  readonly apps: readonly [DescribedApp, ...DescribedApp[]]
}

const FROM_SERVER = 'Read it from the running server instead: --url URL --token TOKEN'

/**
 * @param path a folder, or the configuration file of a project
 * @param instead what to do about a definition that is built for each caller
 * @throws {CommandError} when the main module cannot be loaded, creates no app, or builds a definition for each caller
 */
export async function readProject(
  path: string,
  options?: ReadOptions,
  instead?: string,
): Promise<ReadProject> {
  return withSurfaces(await loadProject(path, options), instead)
}

/** @throws {CommandError} when it builds a definition for each caller */
export function withSurfaces(
  { config, environments, apps }: LoadedProject,
  instead = FROM_SERVER,
): ReadProject {
  const [first, ...others] = apps
  const read = (app: DescribedApp) => withSurface(app, instead)
  return { config, environment: environments[0], apps: [read(first), ...others.map(read)] }
}

/**
 * @param path a folder, or the configuration file of a project
 * @throws {CommandError} when the main module cannot be loaded, or creates no app
 */
export async function loadProject(path: string, options?: ReadOptions): Promise<LoadedProject> {
  return loadedProject(await observeProject(path, options))
}

/** @throws {CommandError} when the main module cannot be loaded, or creates no app */
export function loadedProject(project: ProjectObservations): LoadedProject {
  const { config, environments, worker, failure } = project
  if (worker === undefined) throw new CommandError(failure?.message ?? 'It cannot be loaded')
  const [first, ...others] = worker.apps
  if (first === undefined) {
    throw new CommandError(
      'The main module creates no app when it is loaded. Call createEdgeway at its top level',
    )
  }
  return { config, environments, apps: [first, ...others] }
}

function withSurface(app: DescribedApp, instead: string): ReadApp {
  const { surface } = app
  if (surface !== undefined) return { app, surface }
  throw new CommandError(
    `The definition at ${app.paths[0] ?? 'any path'} comes from a factory and depends on the caller. ${instead}`,
  )
}
