/**
 * The wire of 2026-07-28. The neutral model is this revision's own spelling, so bodies pass through;
 * what is added is the envelope: `resultType`, caching hints, and who answers.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#result-responses
 */
import type { Implementation } from '../content.ts'
import { ErrorCode } from '../error-codes.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import { MetaKey } from '../meta.ts'
import type { CacheHints } from '../primitives.ts'
import { MODERN } from '../revisions.ts'
import type { Codec } from './codec.ts'
import { progressParams } from './progress.ts'

export function createModernCodec({ name, version }: Implementation): Codec {
  // Who answers, on every result; the rest of it (icons may be whole images) is in `server/discover`.
  const serverInfo = { name, version }
  // Every result ends in the same text, so it is written once and not serialised per request.
  const meta = JSON.stringify({ [MetaKey.serverInfo]: serverInfo })
  const tail = `"resultType":"complete","_meta":${meta}}`
  return {
    revision: MODERN,
    listItem: (_, item) => item,
    callToolResult: (result) => result,
    readResourceResult: (result) => result,
    getPromptResult: (result) => result,
    completeResult: (result) => result,
    capabilities: (capabilities) => capabilities as JsonObject,
    implementation: (info) => info as Implementation & JsonObject,
    progressParams: (token, progress) => progressParams(token, progress, true),
    resultText: (body, cache) => envelope(body, cache, tail, serverInfo),
    askParams: modernAskParams,
    inputRequiredText: (requests, requestState) =>
      JSON.stringify({
        resultType: 'input_required',
        inputRequests: Object.fromEntries(
          Object.entries(requests).map(([key, { method, params }]) => [
            key,
            { method, params: modernAskParams(String(method), isJsonObject(params) ? params : {}) },
          ]),
        ),
        requestState,
        _meta: { [MetaKey.serverInfo]: serverInfo },
      }),
    errorCode: (code) => (code === ErrorCode.resourceNotFound ? ErrorCode.invalidParams : code),
  }
}

/** In this revision a question is named by its key alone. */
function modernAskParams(_: string, { elicitationId, ...params }: JsonObject): JsonObject {
  return params
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
    const text = JSON.stringify(body)
    // A `toJSON` of an author's can make anything of a body.
    if (!text.startsWith('{')) throw new TypeError('A result must be a JSON object')
    return text === '{}' ? `{${hints}${tail}` : `${text.slice(0, -1)},${hints}${tail}`
  }
  const own = isJsonObject(_meta) ? _meta : {}
  const said = own[MetaKey.serverInfo]
  return JSON.stringify({
    ...body,
    ...cache,
    resultType: 'complete',
    _meta: { ...own, [MetaKey.serverInfo]: isJsonObject(said) ? said : serverInfo },
  })
}
