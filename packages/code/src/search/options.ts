/** The options of `search()`. */
import type { ListClient } from '../../../../src/internal.ts'
import { isJsonObject } from '../../../../src/protocol/json.ts'

/**
 * The extension that a client declares which searches the tools of its servers itself, in `capabilities.extensions` or
 * `capabilities.experimental`. The protocol has no capability for it: such clients search behind the list.
 */
export const TOOL_SEARCH = 'dev.edgeway/tool-search'

export interface SearchOptions {
  /**
   * The names of the tools that stay in the list. One with `alwaysLoad` is there from the start also in hosts that search
   * tools themselves. Default none.
   */
  readonly pinned?: readonly PinnedTool[]
  /** The names of the added tools. */
  readonly names?: Partial<SearchNames>
  /**
   * Whether a client gets the list of all tools instead, by its capabilities. Default: one that declares the extension
   * `dev.edgeway/tool-search` ({@link TOOL_SEARCH}), because it searches itself.
   */
  readonly listAllTo?: (client: ListClient) => boolean
}

/** The name of a tool, or its name with an option of its own. */
export type PinnedTool = string | { readonly name: string; readonly alwaysLoad: boolean }

export interface SearchNames {
  /** Default `search_tools`. */
  readonly search: string
  /** Default `call_tool`. */
  readonly call: string
  /** Default `call_read_tool`. It is added where a tool with `readOnlyHint` is not in the list. */
  readonly callRead: string
}

export type SearchSettings = Required<Omit<SearchOptions, 'names' | 'pinned'>> & {
  readonly names: SearchNames
  readonly pinned: readonly string[]
  /** The names of pinned tools that hosts show from the start. */
  readonly alwaysLoaded: ReadonlySet<string>
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
  if (!Array.isArray(pinned) || !pinned.every(isPinned)) {
    throw new TypeError(
      'search({ pinned }) must be a list of names of tools, or of { name, alwaysLoad }',
    )
  }
  const tools = pinned.map((tool) => (typeof tool === 'string' ? { name: tool } : tool))
  if (typeof listAllTo !== 'function') {
    throw new TypeError('search({ listAllTo }) must be a function that receives the client')
  }
  return {
    pinned: tools.map(({ name }) => name),
    alwaysLoaded: new Set(
      tools.flatMap((tool) => ('alwaysLoad' in tool && tool.alwaysLoad ? tool.name : [])),
    ),
    names: checkNames(names),
    listAllTo,
  }
}

function isPinned(tool: unknown): tool is PinnedTool {
  if (typeof tool === 'string') return true
  return isJsonObject(tool) && typeof tool.name === 'string' && typeof tool.alwaysLoad === 'boolean'
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
