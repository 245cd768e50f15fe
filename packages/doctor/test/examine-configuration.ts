/** Examines configurations of the correct project, whose main module is loaded once. */
import { join } from 'node:path'
import { faultsOf } from '../src/config/examine-project.ts'
import { observeFlags, observeProject } from '../src/config/observe-project.ts'
import type {
  ObservedEnvironment,
  ProjectObservations,
} from '../src/config/project-observations.ts'
import { loadWrangler, readEnvironments } from '../src/config/wrangler.ts'
import type { Detected } from '../src/doctor/detected.ts'
import { createProject, type Project } from './project.ts'

export interface ConfigurationExaminer {
  readonly project: Project
  readonly correct: ProjectObservations
  /** @param change what else differs from the correct project */
  readonly examine: (
    text: string,
    change?: Partial<ProjectObservations>,
  ) => Promise<readonly Detected[]>
}

export async function createExaminer(): Promise<ConfigurationExaminer> {
  const project = createProject()
  const path = join(project.folder, 'wrangler.toml')
  const wrangler = await loadWrangler(path)
  const correct = await observeProject(project.folder)
  const examine: ConfigurationExaminer['examine'] = async (text, change = {}) => {
    project.write({ 'wrangler.toml': text })
    const environments: ObservedEnvironment[] = []
    for (const environment of readEnvironments(wrangler, path)) {
      const known = [...correct.environments, ...environments]
      environments.push(await observeFlags(wrangler, environment, known))
    }
    const [first = correct.environments[0], ...others] = environments
    return faultsOf({ ...correct, environments: [first, ...others], ...change })
  }
  return { project, correct, examine }
}
