/** Reads the apps of a project: bundles and loads its main module as `edgeway doctor --config` does. */

import type { DescribedApp } from '../config/inspector.ts'
import { observeProject } from '../config/observe-project.ts'
import { ProjectError } from '../config/project-error.ts'
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

/**
 * @param path a folder, or the configuration file of a project
 * @throws {ProjectError} when the main module cannot be loaded, creates no app, or builds a definition for each caller
 */
export async function readProject(
  path: string,
  onProgress: (activity: string) => void = () => undefined,
): Promise<ReadProject> {
  const { environments, worker, failure } = await observeProject(path, onProgress)
  const [environment] = environments
  if (worker === undefined) throw new ProjectError(failure?.message ?? 'It cannot be loaded')
  const apps = worker.apps.map(withSurface)
  const [first, ...others] = apps
  if (first === undefined) {
    throw new ProjectError(
      'The main module creates no app when it is loaded. Call createEdgeway at its top level',
    )
  }
  return { config: environment.config.configPath ?? path, environment, apps: [first, ...others] }
}

function withSurface(app: DescribedApp): ReadApp {
  const { surface } = app
  if (surface !== undefined) return { app, surface }
  throw new ProjectError(
    `The definition at ${app.paths[0] ?? 'any path'} comes from a factory and depends on the caller. Read it from the running server instead: --url URL --token TOKEN`,
  )
}
