/** The type of methods, and the context that they share. */

import type { ServerCapabilities } from '../../protocol/capabilities.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import type { ListMethod } from '../../protocol/primitives.ts'
import type { WireFeatures } from '../../protocol/revisions.ts'
import type { Definition } from '../../server/definition.ts'
import type { Call, ResultText } from '../call.ts'
import type { StaticList } from '../listing/static-list.ts'
import type { NamedBy } from '../target.ts'

/** A definition under one revision: everything that a method needs and that is the same for every call. */
export interface RevisionContext {
  readonly definition: Definition
  readonly codec: Codec
  readonly capabilities: ServerCapabilities
  readonly lists: { readonly [M in ListMethod]: StaticList<M> }
}

export interface MethodEntry {
  readonly run: Method
  /** The method exists only if the server declares this capability. */
  readonly needs?: keyof ServerCapabilities
  /** The method exists only if the server declares this extension. */
  readonly extension?: string
  /** The method exists only in revisions with this feature. */
  readonly feature?: keyof WireFeatures
  /** How its params name a definition. Absent: they name none. */
  readonly names?: NamedBy
  /** The parameter that the header `Mcp-Name` repeats. */
  readonly nameParam?: 'name' | 'uri' | 'taskId'
}

/** @throws {ProtocolError} for a failure that is answered as a JSON-RPC error */
export type Method = (context: RevisionContext, call: Call) => ResultText | Promise<ResultText>
