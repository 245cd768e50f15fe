/** The codecs of a server, one for each revision. They depend on its name and version alone. */
import type { Codec } from '../protocol/codec/codec.ts'
import { createModernCodec } from '../protocol/codec/modern.ts'
import { createSessionCodec } from '../protocol/codec/session.ts'
import type { Implementation } from '../protocol/content.ts'
import { REVISIONS, type Revision } from '../protocol/revisions.ts'

export type CodecOf = (revision: Revision) => Codec

export function createCodecs(info: Implementation): CodecOf {
  const codecs = new Map(
    REVISIONS.map((revision): [Revision, Codec] => [
      revision,
      revision.era === 'modern' ? createModernCodec(info) : createSessionCodec(revision),
    ]),
  )
  return (revision) => {
    const codec = codecs.get(revision)
    if (codec === undefined) throw new TypeError(`Revision ${revision.id} has no codec`)
    return codec
  }
}
