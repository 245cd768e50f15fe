/** What is said of a project that is loaded once: by the doctor, and by each directory. */
import { examineProject } from '../../cli/config/examine-project.ts'
import { observeProject } from '../../cli/config/observe-project.ts'
import {
  type LoadedProject,
  loadedProject,
  withSurfaces,
} from '../../cli/definition/read-project.ts'
import { examineProjectFor } from '../../cli/directories/examine.ts'
import { DIRECTORY_NAMES } from '../../cli/directories/names.ts'
import { codesOf } from './examine.ts'

export interface Verdicts {
  readonly project: LoadedProject
  /** The codes of the doctor. */
  readonly findings: readonly string[]
  readonly notes: readonly string[]
  /** Why directories refuse it. */
  readonly refusals: readonly string[]
}

export async function verdictsOn(path: string): Promise<Verdicts> {
  const observed = await observeProject(path)
  const project = loadedProject(observed)
  const { directories } = await examineProjectFor(DIRECTORY_NAMES, withSurfaces(project))
  const report = examineProject(observed)
  return {
    project,
    findings: codesOf(report),
    notes: report.notes,
    refusals: directories.flatMap(({ name, findings }) =>
      findings
        .filter(({ severity }) => severity === 'error')
        .map(({ code, message }) => `${name} ${code}: ${message}`),
    ),
  }
}
