/** `edgeway doctor --config --tools`: which tools of a project each client can use, and how. */
import { readProject } from '../definition/read-project.ts'
import { type ClientTools, toolsOfClients } from '../doctor/tools/tool-uses.ts'

export interface ProjectTools {
  /** The configuration file. */
  readonly config: string
  readonly apps: readonly { readonly path: string; readonly clients: readonly ClientTools[] }[]
}

/**
 * @param path a folder, or the configuration file of a project
 * @throws {ProjectError} when the main module cannot be loaded, creates no app, or builds a definition for each caller
 */
export async function examineTools(
  path: string,
  onProgress: (activity: string) => void,
): Promise<ProjectTools> {
  const { config, apps } = await readProject(path, onProgress)
  return {
    config,
    apps: apps.map(({ app, surface }) => ({
      path: app.paths[0] ?? 'any path',
      clients: toolsOfClients(surface.tools, app),
    })),
  }
}
