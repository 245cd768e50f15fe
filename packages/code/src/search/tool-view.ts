/** Which tools the list of a client has. */
import type { Definition, ListView } from '../../../../src/internal.ts'
import { ALWAYS_LOAD } from '../../../../src/protocol/host-keys.ts'
import type { Tool } from '../../../../src/protocol/primitives.ts'
import type { SearchSettings } from './options.ts'
import type { OwnTools } from './own-tools.ts'

/** The variants of the list: of the tools that search and call, and of all others. */
const SEARCH = 's'
const ALL = 'a'

/** Undefined for a definition without the tools of the feature. */
export function toolView(
  { tools }: Definition,
  { pinned, alwaysLoaded, listAllTo }: SearchSettings,
  own: OwnTools,
): ListView<Tool> | undefined {
  const all = [...tools.values()]
  const namesOf = (choose: (tool: (typeof all)[number]) => boolean) =>
    new Set(all.filter(choose).map(({ info }) => info.name))
  const added = namesOf((tool) => own.roleOf(tool) !== undefined)
  if (added.size === 0) return undefined
  const searched = namesOf((tool) => own.isSearched(tool) && !pinned.includes(tool.info.name))
  return {
    variantOf: (client) => (listAllTo(client) ? ALL : SEARCH),
    listed: (tool, variant) => {
      if ((variant === ALL ? added : searched).has(tool.name)) return undefined
      return alwaysLoaded.has(tool.name)
        ? { ...tool, _meta: { ...ALWAYS_LOAD, ...tool._meta } }
        : tool
    },
  }
}
