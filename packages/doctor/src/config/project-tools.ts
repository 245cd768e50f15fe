/** `edgeway doctor --config --tools`: which tools of a project each client can use, and how. */
import { readProject } from '../definition/read-project.ts'
import { type ClientTools, toolsOfClients } from '../doctor/tools/tool-uses.ts'

export interface ProjectTools {
  /** The configuration file. */
  readonly config: string
  readonly apps: readonly { readonly path: string; readonly clients: readonly ClientTools[] }[]
}

export interface ToolsOptions {
  /** Of the clients that are examined; empty: of all that have a profile. */
  readonly titles: readonly string[]
  readonly onProgress: (activity: string) => void
}

/**
 * @param path a folder, or the configuration file of a project
 * @throws {CommandError} when the main module cannot be loaded, creates no app, or builds a definition for each caller
 */
export async function examineTools(
  path: string,
  { titles, onProgress }: ToolsOptions,
): Promise<ProjectTools> {
  const { config, apps } = await readProject(path, { onProgress })
  const isWanted = ({ title }: ClientTools) => titles.length === 0 || titles.includes(title)
  return {
    config,
    apps: apps.map(({ app, surface }) => ({
      path: app.paths[0] ?? 'any path',
      clients: toolsOfClients(surface.tools, app).filter(isWanted),
    })),
  }
}
