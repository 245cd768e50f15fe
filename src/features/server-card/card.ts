/**
 * The Server Card: what a client reads before it connects. Its values are those of the definition and of the table of
 * revisions, so it agrees with `server/discover` and `initialize`.
 *
 * @see https://github.com/modelcontextprotocol/experimental-ext-server-card
 */
import type { AppContext } from '../../feature/feature.ts'
import type { Icon, Implementation } from '../../protocol/content.ts'
import { isTextList } from '../../protocol/json.ts'
import { MODERN_VERSIONS, OLDEST_SESSION, SESSION_VERSIONS } from '../../protocol/revisions.ts'
import type { PathPattern } from '../../transport/endpoint-paths.ts'
import { isUrl } from './check-members.ts'
import { checkInfo } from './check-options.ts'
import type { CardHeader, CardInput, CardRepository, ServerCardOptions } from './options.ts'

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'

export interface CardRemote {
  readonly type: 'streamable-http' | 'sse'
  /** With `{variables}`. */
  readonly url: string
  readonly headers?: readonly CardHeader[]
  readonly variables?: Readonly<Record<string, CardInput>>
  readonly supportedProtocolVersions: readonly string[]
}

export interface ServerCard extends Readonly<Omit<Implementation, 'icons'>> {
  readonly $schema: string
  readonly description: string
  readonly repository?: CardRepository
  readonly icons?: readonly Icon[]
  readonly remotes: readonly CardRemote[]
  readonly _meta?: Readonly<Record<string, unknown>>
}

/** What the remotes of a card depend on. */
export interface CardRequest {
  /** What the URLs begin with. */
  readonly origin: string
  /** The path whose remote is the first one. Default: the order of the option `path`. */
  readonly first?: PathPattern | undefined
  /** Whether the transport of 2024-11-05 is served. */
  readonly servesHttpSse: boolean
}

export type CreateCard = (request: CardRequest) => ServerCard

/** @throws {TypeError} for a definition that no card can describe */
export function prepareCard(app: AppContext, options: ServerCardOptions): CreateCard {
  checkVariables(app, options)
  const { name, repository, _meta } = options
  const { version, title, description: own, websiteUrl } = app.info
  const description = options.description ?? own
  const info = { version, title, description, websiteUrl }
  checkInfo(info)
  const described = { $schema: SCHEMA, name, ...info, repository, icons: publicIcons(app) }
  return (request) =>
    ({ ...described, remotes: remotesOf(app, options, request), _meta }) as ServerCard
}

/** @throws {TypeError} for a variable that is no param */
function checkVariables({ patterns, httpSse }: AppContext, { variables = {} }: ServerCardOptions) {
  const paths = [...patterns, ...(httpSse === undefined ? [] : [httpSse.stream])]
  const params = paths.flatMap(({ paramNames }) => paramNames)
  for (const name of Object.keys(variables)) {
    if (params.includes(name)) continue
    throw new TypeError(`serverCard.variables.${name} is a param of no path of this server`)
  }
}

/** Clients show an icon before they connect, so it must be theirs to load: a secure URL, or in the card. */
function publicIcons({ info, report }: AppContext): readonly Icon[] | undefined {
  const icons = info.icons?.filter((icon, index) => {
    if (isPublic(icon)) return true
    report({
      type: 'definition-warning',
      subject: `The Server Card of ${info.name}`,
      message: `icon ${index + 1} is left out: it must be an image at an https: URL or in a data: URI, and its sizes a list`,
    })
    return false
  })
  return icons?.map(({ src, mimeType, sizes, theme }) => ({ src, mimeType, sizes, theme })) as
    | readonly Icon[]
    | undefined
}

function isPublic({ src, sizes, theme }: Icon): boolean {
  return (
    (/^data:image\//i.test(src) || isUrl('https:')(src)) &&
    (sizes === undefined || isTextList(sizes)) &&
    [undefined, 'light', 'dark'].includes(theme)
  )
}

function remotesOf(
  app: AppContext,
  { headers, variables }: ServerCardOptions,
  { origin, first, servesHttpSse }: CardRequest,
): readonly CardRemote[] {
  const { patterns, httpSse, modernOnly, entranceOptions } = app
  const { sessionsOnly } = entranceOptions.endpoint.extensions
  // As `server/discover` and the refusals of other revisions name them.
  const versions = [
    ...(sessionsOnly ? [] : MODERN_VERSIONS),
    ...(modernOnly ? [] : SESSION_VERSIONS),
  ]
  const remote = (
    type: CardRemote['type'],
    { source, paramNames }: PathPattern,
    supportedProtocolVersions: readonly string[],
  ): CardRemote => ({
    type,
    url: origin + source,
    headers,
    ...(paramNames.length > 0 && {
      variables: Object.fromEntries(
        paramNames.map((name) => [name, { ...variables?.[name], isRequired: true }]),
      ),
    }),
    supportedProtocolVersions,
  })
  const ordered = first === undefined ? patterns : [...new Set([first, ...patterns])]
  return [
    ...ordered.map((pattern) => remote('streamable-http', pattern, versions)),
    ...(servesHttpSse && httpSse ? [remote('sse', httpSse.stream, [OLDEST_SESSION.id])] : []),
  ]
}
