/** What a method is: a pure name for the table, and how a call of it is answered. */

import type { ServerCapabilities } from '../../protocol/capabilities.ts'
import type { Codec } from '../../protocol/codec/codec.ts'
import type { ListMethod } from '../../protocol/primitives.ts'
import type { Definition } from '../../server/definition.ts'
import type { Call, ResultText } from '../call.ts'
import type { StaticList } from '../listing/static-list.ts'

/** A definition under one revision: everything a method needs that is the same for every call. */
export interface RevisionContext {
  readonly definition: Definition
  readonly codec: Codec
  readonly capabilities: ServerCapabilities
  readonly lists: { readonly [M in ListMethod]: StaticList<M> }
}

/** @throws {ProtocolError} for what is answered as a JSON-RPC error */
export type Method = (vocabulary: RevisionContext, call: Call) => ResultText | Promise<ResultText>
