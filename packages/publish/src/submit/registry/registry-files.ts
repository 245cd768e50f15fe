/** What the MCP registry wants: `server.json`, from the Server Card of the project, and how it is published. */
import { dirname, join, resolve } from 'node:path'
import type { LoadedProject } from '../../../../doctor/src/definition/read-project.ts'
import { checkDirectory } from '../../directories/check.ts'
import { findCard } from '../../server-json/find-card.ts'
import { mergeServerJson } from '../../server-json/merge.ts'
import { readServerJson } from '../../server-json/read-server-json.ts'
import { serverJsonOf } from '../../server-json/server-json.ts'
import { endpointOf } from '../endpoint.ts'
import type { Listing } from '../listing.ts'
import { jsonFile, textFile } from '../plugin-files.ts'
import type { Prepared } from '../prepare.ts'
import { publishSteps } from './publish-steps.ts'

/**
 * @param listing whose URL selects the server and its origin
 * @throws {CommandError} for a project without a Server Card
 */
export function registryFiles(
  { config, environments, apps }: LoadedProject,
  listing: Pick<Listing, 'url'>,
): Prepared {
  const withCard = apps.filter(({ serverCard }) => serverCard !== undefined)
  const { app, url } = endpointOf(withCard.length === 0 ? apps : withCard, environments[0], listing)
  const { card } = findCard([app], undefined)
  const { origin } = new URL(url)
  const existing = readServerJson(join(dirname(resolve(config)), 'server.json'))
  const { value } = mergeServerJson(existing, serverJsonOf(card, origin))
  const surface = app.surface === undefined ? {} : { surface: app.surface }
  return {
    files: new Map([
      ['server.json', jsonFile(value)],
      ['publish.md', textFile(publishSteps(card.name, url))],
    ]),
    guide: 'publish.md',
    findings: checkDirectory('mcp-registry', { ...surface, url, serverJson: value }),
    problems: placeholderProblems(card.name),
  }
}

/** `edgeway init` cannot know the account of the author. */
function placeholderProblems(name: string): Prepared['problems'] {
  if (!/^io\.github\.your-account\//.test(name)) return []
  return [
    {
      code: 'server-name-placeholder',
      message: `The name of the server is ${name}, that of a new server`,
      fix: 'Write your account of GitHub, or a domain of yours in reverse, before the slash: serverCard({ name: "io.github.octocat/notes" }).',
    },
  ]
}
