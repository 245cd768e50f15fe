/** `resources/read` of a file. */

import type { Call } from '../../../dispatch/call.ts'
import { encodeBase64 } from '../../../platform/base64.ts'
import type { FoundFile } from '../../../ports/files.ts'
import { ErrorCode } from '../../../protocol/error-codes.ts'
import type { ReadResourceResult } from '../../../protocol/primitives.ts'
import { ProtocolError, resourceNotFound } from '../../../protocol/protocol-error.ts'
import { recordOf } from './create-file.ts'
import { openFileUri } from './file-seals.ts'
import { isText, textOf } from './media-types.ts'
import { CallFile, findFile } from './stored-file.ts'

/** Characters of a result beside the contents of its file. */
const ENVELOPE_LENGTH = 4096

/**
 * @throws {ProtocolError} for a file that does not exist or belongs to another caller, and for one that is
 *   larger than a result. That error has a URL.
 */
export async function readFile(call: Call, uri: string): Promise<ReadResourceResult> {
  const named = await openFileUri(call, uri)
  const found = named && (await findFile(call, named))
  if (named === undefined || found === undefined) throw resourceNotFound(uri)
  const { mimeType, size } = found
  const { resultBytes } = call.deployment.limits
  const room = resultBytes - ENVELOPE_LENGTH - uri.length
  // Base64 has four characters for three bytes; UTF-8 has at most one character for each byte.
  if (size > (isText(mimeType) ? room : (room / 4) * 3))
    throw await tooLarge(call, named.owner, found)
  const stream = await found.read()
  if (stream === undefined) throw resourceNotFound(uri)
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer())
  const text = isText(mimeType) ? textOf(bytes) : undefined
  // Control characters are escaped with up to six characters.
  if (text !== undefined && JSON.stringify(text).length > room) {
    throw await tooLarge(call, named.owner, found)
  }
  const fields = { uri, mimeType }
  if (text !== undefined) return { contents: [{ ...fields, text }] }
  const blob = encodeBase64(bytes)
  if (blob.length > room) throw await tooLarge(call, named.owner, found)
  return { contents: [{ ...fields, blob }] }
}

async function tooLarge(call: Call, owner: string, found: FoundFile): Promise<ProtocolError> {
  const file = new CallFile(call, await recordOf(call, owner, found))
  const url = await file.url()
  const message = `The file has ${file.size} bytes and is too large for a result: download it from the URL in the data of this error, or from that of the tool that has created it`
  return new ProtocolError(ErrorCode.internalError, message, { uri: file.uri, url })
}
