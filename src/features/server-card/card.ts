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
import { isText, isUrl } from './check-members.ts'
import { MAX_DESCRIPTION } from './check-options.ts'
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
  const { version, title, websiteUrl } = app.info
  checkInfo(app.info)
  const described = {
    $schema: SCHEMA,
    name,
    version,
    title,
    description: describe(app.info, options),
    websiteUrl,
    repository,
    icons: publicIcons(app),
  }
  return (request) =>
    ({ ...described, remotes: remotesOf(app, options, request), _meta }) as ServerCard
}

/** A version that matches several, which registries refuse. */
const RANGE = /^[\^~<>=]|[\s|*]|(?:^|\.)x(?:\.|$)|^latest$/i

function checkInfo({ version, title, websiteUrl }: Implementation): void {
  if (version === '') {
    throw new TypeError(
      'serverCard() needs the version of the server. For a factory, set the option info',
    )
  }
  if (version.length > 255 || RANGE.test(version)) {
    throw new TypeError(
      `serverCard(): the version ${JSON.stringify(version)} must be one version, such as "1.4.0", with at most 255 characters`,
    )
  }
  if (title !== undefined && !isText(100)(title)) {
    throw new TypeError('serverCard(): the title of the server must have 1 to 100 characters')
  }
  if (websiteUrl !== undefined && !isUrl('https:', 'http:')(websiteUrl)) {
    throw new TypeError(
      `serverCard(): the websiteUrl of the server must be a URL such as https://example.com/notes, without a password`,
    )
  }
}

/** @throws {TypeError} */
function describe(info: Implementation, options: ServerCardOptions): string {
  const description = options.description ?? info.description
  if (isText(MAX_DESCRIPTION)(description)) return description
  const found = description === undefined ? 'it has none' : `it has ${[...description].length}`
  throw new TypeError(
    `serverCard() needs a description of 1 to ${MAX_DESCRIPTION} characters, and ${found}: set that of the server, or serverCard({ description })`,
  )
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
      message: `icon ${index + 1} is left out: its src must be an https: URL or a data: URI of an image, its sizes a list`,
    })
    return false
  })
  return icons?.map(({ src, mimeType, sizes, theme }) => ({ src, mimeType, sizes, theme })) as
    | readonly Icon[]
    | undefined
}

function isPublic({ src, mimeType, sizes, theme }: Icon): boolean {
  return (
    (/^data:image\//i.test(src) || isUrl('https:')(src)) &&
    ['string', 'undefined'].includes(typeof mimeType) &&
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
