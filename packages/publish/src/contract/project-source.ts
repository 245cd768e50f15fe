/** The servers of a project, as a contract takes them. */
import type { ReadProject } from '../../../doctor/src/definition/read-project.ts'
import type { ContractSource } from './contract.ts'

export const projectSources = ({ apps }: ReadProject): readonly ContractSource[] =>
  apps.map(({ app, surface }) => ({
    audience: app.audience,
    paths: app.paths,
    surface,
  }))
