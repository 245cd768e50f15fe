/**
 * The codec of 2026-07-28, which adds an envelope to results: `resultType`, caching hints and `serverInfo`.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#result-responses
 */
import { randomToken } from '../../platform/random-token.ts'
import type { Implementation } from '../content.ts'
import { ErrorCode } from '../error-codes.ts'
import { isJsonObject, jsonText } from '../json.ts'
import { MetaKey } from '../meta.ts'
import type { CacheHints } from '../primitives.ts'
import { MODERN } from '../revisions.ts'
import { modernAskParams } from './ask-params.ts'
import { createBodies } from './bodies.ts'
import type { Codec } from './codec.ts'

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
    ...createBodies(MODERN.features),
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
    uploadRequiredText: (uploads, requestState) => {
      const _meta = { [MetaKey.serverInfo]: serverInfo }
      return jsonText({ resultType: 'upload_required', requestState, uploads, _meta })
    },
    createdTaskText: (task) =>
      jsonText({ resultType: 'task', ...task, _meta: { [MetaKey.serverInfo]: serverInfo } }),
    errorCode: (code) => INSTEAD_OF.get(code) ?? code,
  }
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
