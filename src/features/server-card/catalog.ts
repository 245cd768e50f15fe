/**
 * The AI Catalog of a host, with an entry for its server. In a Hono app with several servers, each leaves its entry with
 * the request, and the last one answers with all of them.
 *
 * @see https://github.com/Agent-Card/ai-catalog
 */
import type { AppContext } from '../../feature/feature.ts'
import type { Route } from '../../feature/route.ts'
import { airOf } from './check-options.ts'
import type { CatalogHost, ServerCardOptions } from './options.ts'
import { publicOrigin, serveDocument } from './serve-document.ts'

export const CATALOG_PATH = '/.well-known/ai-catalog.json'
export const CATALOG_TYPE = 'application/ai-catalog+json'
export const CARD_TYPE = 'application/mcp-server-card+json'

export interface CatalogEntry {
  readonly identifier: string
  readonly type: string
  readonly url: string
  readonly tags?: readonly string[] | undefined
}

/** What a server adds to the catalogue of a request. */
type Contribution = (
  request: Request,
  env: unknown,
) => { readonly entry: CatalogEntry; readonly host: CatalogHost | undefined }

/** Of the servers before the one that answers. */
const contributed = new WeakMap<Request, Contribution[]>()

/** @param cardPath a path of the card without params */
export function catalogRoute(
  app: AppContext,
  { name, identifier, tags, host }: ServerCardOptions,
  cardPath: string,
): Route {
  const own: Contribution = (request, env) => ({
    host,
    entry: {
      identifier: identifier ?? airOf(name),
      type: CARD_TYPE,
      url: publicOrigin(app, request, env) + cardPath,
      tags,
    },
  })
  return {
    path: CATALOG_PATH,
    leave: (request) => contributed.set(request, [...(contributed.get(request) ?? []), own]),
    handle: serveDocument(app, {
      mediaType: CATALOG_TYPE,
      name: 'AI Catalog',
      create: (request, env) => {
        const all = [...(contributed.get(request) ?? []), own].map((add) => add(request, env))
        return {
          specVersion: '1.0',
          host: all.findLast((each) => each.host !== undefined)?.host,
          entries: distinct(all.map(({ entry }) => entry)),
        }
      },
    }),
  }
}

/** An identifier occurs once in a catalogue. */
function distinct(entries: readonly CatalogEntry[]): readonly CatalogEntry[] {
  return entries.filter(
    ({ identifier }, index) =>
      entries.findIndex((other) => other.identifier === identifier) === index,
  )
}
