/** What a wire vocabulary must be able to spell. One codec per revision; the neutral model on the other side. */
import type { ServerCapabilities } from '../capabilities.ts'
import type { Implementation } from '../content.ts'
import type { ErrorCode } from '../error-codes.ts'
import type { JsonObject } from '../json.ts'
import type { ProgressToken } from '../meta.ts'
import type {
  CacheHints,
  CallToolResult,
  CompleteResult,
  GetPromptResult,
  ListItems,
  ListMethod,
  ReadResourceResult,
} from '../primitives.ts'
import type { Revision } from '../revisions.ts'

export interface Progress {
  readonly progress: number
  readonly total: number | undefined
  readonly message: string | undefined
}

export interface Codec {
  readonly revision: Revision

  listItem<M extends ListMethod>(method: M, item: ListItems[M]): object
  callToolResult(result: CallToolResult): object
  readResourceResult(result: ReadResourceResult): object
  getPromptResult(result: GetPromptResult): object
  completeResult(result: CompleteResult): object
  capabilities(capabilities: ServerCapabilities): JsonObject
  implementation(info: Implementation): JsonObject
  progressParams(token: ProgressToken, progress: Progress): JsonObject

  /**
   * The JSON text of a whole result: the envelope that this revision puts around a body.
   *
   * @param cache for the results that carry caching hints, where the revision has them
   * @throws {TypeError} when the body holds what JSON cannot
   */
  resultText(body: object, cache?: CacheHints): string

  /** The JSON text of a result that asks instead; undefined where a revision asks otherwise. */
  readonly inputRequiredText:
    | ((requests: Readonly<Record<string, JsonObject>>, state: string | undefined) => string)
    | undefined

  /** The params of a question that goes out as a request; `elicitationId` is used where none is given. */
  askParams(method: string, params: JsonObject, elicitationId: string): JsonObject

  /** The code this revision uses for an error of the neutral model. */
  errorCode(code: ErrorCode): number
}
