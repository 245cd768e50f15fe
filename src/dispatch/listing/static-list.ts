/**
 * Lists of registered definitions. A list depends only on the revision, on the definitions that the
 * principal sees, and on the page, so each page is serialised once and cached as bytes.
 */
import type { AuthInfo } from '../../protocol/auth-info.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import { DEPRECATED_META } from '../../protocol/deprecation.ts'
import type { JsonObject } from '../../protocol/json.ts'
import {
  type CacheHints,
  LIST_MEMBER,
  type ListItems,
  type ListMethod,
} from '../../protocol/primitives.ts'
import type { Definition } from '../../server/definition.ts'
import type { CompiledSchema } from '../../server/schema/compile.ts'
import type { Visible } from '../../server/visibility.ts'
import { isVisible, sentInfo } from '../access.ts'
import { type Position, readCursor } from './cursor.ts'
import type { ListClient, ListView } from './list-view.ts'
import { pageOf } from './page.ts'

/** A definition as an item of a list. */
export interface Listed<M extends ListMethod> {
  readonly info: ListItems[M]
  readonly visible: Visible | undefined
  readonly input?: CompiledSchema | undefined
}

/**
 * What distinguishes an item in a cursor: its URI, the template of its URI, or its name. A deprecated tool has moved to the
 * end: a cursor of before would skip all tools between, so it is refused.
 */
const keyOf = (item: ListItems[ListMethod]): string =>
  'uri' in item
    ? item.uri
    : 'uriTemplate' in item
      ? item.uriTemplate
      : `${item._meta?.[DEPRECATED_META] ? '!' : ''}${item.name}`

/** Maximum number of cached pages per list. Pages of further visibility sets are serialised per request. */
const MAX_CACHED_PAGES = 256

export class StaticList<M extends ListMethod> {
  readonly #method: M
  readonly #entries: readonly Listed<M>[]
  readonly #pageSize: number
  readonly #cache: CacheHints
  readonly #codec: Codec
  readonly #guarded: readonly Listed<M>[]
  readonly #view: ListView<ListItems[M]> | undefined
  readonly #pages = new Map<string, Uint8Array>()

  constructor(
    method: M,
    entries: Iterable<Listed<M>>,
    { pageSize, listTtlMs, isPrivate }: Pick<Definition, 'pageSize' | 'listTtlMs' | 'isPrivate'>,
    codec: Codec,
    view?: ListView<ListItems[M]>,
  ) {
    this.#view = view
    this.#method = method
    this.#entries = [...entries]
    this.#pageSize = pageSize
    this.#codec = codec
    this.#guarded = this.#entries.filter(({ visible }) => visible !== undefined)
    // Clients must not share a list between principals if it depends on the principal, or on the client.
    const isShared = !isPrivate && view === undefined
    this.#cache =
      this.#guarded.length === 0
        ? { ttlMs: listTtlMs, cacheScope: isShared ? 'public' : 'private' }
        : { ttlMs: 0, cacheScope: 'private' }
  }

  /** @throws {ProtocolError} invalidParams for a cursor that is not of this list */
  page(
    params: JsonObject | undefined,
    auth: AuthInfo | undefined,
    client?: ListClient,
  ): Uint8Array {
    const variant = (client && this.#view?.variantOf(client)) ?? ''
    const visible = this.#guarded.map((entry) => (isVisible(entry, auth) ? '1' : '0')).join('')
    const position = readCursor(params)
    const seen = variant === '' ? visible : `${visible}/${variant}`
    const key = position === undefined ? seen : `${seen}:${params?.cursor}`
    const cached = this.#pages.get(key)
    if (cached !== undefined) return cached
    const page = this.#render(position, auth, variant)
    if (this.#pages.size < MAX_CACHED_PAGES) this.#pages.set(key, page)
    return page
  }

  #render(position: Position | undefined, auth: AuthInfo | undefined, variant: string) {
    const all = this.#entries.filter((entry) => isVisible(entry, auth)).map(sentInfo)
    const items =
      variant === '' ? all : all.flatMap((item) => this.#view?.listed(item, variant) ?? [])
    const { page, nextCursor } = pageOf(items, keyOf, position, this.#pageSize)
    const body = {
      [LIST_MEMBER[this.#method]]: page.map((item) => this.#codec.listItem(this.#method, item)),
      ...(nextCursor === undefined ? undefined : { nextCursor }),
    }
    return new TextEncoder().encode(this.#codec.resultText(body, this.#cache))
  }
}
