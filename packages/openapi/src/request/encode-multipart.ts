/**
 * Encodes a multipart form. `FormData` gives every part with a media type a file name, and servers take such a part for a
 * file: a part of JSON has its type alone.
 *
 * @see https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data
 */
import { safeFileName } from '../../../../src/protocol/file-name.ts'
import { type JsonObject, jsonText } from '../../../../src/protocol/json.ts'
import { ToolError } from '../../../../src/server/tool-error.ts'
import { decodeBytes, type EncodedBody, objectOf } from './body-value.ts'
import { isJsonType, MEDIA_TYPE, type RequestBody } from './request-body.ts'

interface Part {
  readonly fileName?: string
  readonly type?: string | undefined
  readonly content: string | Uint8Array
}

/** @throws {ToolError} for a name with control characters, and for a file that is not base64 */
export function encodeMultipart({ encoding, files }: RequestBody, value: JsonObject): EncodedBody {
  const boundary = `edgeway-${crypto.randomUUID()}`
  const chunks: (string | Uint8Array)[] = []
  for (const [name, item] of Object.entries(value)) {
    if (/\p{Cc}/u.test(name)) {
      throw new ToolError(
        `Invalid arguments: the name ${JSON.stringify(name)} in body must not have control characters`,
      )
    }
    const type = encoding.get(name)?.contentType
    // An array is one part per item, or JSON where the description says so.
    const isList = Array.isArray(item) && !isJsonType(type ?? '')
    for (const one of isList ? item : [item]) {
      if (one === null || one === undefined) continue
      const part = files.has(name) ? filePart(name, one, type) : plainPart(one, type)
      chunks.push(`--${boundary}\r\n${headersOf(name, part)}\r\n\r\n`, part.content, '\r\n')
    }
  }
  chunks.push(`--${boundary}--\r\n`)
  return { body: join(chunks), contentType: `multipart/form-data; boundary=${boundary}` }
}

function plainPart(value: unknown, type: string | undefined): Part {
  if (typeof value !== 'object') return { type, content: String(value).toWellFormed() }
  return { type: type ?? 'application/json', content: jsonText(value) }
}

function filePart(name: string, value: unknown, declared = 'application/octet-stream'): Part {
  const { data, filename, contentType } = objectOf(value)
  const isType = typeof contentType === 'string' && MEDIA_TYPE.test(contentType)
  return {
    fileName: typeof filename === 'string' && filename !== '' ? safeFileName(filename) : name,
    type: isType ? contentType : declared,
    content: decodeBytes(`body.${name}.data`, data),
  }
}

function headersOf(name: string, { fileName, type }: Part): string {
  const file = fileName === undefined ? '' : `; filename="${escapeQuotes(fileName)}"`
  const disposition = `Content-Disposition: form-data; name="${escapeQuotes(name)}"${file}`
  return type === undefined ? disposition : `${disposition}\r\nContent-Type: ${type}`
}

/** Neither has a line break. */
const escapeQuotes = (text: string) => text.toWellFormed().replaceAll('"', '%22')

function join(chunks: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const all = chunks.map((chunk) => (typeof chunk === 'string' ? encoder.encode(chunk) : chunk))
  const bytes = new Uint8Array(all.reduce((length, chunk) => length + chunk.length, 0))
  let at = 0
  for (const chunk of all) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
