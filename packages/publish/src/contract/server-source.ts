/** A running server, as a contract takes it. Its path says which server of a committed contract it is. */
import type { Tool } from '../../../../src/protocol/primitives.ts'
import type { ConnectOptions } from '../../../doctor/src/definition/connect-server.ts'
import { readServer } from '../../../doctor/src/definition/read-server.ts'
import type { ScopedList, Surface } from '../../../doctor/src/definition/surface.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { isDeeperThan } from '../../../text/src/json/json-text.ts'
import { memberAt } from '../../../text/src/json/members.ts'
import { quoted } from '../../../text/src/quoted.ts'
import {
  type Contract,
  type ContractSource,
  keyOf,
  LIST_NAMES,
  LISTS,
  type ServerContract,
  wholeContract,
} from './contract.ts'
import { MAX_ENTRY_DEPTH } from './contract-file.ts'
import { isPathOf } from './path-pattern.ts'

const SCOPED_LISTS: readonly ScopedList[] = ['tools', 'prompts', 'resources', 'resourceTemplates']

/**
 * @param committed the contract that may have the server, under the audience and paths of its project
 * @throws {CommandError} when the lists of the server cannot be read
 */
export async function readServerSource(
  url: URL,
  options: ConnectOptions,
  committed: Contract | undefined,
): Promise<ContractSource> {
  const surface = await readServer(url.href, options)
  refuseDeep(surface)
  const known = committed && serverAt(committed.servers, url.pathname)
  const { audience = surface.info.name, paths = [url.pathname] } = known ?? {}
  return { audience, paths, surface: known === undefined ? surface : withUnseen(surface, known) }
}

/** @throws {CommandError} for an entry that the file of a contract cannot have */
function refuseDeep(surface: Surface): void {
  for (const list of LIST_NAMES) {
    const deep = surface[list].find((entry) => isDeeperThan(entry, MAX_ENTRY_DEPTH))
    if (deep === undefined) continue
    const { key, kind } = LISTS[list]
    const name = memberAt(deep, key)
    throw new CommandError(
      `The ${kind} ${quoted(name)} nests more than ${MAX_ENTRY_DEPTH} levels, which no contract has. Correct it at the server`,
    )
  }
}

/**
 * A running server does not show which tools answer beside its list, which scopes its entries need, nor, in the newest
 * revision, the tasks of its tools. They stay what was committed.
 */
function withUnseen(surface: Surface, known: ServerContract): Surface {
  const listed = new Set(surface.tools.map(({ name }) => name))
  const committed = new Map(known.tools.map((entry) => [keyOf('tools', entry), entry]))
  const unlisted = known.tools.filter(
    (entry) => entry.listed === false && !listed.has(keyOf('tools', entry)),
  )
  const scopes = SCOPED_LISTS.map((list) => {
    const scoped = known[list].flatMap((entry) =>
      entry.scopes === undefined ? [] : [[keyOf(list, entry), entry.scopes] as const],
    )
    return [list, Object.fromEntries(scoped)]
  })
  return {
    ...surface,
    tools: surface.tools.map((tool) => {
      const execution = committed.get(tool.name)?.definition.execution
      // The contract has tools as their lists have them.
      return execution === undefined ? tool : ({ execution, ...tool } as Tool)
    }),
    // The definition of a committed tool is what its list had.
    unlisted: unlisted.map(({ definition }) => definition as unknown as Tool),
    scopes: Object.fromEntries(scopes),
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
