/** The servers of a project, as a contract takes them. */
import { dirname, join } from 'node:path'
import { audienceOf } from '../../src/protocol/served-server.ts'
import { readProject } from '../definition/read-project.ts'
import type { ContractSource } from './contract.ts'

export const FILE_NAME = 'contract.json'

export interface ProjectSources {
  readonly sources: readonly ContractSource[]
  /** Where the contract is by default: beside the configuration. */
  readonly file: string
}

/** @throws {ProjectError} when the project cannot be read, or a definition depends on the caller */
export async function readProjectSources(
  path: string,
  onProgress?: (activity: string) => void,
): Promise<ProjectSources> {
  const { config, apps } = await readProject(path, onProgress)
  const sources = apps.map(({ app, surface }) => ({
    audience: audienceOf(app.server ?? '') ?? surface.info.name,
    paths: app.paths,
    surface,
  }))
  return { sources, file: join(dirname(config), FILE_NAME) }
}
