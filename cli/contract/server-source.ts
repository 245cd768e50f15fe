/** A running server, as a contract takes it. Its path says which server of a committed contract it is. */
import { ProjectError } from '../config/project-error.ts'
import type { ConnectOptions } from '../definition/connect-server.ts'
import { ReadServerError, readServer } from '../definition/read-server.ts'
import {
  type Contract,
  type ContractSource,
  type ServerContract,
  wholeContract,
} from './contract.ts'

/**
 * @param committed the contract that may have the server, under the audience and paths of its project
 * @throws {ProjectError} when the lists of the server cannot be read
 */
export async function readServerSource(
  url: URL,
  options: ConnectOptions,
  committed: Contract | undefined,
): Promise<ContractSource> {
  try {
    const surface = await readServer(url.href, options)
    const known = committed && serverAt(committed.servers, url.pathname)
    const { audience = surface.info.name, paths = [url.pathname] } = known ?? {}
    return { audience, paths, surface }
  } catch (error) {
    if (!(error instanceof ReadServerError)) throw error
    throw new ProjectError(error.message, { cause: error })
  }
}

/** The only server may be behind another path, such as that of a proxy. */
function serverAt(
  servers: readonly ServerContract[],
  pathname: string,
): ServerContract | undefined {
  const found = servers.find(({ paths }) => paths.some((path) => isPathOf(path, pathname)))
  return found ?? (servers.length === 1 ? servers[0] : undefined)
}

/** `/mcp/{org}` is the path of `/mcp/acme`. */
function isPathOf(pattern: string, pathname: string): boolean {
  const [steps, given] = [pattern.split('/'), pathname.split('/')]
  return (
    steps.length === given.length &&
    steps.every((step, at) => step === given[at] || (/^\{.*\}$|^:/.test(step) && given[at] !== ''))
  )
}

/** The committed contract with one server read anew: the others are not at this address. */
export function withServer(
  committed: Contract | undefined,
  { servers: [server] }: Contract,
): Contract {
  if (server === undefined) throw new TypeError('A contract of a running server has one server')
  const isOther = (other: ServerContract) =>
    other.audience !== server.audience || !other.paths.some((path) => server.paths.includes(path))
  const others = committed?.servers ?? []
  const at = others.findIndex((other) => !isOther(other))
  return wholeContract(at === -1 ? [...others, server] : others.with(at, server))
}
