/** Reads what a running server shows, as `read-project.ts` reads it from a project. */
import { CommandError } from '../../../text/src/command-error.ts'
import { CutShortError } from '../doctor/http/http-client.ts'
import { replyFaults } from '../doctor/steps/reach.ts'
import { type ConnectOptions, connectServer, type ServerConnection } from './connect-server.ts'
import type { Surface } from './surface.ts'

/**
 * All lists of a server, page by page, in the newest revision that it serves. An entry that no client accepts is left out,
 * and so is an optional member of the wrong type. At most 5,000 entries, 4 MiB and 100 pages of each list are read.
 *
 * @throws {CommandError} when no server answers, it asks for a token that is not given, or its tools cannot be read
 */
export async function readServer(url: string, options: ConnectOptions = {}): Promise<Surface> {
  const connection = await connect(url, options)
  const failure = failureOf(connection)
  if (failure !== undefined) throw new CommandError(failure)
  const { lists } = connection
  if (lists === undefined) {
    throw new CommandError('The server asks for an access token. Pass --login or --token')
  }
  return lists.surface
}

/** Why the lists of a connection are not those of the server; undefined where they are. */
export function failureOf({ isReached, lists, observed }: ServerConnection): string | undefined {
  if (isReached) return lists?.failure
  const [fault] = replyFaults(observed.reach)
  const seen = fault === undefined ? '' : `: ${fault.message}`
  return `No MCP server was reached${seen}. Run edgeway doctor with the URL`
}

async function connect(url: string, options: ConnectOptions): Promise<ServerConnection> {
  try {
    return await connectServer(url, options)
  } catch (error) {
    if (!(error instanceof CutShortError)) throw error
    throw new CommandError('The server was not read in time. Try again with a longer --timeout', {
      cause: error,
    })
  }
}
