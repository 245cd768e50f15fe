/** What the server offers: its introduction and its four lists. */
import { type HostedTool, viewAddress } from '../../../view/src/host/hosted-tool.ts'
import {
  introduce,
  type Params,
  reasonOf,
  SignInRequired,
  sendRequest,
} from '../client/endpoint.ts'
import { textOf } from '../form/schema.ts'
import { Store } from '../store.ts'

export interface Item {
  /** The name of a tool or prompt, the URI of a resource, or a URI template. */
  readonly id: string
  readonly title: string | undefined
  readonly description: string | undefined
  /** The item as the server sent it. */
  readonly definition: Params
}

/** The address of the view of a tool. */
export const viewOf = ({ definition }: Item): string | undefined =>
  viewAddress(definition as Params & HostedTool)

export const LISTS = ['tools', 'resources', 'templates', 'prompts'] as const

export type ListName = (typeof LISTS)[number]

/** The method of each list, the capability that has it, and the member that contains its items. */
const SOURCES: Readonly<Record<ListName, readonly [string, string, string, string]>> = {
  tools: ['tools/list', 'tools', 'tools', 'name'],
  resources: ['resources/list', 'resources', 'resources', 'uri'],
  templates: ['resources/templates/list', 'resources', 'resourceTemplates', 'uriTemplate'],
  prompts: ['prompts/list', 'prompts', 'prompts', 'name'],
}

export interface Catalog {
  readonly endpoint: string
  readonly introduction: Params
  readonly lists: Readonly<Record<ListName, readonly Item[]>>
}

export type CatalogState =
  | { readonly state: 'none' | 'loading' }
  | { readonly state: 'ready'; readonly catalog: Catalog }
  /** @param challenge the `WWW-Authenticate` header */
  | { readonly state: 'signed-out'; readonly challenge: string }
  | { readonly state: 'failed'; readonly problem: string }

export const catalogState = new Store<CatalogState>({ state: 'none' })

/** Pages of a list. */
const MAX_PAGES = 50

let lastLoad = 0

export async function loadCatalog(endpoint: string): Promise<void> {
  lastLoad += 1
  const load = lastLoad
  catalogState.set({ state: 'loading' })
  const next = await read(endpoint)
  // Another load, of another endpoint, may have begun.
  if (load === lastLoad) catalogState.set(next)
}

async function read(endpoint: string): Promise<CatalogState> {
  try {
    const introduction = await introduce(endpoint)
    const capabilities = (introduction.capabilities ?? {}) as Params
    const lists = { tools: [], resources: [], templates: [], prompts: [] } as Record<
      ListName,
      readonly Item[]
    >
    for (const name of LISTS) {
      if (capabilities[SOURCES[name][1]] !== undefined) lists[name] = await readList(endpoint, name)
    }
    return { state: 'ready', catalog: { endpoint, introduction, lists } }
  } catch (error) {
    if (error instanceof SignInRequired) return { state: 'signed-out', challenge: error.challenge }
    return { state: 'failed', problem: reasonOf(error) }
  }
}

/** Reads some lists of the catalog again. One that cannot be read stays as it is. */
export async function reloadLists(
  { endpoint, introduction }: Catalog,
  names: readonly ListName[],
): Promise<void> {
  const capabilities = (introduction.capabilities ?? {}) as Params
  const offered = names.filter((name) => capabilities[SOURCES[name][1]] !== undefined)
  for (const name of offered) {
    const items = await readList(endpoint, name).catch(() => undefined)
    const state = catalogState.value
    if (items === undefined || state.state !== 'ready') continue
    const { catalog } = state
    if (catalog.endpoint !== endpoint) return
    const lists = { ...catalog.lists, [name]: items }
    catalogState.set({ state: 'ready', catalog: { ...catalog, lists } })
  }
}

async function readList(endpoint: string, name: ListName): Promise<readonly Item[]> {
  const [method, , member, key] = SOURCES[name]
  const items: Item[] = []
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await sendRequest(endpoint, method, cursor === undefined ? {} : { cursor })
    const definitions = Array.isArray(result[member]) ? (result[member] as Params[]) : []
    for (const definition of definitions) {
      items.push({
        id: String(definition[key]),
        title: textOf(definition.title),
        description: textOf(definition.description),
        definition,
      })
    }
    cursor = result.nextCursor
    if (cursor === undefined) break
  }
  return items
}
