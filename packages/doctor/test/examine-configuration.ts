/** Examines changes of the correct project, whose main module is loaded once. */
import { join } from 'node:path'
import { faultsOf } from '../src/config/examine-project.ts'
import { readSecretFiles } from '../src/config/local-secrets.ts'
import { observeFlags, observeProject } from '../src/config/observe-project.ts'
import type {
  ObservedEnvironment,
  ProjectObservations,
} from '../src/config/project-observations.ts'
import { loadWrangler, readEnvironments } from '../src/config/wrangler.ts'
import type { Detected } from '../src/doctor/detected.ts'
import { createProject, type Files, initGit } from './project.ts'

export interface ConfigurationExaminer {
  readonly correct: ProjectObservations
  /**
   * @param files the text of `wrangler.toml`, or files beside the main module
   * @param change what else differs from the correct project
   */
  readonly examine: (
    files: string | Files,
    change?: Partial<ProjectObservations>,
    isRepository?: boolean,
  ) => Promise<readonly Detected[]>
}

export async function createExaminer(): Promise<ConfigurationExaminer> {
  const first = createProject()
  const wrangler = await loadWrangler(join(first.folder, 'wrangler.toml'))
  const correct = await observeProject(first.folder).finally(() => first.remove())
  const examine: ConfigurationExaminer['examine'] = async (given, change, isRepository = false) => {
    const files = typeof given === 'string' ? { 'wrangler.toml': given } : given
    const project = createProject(files)
    if (isRepository) initGit(project.folder)
    const path = join(project.folder, 'wrangler.toml')
    const environments: ObservedEnvironment[] = []
    try {
      for (const environment of readEnvironments(wrangler, path)) {
        const known = [...correct.environments, ...environments]
        environments.push(await observeFlags(wrangler, environment, known))
      }
      const [top = correct.environments[0], ...others] = environments
      const secretFiles = readSecretFiles(project.folder)
      return faultsOf({ ...correct, environments: [top, ...others], secretFiles, ...change })
    } finally {
      project.remove()
    }
  }
  return { correct, examine }
}
