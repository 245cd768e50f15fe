/**
 * `resources/list` with templates that list their resources: the registered resources first, then those of
 * each template in order of registration, page by page.
 */
import type { Resource } from '../../protocol/content.ts'
import { isJsonObject } from '../../protocol/json.ts'
import type { FullContext } from '../../server/context.ts'
import type { ResourceDefinition, TemplateDefinition } from '../../server/definition.ts'
import type { ResourcePage } from '../../server/resource.ts'
import type { ExpandValues } from '../../server/uri-template/expand.ts'
import { badResult } from '../run-error.ts'
import { badCursor, encodeCursor, type Position } from './cursor.ts'

interface Source {
  readonly name: string
  readonly list: (cursor: string | undefined, limit: number) => ResourcePage | Promise<ResourcePage>
}

export interface ResourceListPage {
  readonly resources: readonly Resource[]
  readonly nextCursor: string | undefined
}

/**
 * Returns one page.
 *
 * @throws {ProtocolError} invalidParams for a cursor that is not a position in the list
 * @throws {RunError} if a template's `list` does not return resources
 */
export async function listResources(
  registered: readonly ResourceDefinition[],
  templates: readonly TemplateDefinition[],
  ctx: FullContext,
  pageSize: number,
  position: Position | undefined,
): Promise<ResourceListPage> {
  const sources = sourcesOf(registered, templates, ctx)
  const start =
    position === undefined ? 0 : sources.findIndex(({ name }) => name === position.source)
  if (start === -1) throw badCursor()
  const resources: Resource[] = []
  let { after, inner } = position ?? { after: undefined, inner: undefined }
  for (const [index, source] of sources.entries()) {
    if (index < start) continue
    const room = pageSize - resources.length
    // To continue after an item, the author's page is requested again in full.
    const limit = after === undefined ? room : pageSize
    const page = checkPage(source.name, await source.list(inner, limit))
    const from = after === undefined ? 0 : page.resources.findIndex(({ uri }) => uri === after) + 1
    if (after !== undefined && from === 0) throw badCursor()
    const items = page.resources.slice(from, from + room)
    resources.push(...items)
    const next = nextPosition(sources, index, page, from + items.length, inner)
    const full = resources.length >= pageSize || next?.source === source.name
    if (next === undefined || full) {
      return { resources, nextCursor: next === undefined ? undefined : encodeCursor(next) }
    }
    after = undefined
    inner = undefined
  }
  return { resources, nextCursor: undefined }
}

function sourcesOf(
  registered: readonly ResourceDefinition[],
  templates: readonly TemplateDefinition[],
  ctx: FullContext,
): Source[] {
  const own: Source = {
    name: '',
    list: () => ({ resources: registered.map(({ info }) => info) }),
  }
  const listed = templates.flatMap(({ info, list, template }): Source[] => {
    if (list === undefined) return []
    const expand = (values: ExpandValues) => template.expand(values)
    return [
      { name: info.uriTemplate, list: (cursor, limit) => list(ctx, { cursor, limit, expand }) },
    ]
  })
  return [own, ...listed]
}

/** Returns the position after `given` items of a page of the source at `index`. */
function nextPosition(
  sources: readonly Source[],
  index: number,
  { resources, nextCursor }: ResourcePage,
  given: number,
  inner: string | undefined,
): Position | undefined {
  const source = sources[index]?.name ?? ''
  const last = resources[given - 1]
  if (given < resources.length && last !== undefined) return { source, after: last.uri, inner }
  if (nextCursor !== undefined) return { source, after: undefined, inner: nextCursor }
  const next = sources[index + 1]
  return next === undefined ? undefined : { source: next.name, after: undefined, inner: undefined }
}

function checkPage(source: string, page: unknown): ResourcePage {
  if (isResourcePage(page)) return page
  throw badResult(`the list of ${source} must be { resources: [{ uri, name }] }`)
}

function isResourcePage(page: unknown): page is ResourcePage {
  return (
    isJsonObject(page) &&
    Array.isArray(page.resources) &&
    page.resources.every(
      (item) => isJsonObject(item) && typeof item.uri === 'string' && typeof item.name === 'string',
    ) &&
    (page.nextCursor === undefined || typeof page.nextCursor === 'string')
  )
}
