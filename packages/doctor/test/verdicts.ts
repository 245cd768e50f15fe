/** What is said of a project that is loaded once: by the doctor, and by each directory. */

import { examineProjectFor } from '../../publish/src/directories/examine.ts'
import { DIRECTORY_NAMES } from '../../publish/src/directories/names.ts'
import { examineProject } from '../src/config/examine-project.ts'
import { observeProject } from '../src/config/observe-project.ts'
import { type LoadedProject, loadedProject, withSurfaces } from '../src/definition/read-project.ts'
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
