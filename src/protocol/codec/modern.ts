/**
 * The codec of 2026-07-28. The neutral model is the wire form of this revision, so bodies pass through.
 * The codec adds the envelope: `resultType`, caching hints and `serverInfo`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#result-responses
 */
import { randomToken } from '../../platform/random-token.ts'
import type { ServerCapabilities } from '../capabilities.ts'
import type { Implementation } from '../content.ts'
import { ErrorCode } from '../error-codes.ts'
import { isJsonObject, type JsonObject, jsonText } from '../json.ts'
import { MetaKey } from '../meta.ts'
import type { CacheHints } from '../primitives.ts'
import { MODERN } from '../revisions.ts'
import { modernAskParams } from './ask-params.ts'
import type { Codec } from './codec.ts'
import { progressParams } from './progress.ts'

/** Of the id of an elicitation that has no id of its own. */
const ID_BYTES = 16

/**
 * What this revision has in place of the codes of earlier ones, which it forbids. An author may throw them, and
 * a task of an earlier revision may have ended with them.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#error-codes
 */
const INSTEAD_OF: ReadonlyMap<ErrorCode, ErrorCode> = new Map([
  [ErrorCode.resourceNotFound, ErrorCode.invalidParams],
  [ErrorCode.urlElicitationRequired, ErrorCode.invalidRequest],
])

export function createModernCodec({ name, version }: Implementation): Codec {
  // Every result names the server. `server/discover` has the rest, because icons may be whole images.
  const serverInfo = { name, version }
  // Every result ends with the same text, so it is serialised once.
  const meta = jsonText({ [MetaKey.serverInfo]: serverInfo })
  const tail = `"resultType":"complete","_meta":${meta}}`
  return {
    revision: MODERN,
    listItem: (method, item) => (method === 'tools/list' ? withoutExecution(item) : item),
    callToolResult: (result) => result,
    readResourceResult: (result) => result,
    getPromptResult: (result) => result,
    completeResult: (result) => result,
    capabilities: withoutTasks,
    implementation: (info) => info as Implementation & JsonObject,
    progressParams: (token, progress) => progressParams(token, progress, true),
    resultText: (body, cache) => envelope(body, cache, tail, serverInfo),
    inputRequiredText: (requests, requestState) => {
      const asks = Object.entries(requests).map(([key, { method, params }]) => {
        const own = isJsonObject(params) ? params : {}
        const asked = modernAskParams(String(method), own, randomToken(ID_BYTES))
        return [key, { method, params: asked }] as const
      })
      const inputRequests = Object.fromEntries(asks)
      const _meta = { [MetaKey.serverInfo]: serverInfo }
      return jsonText({ resultType: 'input_required', inputRequests, requestState, _meta })
    },
    createdTaskText: (task) =>
      jsonText({ resultType: 'task', ...task, _meta: { [MetaKey.serverInfo]: serverInfo } }),
    errorCode: (code) => INSTEAD_OF.get(code) ?? code,
  }
}

/** In this revision tasks are an extension. */
function withoutTasks(capabilities: ServerCapabilities): JsonObject {
  if (capabilities.tasks === undefined) return capabilities as JsonObject
  const { tasks: _, ...rest } = capabilities
  return rest
}

/** In this revision the server alone decides which calls become tasks. */
function withoutExecution(item: object): object {
  if (!('execution' in item)) return item
  const { execution: _, ...rest } = item
  return rest
}

function envelope(
  body: object,
  cache: CacheHints | undefined,
  tail: string,
  serverInfo: Implementation,
): string {
  const hints =
    cache === undefined ? '' : `"ttlMs":${cache.ttlMs},"cacheScope":"${cache.cacheScope}",`
  const { _meta } = body as { readonly _meta?: unknown }
  if (_meta === undefined) {
    const text = jsonText(body)
    // An author's `toJSON` can replace the body by any value.
    if (!text.startsWith('{')) throw new TypeError('A result must be a JSON object')
    return text === '{}' ? `{${hints}${tail}` : `${text.slice(0, -1)},${hints}${tail}`
  }
  const own = isJsonObject(_meta) ? _meta : {}
  const serverInfoOfAuthor = own[MetaKey.serverInfo]
  return jsonText({
    ...body,
    ...cache,
    resultType: 'complete',
    _meta: {
      ...own,
      [MetaKey.serverInfo]: isJsonObject(serverInfoOfAuthor) ? serverInfoOfAuthor : serverInfo,
    },
  })
}
