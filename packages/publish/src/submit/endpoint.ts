/** Which server of a project is submitted, and at which URL clients reach it. */

import type { DescribedApp } from '../../../doctor/src/config/inspector.ts'
import type { Environment, WranglerConfig } from '../../../doctor/src/config/wrangler.ts'
import { isPrivateHost } from '../../../doctor/src/doctor/http/addresses.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { deploymentOrigin } from '../server-json/deployment-origin.ts'
import type { Listing } from './listing.ts'

export interface Endpoint {
  readonly app: DescribedApp
  /** Has `{name}` where the path of the server has a param. */
  readonly url: string
}

/**
 * @param apps of which the listing selects one by its URL
 * @throws {CommandError} when the listing must say it
 */
export function endpointOf(
  apps: readonly DescribedApp[],
  { config }: Environment,
  { url }: Pick<Listing, 'url'>,
): Endpoint {
  if (url !== undefined) return givenEndpoint(apps, url)
  const [app, ...others] = apps
  if (app === undefined || others.length > 0) {
    throw new CommandError(
      `The Worker has several servers, at ${pathsOf(apps)}. Write the "url" of one in directory.json, and give each its own file with --listing`,
    )
  }
  const [path = ''] = app.paths
  return { app, url: `${originOf(app, config, path)}${path}` }
}

const pathsOf = (apps: readonly DescribedApp[]) =>
  apps
    .flatMap(({ paths }) => paths)
    .map((path) => printable(path))
    .join(', ')

function originOf(app: DescribedApp, config: WranglerConfig, path: string): string {
  try {
    return deploymentOrigin(undefined, app, config, path)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw new CommandError(
      'It is not known where the server is reached. Write its "url" in directory.json, such as "https://mcp.example.com/mcp", or set the variable EDGEWAY_ORIGIN',
      { cause: error },
    )
  }
}

/**
 * @param member what has the URL, as a message names it
 * @throws {CommandError} for a URL that no directory takes
 */
export function publicUrl(text: string, member: string): string {
  const url = new URL(text)
  if (url.protocol !== 'https:' || isPrivateHost(url)) {
    throw new CommandError(
      `${member} is ${printable(text, 1000)}. Directories reach a server by https at a public host`,
    )
  }
  if (url.username !== '' || url.hash !== '' || url.search !== '') {
    throw new CommandError(
      `${member} is ${printable(text, 1000)}. Leave out user information, the query and the fragment`,
    )
  }
  return `${url.origin}${decodedPath(url)}`
}

/** The braces of a template are encoded in a URL. */
const decodedPath = ({ pathname }: URL) => pathname.replaceAll('%7B', '{').replaceAll('%7D', '}')

function givenEndpoint(apps: readonly DescribedApp[], text: string): Endpoint {
  const url = publicUrl(text, '"url" of directory.json')
  const path = decodedPath(new URL(text))
  const app = apps.find(
    ({ paths }) => paths.length === 0 || paths.some((pattern) => matches(path, pattern)),
  )
  if (app !== undefined) return { app, url }
  throw new CommandError(
    `"url" of directory.json is ${printable(text, 1000)}, and no server answers at its path. The paths are ${pathsOf(apps)}`,
  )
}

/** Whether a path is one of a pattern, or the pattern itself. */
function matches(path: string, pattern: string): boolean {
  const parts = path.split('/')
  const expected = pattern.split('/')
  return (
    expected.length === parts.length &&
    expected.every((part, at) => part === parts[at] || (/^[{:]/.test(part) && parts[at] !== ''))
  )
}
