/** The servers of a project, as a contract takes them. */
import { audienceOf } from '../../src/protocol/served-server.ts'
import type { ReadProject } from '../definition/read-project.ts'
import type { ContractSource } from './contract.ts'

export const projectSources = ({ apps }: ReadProject): readonly ContractSource[] =>
  apps.map(({ app, surface }) => ({
    audience: audienceOf(app.server ?? '') ?? surface.info.name,
    paths: app.paths,
    surface,
  }))
