/** The result of a task, which may be read in another revision than that of its call. */
import type { Codec } from '../../protocol/codec/codec.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { MetaKey } from '../../protocol/meta.ts'

/** The result without the members that 2026-07-28 adds to each, where the reader has an earlier revision. */
export function storedResult(
  { resultType: _, _meta, ...rest }: JsonObject,
  { revision }: Codec,
): JsonObject {
  if (!isJsonObject(_meta)) return rest
  const { [MetaKey.serverInfo]: serverInfo, ...meta } = _meta
  if (revision.era === 'modern') return { ...rest, _meta }
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}
