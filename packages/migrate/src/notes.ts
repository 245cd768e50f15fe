/** What a person should know after the move, and the commands that come next. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { printable } from '../../text/src/terminal-text.ts'
import { hasCustomDomain } from './configuration/worker-configuration.ts'
import type { ConfigurationFile } from './move-configuration.ts'
import type { MovedDependencies } from './move-dependencies.ts'
import { guide } from './plan.ts'
import type { Project } from './project.ts'
import type { ProjectSources } from './project-sources.ts'

/** Whether a source of the project has a text. */
const names = ({ folder, sources }: Project, pattern: RegExp): boolean =>
  sources.some((file) => pattern.test(readFileSync(join(folder, file), 'latin1')))

export function notesOf(
  project: Project,
  { agents, concerned }: ProjectSources,
  configuration: ConfigurationFile | undefined,
  { removed, peers }: MovedDependencies,
): readonly string[] {
  const { otherConfigurations, otherProjects, largeSources } = project
  const notes: string[] = []
  const list = (texts: readonly string[]) => texts.map((text) => printable(text, 200)).join(', ')
  if (otherConfigurations.length > 0) {
    notes.push(`Other configurations were not changed: ${list(otherConfigurations)}`)
  }
  if (otherProjects.length > 0) {
    notes.push(`Other projects below the folder were not changed: ${list(otherProjects)}`)
  }
  if (largeSources.length > 0) {
    notes.push(`Sources of more than 2 MiB were not read: ${list(largeSources)}`)
  }
  for (const [name, holder] of peers) {
    notes.push(
      `The dependency ${printable(name, 200)} stays, because ${printable(holder, 200)} needs it`,
    )
  }
  if (removed.includes('agents'))
    notes.push('The dependency agents goes, and with it the types that it brings')
  if (agents.size > 0 && concerned.length > 0) {
    notes.push('Sessions of the old version end with the deployment: clients open new ones')
  }
  if (concerned.length > 0 && names(project, /['"]@cloudflare\/workers-oauth-provider['"]/)) {
    notes.push(
      `OAuthProvider stays in front of the server. embedded() can replace it: ${guide.moving('the-provider-replaced')}`,
    )
  }
  if (configuration !== undefined && hasCustomDomain(configuration.scopes)) {
    notes.push(
      'Start the Worker with wrangler dev --local-upstream localhost, because of the custom domain in its routes',
    )
  }
  return notes
}

/** @param sources undefined where nothing has moved */
export function nextSteps(
  project: Project,
  sources: ProjectSources | undefined,
): readonly string[] {
  if (sources === undefined) return []
  const generates = project.declarations.some((file) => file.endsWith('worker-configuration.d.ts'))
  return [
    `${project.packageManager} install`,
    ...(sources.agents.size > 0 && generates ? ['npx wrangler types'] : []),
    ...(project.configuration === undefined && sources.entry === undefined
      ? []
      : ['npx edgeway doctor --config']),
  ]
}
