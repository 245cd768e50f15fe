/** How a list depends on the client. */
import type { ClientCapabilities } from '../../protocol/capabilities.ts'
import type { Era } from '../../protocol/revisions.ts'

/** What the list of a client may depend on. Directories refuse servers whose lists depend on the name of the client. */
export interface ListClient {
  readonly era: Era
  /** As the client declares them. */
  readonly capabilities: ClientCapabilities
  /** What features know of the caller. Absent: nothing that the list depends on. */
  readonly own?: string
}

export interface ListView<Item> {
  /**
   * Names the list that a client gets, in a few characters without `|`: `''` for the list with everything. Lists are cached
   * by it, so `listed` must depend on nothing else.
   */
  readonly variantOf: (client: ListClient) => string
  /** An item as the list of a variant has it; undefined where it does not have it. Never called for `''`. */
  readonly listed: (item: Item, variant: string) => Item | undefined
}

/** Between the variants of several views. */
const SEPARATOR = '|'

/** Undefined for no view. */
export function combineViews<Item>(views: readonly ListView<Item>[]): ListView<Item> | undefined {
  if (views.length < 2) return views[0]
  return {
    variantOf: (client) => {
      const variants = views.map((view) => view.variantOf(client))
      return variants.every((variant) => variant === '') ? '' : variants.join(SEPARATOR)
    },
    listed: (item, variant) => {
      const variants = variant.split(SEPARATOR)
      return views.reduce<Item | undefined>((seen, view, index) => {
        const own = variants[index] ?? ''
        return seen === undefined || own === '' ? seen : view.listed(seen, own)
      }, item)
    },
  }
}
