/** Links that a feature adds to the page of the server, as a header and as an element. */
import { ExtensionPoint } from './extension-point.ts'

/** @see https://www.rfc-editor.org/rfc/rfc8288 */
export interface PageLink {
  readonly rel: string
  /** A path of this host. */
  readonly href: string
  readonly type: string
}

export const PAGE_LINK = new ExtensionPoint<PageLink>()
