/** `serverCard()`: the Server Card beside each path of the endpoint, and the AI Catalog of the host. */

import { createFeature } from '../../feature/create-feature.ts'
import type { AppContext, Feature, FeatureParts } from '../../feature/feature.ts'
import { PAGE_LINK } from '../../feature/page-links.ts'
import type { Route } from '../../feature/route.ts'
import { PathPattern } from '../../transport/endpoint-paths.ts'
import { type CreateCard, prepareCard } from './card.ts'
import { CARD_TYPE, CATALOG_PATH, CATALOG_TYPE, catalogRoute } from './catalog.ts'
import { checkOptions } from './check-options.ts'
import type { ServerCardOptions } from './options.ts'
import { publicOrigin, serveDocument } from './serve-document.ts'

/** The last segment of the path of a card. No param has this value. */
const SEGMENT = 'server-card'

export type ServerCardFeature = Feature<'serverCard'>

/**
 * Serves `<endpoint>/server-card` and `/.well-known/ai-catalog.json`, by which clients and directories find the server.
 * Everyone can read both.
 *
 * @throws {TypeError} for an invalid option; from `createEdgeway` for a definition that a card cannot describe, and for a
 * path that ends with `/server-card`
 */
export function serverCard(options: ServerCardOptions): ServerCardFeature {
  const checked = checkOptions(options)
  return createFeature('serverCard', (app) => createParts(app, checked))
}

function createParts(app: AppContext, options: ServerCardOptions): FeatureParts {
  return {
    transport: { reservedValue: SEGMENT },
    routes: () => {
      checkPaths(app)
      const createCard = prepareCard(app, options)
      return [...cardRoutes(app, createCard), catalogRoute(app, options, catalogedPath(app))]
    },
    extensions: [PAGE_LINK.with({ rel: 'ai-catalog', href: CATALOG_PATH, type: CATALOG_TYPE })],
    announced: {
      // With paths in place of URLs: the origin of a deployment is in its configuration.
      serverCard: () => prepareCard(app, options)({ origin: '', servesHttpSse: true }),
    },
  }
}

/** @throws {TypeError} for a path of this server where a card is served */
function checkPaths({ patterns, isFree, report }: AppContext): void {
  for (const { source, paramNames } of patterns) {
    if (source.endsWith(`/${SEGMENT}`) || !isFree(`${beforeParams(source)}/${SEGMENT}`)) {
      throw new TypeError(
        `A path of this server ends with /${SEGMENT}, where serverCard() serves the card: name another one`,
      )
    }
    if (paramNames.length > 0) {
      report({
        type: 'definition-warning',
        subject: `The path ${source}`,
        message: `no param has the value "${SEGMENT}": serverCard() reserves it for the path of the card`,
      })
    }
  }
}

/** The literal part of a path with params: `/mcp` of `/mcp/{org}`. */
const beforeParams = (source: string) => source.replace(/\/\{.*/, '')

/** The path without its last segment, if that is a param. */
const withoutParam = (source: string) => source.replace(/\/\{[^/]*\}$/, '')

/**
 * Beside each path of the endpoint, where the last param of a path would be, and once without params: that is the card of
 * a server whose paths all have params, for the catalogue. A path of the endpoint comes before what another one has left.
 */
function cardRoutes(app: AppContext, createCard: CreateCard): readonly Route[] {
  const { patterns } = app
  const places = new Map<string, PathPattern>()
  for (const pattern of patterns) places.set(pattern.source, pattern)
  for (const pattern of patterns) {
    for (const place of [withoutParam(pattern.source), beforeParams(pattern.source)]) {
      if (!places.has(place)) places.set(place, pattern)
    }
  }
  return [...places].map(([place, pattern]) => cardRoute(app, createCard, place, pattern))
}

function cardRoute(
  app: AppContext,
  createCard: CreateCard,
  place: string,
  first: PathPattern,
): Route {
  const parent = place === '' ? undefined : new PathPattern('path', place, SEGMENT)
  const create = (request: Request, env: unknown) => {
    // The router has matched the last segment, with or without a slash at the end.
    const at = new URL(request.url).pathname.replace(/\/[^/]*\/?$/, '')
    if (parent !== undefined && parent.match(at) === undefined) return undefined
    const servesHttpSse = app.httpSse?.isServed(env) === true
    return createCard({ origin: publicOrigin(app, request, env), first, servesHttpSse })
  }
  return {
    path: `${parent?.route ?? ''}/${SEGMENT}`,
    handle: serveDocument(app, { mediaType: CARD_TYPE, name: 'Server Card', create }),
  }
}

/** The path of a card to which the catalogue leads. */
function catalogedPath({ patterns, singlePaths }: AppContext): string {
  return `${singlePaths[0] ?? beforeParams(patterns[0]?.source ?? '')}/${SEGMENT}`
}
