/** Where a submission has the definition from: a project, or a running server where it depends on the caller. */

import type { ConnectOptions } from '../../../doctor/src/definition/connect-server.ts'
import type { ReadProject } from '../../../doctor/src/definition/read-project.ts'
import type { Surface } from '../../../doctor/src/definition/surface.ts'
import { wellFormed } from '../../../doctor/src/definition/well-formed.ts'
import { CutShortError } from '../../../doctor/src/doctor/http/http-client.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import type { DirectoryInput } from '../directories/input.ts'
import { observeServer } from '../directories/observe-server.ts'
import { endpointOf, publicUrl } from './endpoint.ts'
import type { Listing } from './listing.ts'

export interface Source {
  readonly surface: Surface
  /** The MCP endpoint. */
  readonly url: string
  /** Whether people sign in to the server. */
  readonly hasSignIn: boolean
  /** What else is known to the rules of directories. */
  readonly input: DirectoryInput
}

/** @throws {CommandError} when the listing does not say which server of the project it is about */
export function projectSource({ environment, apps }: ReadProject, listing: Listing): Source {
  const all = apps.map((read) => read.app)
  const { app, url } = endpointOf(all, environment, listing)
  const read = apps.find((each) => each.app === app) ?? apps[0]
  // The compiler has checked the definition, and an author may have gone around it.
  const { surface, malformed } = wellFormed(read.surface)
  return {
    ...{ surface, url, input: { malformed } },
    hasSignIn: app.auth !== undefined,
  }
}

/** @throws {CommandError} when the lists of the server cannot be read */
export async function readRunningServer(
  address: string,
  options: ConnectOptions,
): Promise<Omit<Source, 'url'>> {
  const { isReached, input } = await observeServer(address, options).catch((error) => {
    if (!(error instanceof CutShortError)) throw error
    throw new CommandError('The server was not read in time. Try again')
  })
  const { surface, unread, authorization } = input
  if (!isReached || surface === undefined) {
    const why = unread ?? 'the server asks for an access token, or none answers'
    throw new CommandError(
      `The lists of the server cannot be read: ${why}. Pass --token or --login, or run edgeway doctor with the URL`,
    )
  }
  return {
    ...{ surface, input },
    hasSignIn: authorization !== undefined && authorization.kind !== 'none',
  }
}

/** @throws {CommandError} when the lists of the server cannot be read, or no directory takes its URL */
export async function serverSource(
  address: string,
  { url }: Listing,
  options: ConnectOptions,
): Promise<Source> {
  const member = url === undefined ? '--url' : '"url" of directory.json'
  return {
    ...(await readRunningServer(address, options)),
    url: publicUrl(url ?? address, member),
  }
}
