/** Which server of a project is submitted, and at which URL clients reach it. */
import { ProjectError } from '../config/project-error.ts'
import type { ReadApp, ReadProject } from '../definition/read-project.ts'
import { isPrivateHost } from '../doctor/http/addresses.ts'
import { printable } from '../doctor/text.ts'
import type { Listing } from './listing.ts'

export interface Endpoint {
  readonly app: ReadApp
  /** Has `{name}` where the path of the server has a param. */
  readonly url: string
}

/** @throws {ProjectError} when the listing must say it */
export function endpointOf({ apps, environment }: ReadProject, { url }: Listing): Endpoint {
  if (url !== undefined) return givenEndpoint(apps, url)
  const [first, ...others] = apps
  const paths = apps.flatMap(({ app }) => app.paths)
  if (others.length > 0) {
    throw new ProjectError(
      `The Worker has several servers, at ${paths.map((path) => printable(path)).join(', ')}. Write the "url" of one in directory.json, and give each its own file with --listing`,
    )
  }
  const origin = originOf(first, environment.config.vars)
  const [path] = first.app.paths
  if (origin !== undefined && path !== undefined) return { app: first, url: `${origin}${path}` }
  throw new ProjectError(
    'It is not known where the server is reached. Write its "url" in directory.json, such as "https://mcp.example.com/mcp", or set the variable EDGEWAY_ORIGIN',
  )
}

function originOf({ app }: ReadApp, vars: Readonly<Record<string, unknown>>): string | undefined {
  const variable =
    typeof vars.EDGEWAY_ORIGIN === 'string' ? vars.EDGEWAY_ORIGIN.split(/[\s,]+/) : []
  return [...(app.auth?.origins ?? []), ...variable].find(
    (origin) => URL.canParse(origin) && isPublic(new URL(origin)),
  )
}

const isPublic = (url: URL) => url.protocol === 'https:' && !isPrivateHost(url)

function givenEndpoint(apps: readonly ReadApp[], text: string): Endpoint {
  const url = new URL(text)
  const name = printable(text, 1000)
  if (!isPublic(url)) {
    throw new ProjectError(
      `"url" of directory.json is ${name}. Directories reach a server by https at a public host`,
    )
  }
  if (url.username !== '' || url.hash !== '' || url.search !== '') {
    throw new ProjectError(
      `"url" of directory.json is ${name}. Leave out user information, the query and the fragment`,
    )
  }
  const path = decodeURI(url.pathname)
  const app = apps.find((each) => each.app.paths.length === 0 || each.app.paths.some(matches(path)))
  if (app !== undefined) return { app, url: `${url.origin}${path}` }
  const paths = apps.flatMap((each) => each.app.paths).map((each) => printable(each))
  throw new ProjectError(
    `"url" of directory.json is ${name}, and no server answers at its path. The paths are ${paths.join(', ')}`,
  )
}

/** Whether a path is one of a pattern, or the pattern itself. */
function matches(path: string): (pattern: string) => boolean {
  const parts = path.split('/')
  return (pattern) => {
    const expected = pattern.split('/')
    return (
      expected.length === parts.length &&
      expected.every((part, at) => part === parts[at] || (/^[{:]/.test(part) && parts[at] !== ''))
    )
  }
}
