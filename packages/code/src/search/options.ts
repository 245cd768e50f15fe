/** The options of `search()`. */
import type { ListClient } from '../../../../src/internal.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'

/**
 * The extension that a client declares which searches the tools of its servers itself, in `capabilities.extensions` or
 * `capabilities.experimental`. The protocol has no capability for it: such clients search behind the list.
 */
export const TOOL_SEARCH = 'dev.edgeway/tool-search'

export interface SearchOptions {
  /** The names of the tools that stay in the list. Default none. */
  readonly pinned?: readonly string[]
  /** The names of the added tools. */
  readonly names?: Partial<SearchNames>
  /**
   * Whether a client gets the list of all tools instead, by its capabilities. Default: one that declares the extension
   * `dev.edgeway/tool-search` ({@link TOOL_SEARCH}), because it searches itself.
   */
  readonly listAllTo?: (client: ListClient) => boolean
}

export interface SearchNames {
  /** Default `search_tools`. */
  readonly search: string
  /** Default `call_tool`. */
  readonly call: string
  /** Default `call_read_tool`. It is added where a tool with `readOnlyHint` is not in the list. */
  readonly callRead: string
}

export type SearchSettings = Required<Omit<SearchOptions, 'names'>> & {
  readonly names: SearchNames
}

function searchesForItself({ capabilities }: ListClient): boolean {
  const { extensions, experimental } = capabilities
  return [extensions, experimental].some(
    (declared) => isJsonObject(declared) && isJsonObject(declared[TOOL_SEARCH]),
  )
}

/** @throws {TypeError} that names the option */
export function checkOptions(options: SearchOptions): SearchSettings {
  const { pinned = [], names = {}, listAllTo = searchesForItself, ...others } = options
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new TypeError(`There is no option search({ ${unknown} })`)
  if (!Array.isArray(pinned) || !pinned.every((name) => typeof name === 'string')) {
    throw new TypeError('search({ pinned }) must be a list of names of tools')
  }
  if (typeof listAllTo !== 'function') {
    throw new TypeError('search({ listAllTo }) must be a function that receives the client')
  }
  return { pinned, names: checkNames(names), listAllTo }
}

function checkNames(names: Partial<SearchNames>): SearchNames {
  const {
    search = 'search_tools',
    call = 'call_tool',
    callRead = 'call_read_tool',
    ...others
  } = names
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw new TypeError(`There is no option search({ names: { ${unknown} } })`)
  const all = [search, call, callRead]
  if (new Set(all).size < all.length) {
    throw new TypeError(`search({ names }) must be three different names, not ${all.join(', ')}`)
  }
  return { search, call, callRead }
}
