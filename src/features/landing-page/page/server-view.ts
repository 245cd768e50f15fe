/** What the page says about a server: the machine-readable form, from which the HTML is rendered. */
import { isVisible, listedTools } from '../../../dispatch/access.ts'
import type { AuthInfo } from '../../../protocol/auth-info.ts'
import type { Implementation } from '../../../protocol/content.ts'
import { isJsonObject, type JsonObject } from '../../../protocol/json.ts'
import type { ToolAnnotations } from '../../../protocol/primitives.ts'
import type { Definition } from '../../../server/definition.ts'
import type { Visible } from '../../../server/visibility.ts'
import type { ClientGuide } from './client-guides.ts'

export interface ServerView extends Implementation {
  /** Undefined unless the owner shows them. */
  readonly instructions?: string | undefined
  readonly endpoints: readonly EndpointView[]
  /** Query parameters that the URL may have. */
  readonly queryParameters: readonly string[]
  readonly authorization: AuthorizationView
  readonly clients: readonly ClientGuide[]
  /** Undefined where the lists are not shown. */
  readonly lists?: ListsView | undefined
  /** Why there are no lists. */
  readonly hidden?: 'sign-in' | 'private' | 'parameters' | 'unavailable' | undefined
}

export interface EndpointView {
  /** A param is `{org}`. */
  readonly url: string
  readonly parameters: readonly string[]
}

export interface AuthorizationView {
  readonly required: boolean
  /** Where a person signs in with a browser, and sees their apps. */
  readonly accountUrl?: string | undefined
  readonly scopes: readonly ScopeView[]
}

export interface ScopeView {
  readonly name: string
  readonly description?: string
}

export interface ListsView {
  readonly tools: ListView<ToolView>
  readonly resources: ListView<ItemView>
  readonly resourceTemplates: ListView<ItemView>
  readonly prompts: ListView<PromptView>
}

/** At most {@link MAX_ITEMS} entries. Undefined for a list that the author's own method answers. */
export type ListView<Item> = { readonly total: number; readonly items: readonly Item[] } | undefined

export interface ItemView {
  readonly name: string
  readonly title?: string | undefined
  readonly description?: string | undefined
  /** Of a resource: its URI or the template of its URI. */
  readonly uri?: string
  /** Scopes that a caller needs. */
  readonly scopes: readonly string[]
}

export interface PromptView extends ItemView {
  readonly arguments: readonly ArgumentView[]
}

export interface ToolView extends PromptView {
  readonly annotations?: ToolAnnotations | undefined
}

export interface ArgumentView {
  readonly name: string
  readonly type?: string | undefined
  readonly description?: string | undefined
  readonly required: boolean
}

/** Of one list in the machine-readable form. */
const MAX_ITEMS = 1000

/** The part of the view that is that of `initialize`. */
export function describeInfo(info: Implementation): Implementation {
  const { name, version, title, description, websiteUrl, icons } = info
  return { name, version, title, description, websiteUrl, icons }
}

/** What a caller sees of a definition. */
export function describeLists(
  { tools, resources, templates, prompts, handlers }: Definition,
  auth: AuthInfo | undefined,
): ListsView {
  const seen = <T extends { readonly visible: Visible | undefined }>(all: Iterable<T>) =>
    [...all].filter((each) => isVisible(each, auth))
  return {
    tools: handlers.has('tools/list')
      ? undefined
      : listOf(seen(listedTools(tools)), ({ info, scopes }) => ({
          name: info.name,
          title: info.title ?? info.annotations?.title,
          description: info.description,
          annotations: info.annotations,
          arguments: argumentsOf(info.inputSchema),
          scopes,
        })),
    resources: handlers.has('resources/list')
      ? undefined
      : listOf(
          // By the URI as registered and as normalised.
          seen(new Set(resources.values())).filter(({ isListed }) => isListed),
          ({ info: { name, title, description, uri }, scopes }) => ({
            name,
            title,
            description,
            uri,
            scopes,
          }),
        ),
    resourceTemplates: handlers.has('resources/templates/list')
      ? undefined
      : listOf(seen(templates), ({ info: { name, title, description, uriTemplate }, scopes }) => ({
          name,
          title,
          description,
          uri: uriTemplate,
          scopes,
        })),
    prompts: handlers.has('prompts/list')
      ? undefined
      : listOf(seen(prompts.values()), ({ info, scopes }) => ({
          name: info.name,
          title: info.title,
          description: info.description,
          arguments: (info.arguments ?? []).map(({ name, description, required = false }) => ({
            name,
            description,
            required,
          })),
          scopes,
        })),
  }
}

function listOf<T, Item>(all: readonly T[], describe: (each: T) => Item): ListView<Item> {
  return { total: all.length, items: all.slice(0, MAX_ITEMS).map(describe) }
}

function argumentsOf({ properties, required }: JsonObject): readonly ArgumentView[] {
  if (!isJsonObject(properties)) return []
  const needed: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema),
    description: descriptionOf(schema),
    required: needed.includes(name),
  }))
}

function typeOf(schema: unknown): string | undefined {
  if (!isJsonObject(schema)) return undefined
  const { type } = schema
  if (typeof type === 'string') return type
  return Array.isArray(type) ? type.join(' or ') : undefined
}

function descriptionOf(schema: unknown): string | undefined {
  const description = isJsonObject(schema) ? schema.description : undefined
  return typeof description === 'string' ? description : undefined
}
