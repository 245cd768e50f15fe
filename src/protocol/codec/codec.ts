/** The interface of codecs: each converts the neutral model to the wire form of one revision. */
import type { ServerCapabilities } from '../capabilities.ts'
import type { Implementation } from '../content.ts'
import type { ErrorCode } from '../error-codes.ts'
import type { UploadTarget } from '../files-extension.ts'
import type { JsonObject } from '../json.ts'
import type { ProgressToken } from '../meta.ts'
import type {
  CacheHints,
  CompleteResult,
  ListItems,
  ListMethod,
  ReturnedContents,
  ReturnedPrompt,
  ReturnedToolResult,
} from '../primitives.ts'
import type { Revision } from '../revisions.ts'
import type { Task } from '../tasks.ts'

export interface Progress {
  readonly progress: number
  readonly total: number | undefined
  readonly message: string | undefined
}

export interface Codec {
  readonly revision: Revision

  listItem<M extends ListMethod>(method: M, item: ListItems[M]): object
  callToolResult(result: ReturnedToolResult): object
  readResourceResult(result: ReturnedContents): object
  getPromptResult(result: ReturnedPrompt): object
  completeResult(result: CompleteResult): object
  capabilities(capabilities: ServerCapabilities): JsonObject
  implementation(info: Implementation): JsonObject
  progressParams(token: ProgressToken, progress: Progress): JsonObject

  /**
   * Serialises a whole result: the body with the envelope of this revision.
   *
   * @param cache caching hints, for the results and revisions that have them
   * @throws {TypeError} if the body cannot be represented as JSON
   */
  resultText(body: object, cache?: CacheHints): string

  /** Serialises an `InputRequiredResult`; undefined in revisions that ask by server requests. */
  readonly inputRequiredText:
    | ((requests: Readonly<Record<string, JsonObject>>, state: string | undefined) => string)
    | undefined

  /** Serialises the result that asks for files; undefined in revisions without the extension of files. */
  readonly uploadRequiredText:
    | ((uploads: readonly UploadTarget[], state: string | undefined) => string)
    | undefined

  /** Serialises the whole result of a request that has become a task. */
  createdTaskText(task: Task): string

  /** Returns the code that this revision uses for an error. */
  errorCode(code: ErrorCode): number
}
