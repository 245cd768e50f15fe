/** One operation of the description, as filters, overrides and reports receive it. */
import type { JsonObject } from '../../../../src/protocol/json.ts'

/** The methods that `fetch` can send. */
export type HttpMethod = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'OPTIONS' | 'HEAD' | 'PATCH'

export interface OpenAPIOperation {
  /** The name of the tool: from `operationId`, or from method and path. */
  readonly name: string
  readonly operationId: string | undefined
  readonly method: HttpMethod
  /** The path template, such as `/pets/{petId}`. */
  readonly path: string
  readonly tags: readonly string[]
  readonly deprecated: boolean
  /** The scopes of its first security requirement with OAuth 2 or OpenID Connect. */
  readonly scopes: readonly string[]
  /** The place of the operation in the document, as a JSON pointer: `#/paths/~1pets~1{petId}/get`. */
  readonly pointer: string
  /** The operation object with its extensions (`x-…`), as written. */
  readonly source: JsonObject
}
