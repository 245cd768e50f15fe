/** Reads what a client passes for a file. `receive-files.ts` fetches and stores it. */
import { tryDecodeUri } from '../../../platform/try-parse.ts'
import { UPLOAD } from '../../../protocol/file-arguments.ts'
import { isMediaType, safeFileName } from '../../../protocol/file-name.ts'
import { isJsonObject } from '../../../protocol/json.ts'
import type { FileArgument } from '../../../server/file.ts'
import { mediaTypeOf } from '../../../server/media-type.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { isFileHandle, isFileUri, type SentFile } from '../operations/file-seals.ts'
import { acceptsType, fileType, isText, statedType } from '../operations/media-types.ts'
import { boundsText, takesText, textTypeOf } from './argument-schema.ts'
import { isDataUri, readDataUri } from './data-uri.ts'

/** A file as an argument passes it. */
export type PassedFile =
  /** `upload`: the person is asked for it. `none`: an optional file that was left out. */
  | { readonly kind: 'upload' | 'none' }
  /** Of a page of this server, or the URI of a file of this server. */
  | { readonly kind: 'handle' | 'uri'; readonly text: string }
  | {
      readonly kind: 'url'
      readonly text: string
      readonly name: string
      readonly mimeType: string | undefined
    }
  | {
      readonly kind: 'bytes'
      readonly bytes: Uint8Array
      readonly name: string
      readonly mimeType: string
    }
  /** The client sends it by `io.modelcontextprotocol/files`. */
  | ({ readonly kind: 'sent'; readonly id: string } & SentFile)

/** For messages. */
const DATA_URI_FORM = 'data:<type>;name=<name>;base64,<data>, without spaces and line breaks'

/** Most bytes of a text that a model passes: it has written them. */
const MAX_TEXT_BYTES = 256 * 1024

/** An argument of a tool. */
export interface NamedArgument {
  readonly name: string
  readonly file: FileArgument
}

/** @throws {ToolError} `not-accepted`, `too-large` */
export function readArgument({ name, file }: NamedArgument, value: unknown): PassedFile {
  if (value === undefined || value === null) return { kind: file.required ? 'upload' : 'none' }
  const passed =
    typeof value === 'string'
      ? readText({ name, file }, value, undefined)
      : isJsonObject(value)
        ? Object.hasOwn(value, 'id')
          ? readSent({ name, file }, value)
          : readReference({ name, file }, value)
        : undefined
  if (passed === undefined) {
    throw refused(
      name,
      `is no file: leave it out, and the answer says how the person uploads it. A reference has download_url and file_id, as the client or this tool gave them`,
    )
  }
  return passed
}

const SHA256 = /^[A-Za-z0-9_-]{43}$/

/** The object of `io.modelcontextprotocol/files`. */
function readSent(
  argument: NamedArgument,
  { id, name: given = '', mimeType, size, digest }: Readonly<Record<string, unknown>>,
): PassedFile {
  const { algorithm, value: sha256 } = isJsonObject(digest) ? digest : {}
  const isNamed = typeof id === 'string' && id !== '' && typeof given === 'string'
  const isSized = Number.isSafeInteger(size) && Number(size) >= 0
  const hasDigest = algorithm === 'sha-256' && typeof sha256 === 'string' && SHA256.test(sha256)
  if (!isNamed || !isSized || !hasDigest || !isMediaType(mimeType)) {
    throw refused(
      argument.name,
      'has an id and is no file to send: it needs id, name, mimeType, size and the digest { algorithm: "sha-256", value } in base64url',
    )
  }
  const name = safeFileName(given)
  const type = fileType(mimeType, name)
  checkType(argument, type)
  return { kind: 'sent', id, name, mimeType: type, size: Number(size), sha256 }
}

/** The object of ChatGPT. Other clients pass handles and texts in the same members. */
function readReference(
  argument: NamedArgument,
  reference: Readonly<Record<string, unknown>>,
): PassedFile | undefined {
  const { name } = argument
  const [url, id, type, fileName] = ['download_url', 'file_id', 'mime_type', 'file_name'].map(
    (member) => textIn(name, reference, member),
  )
  const text = textIn(name, reference, 'text')
  const mimeType = type === undefined || type === '' ? undefined : type
  if (mimeType !== undefined && !isMediaType(mimeType)) {
    throw refused(name, 'has a mime_type that is no media type')
  }
  const given = fileName === undefined || fileName === '' ? undefined : safeFileName(fileName)
  if (text !== undefined && (text !== '' || (!url && !id))) {
    return readWritten(argument, text, given, mimeType)
  }
  if (id !== undefined && (isFileHandle(id) || id === UPLOAD)) return readText(argument, id, given)
  if (url === undefined || url === '') return id ? readText(argument, id, given) : undefined
  if (!/^https?:/i.test(url)) return readText(argument, url, given)
  const stated = mimeType && statedType(mimeType)
  return { kind: 'url', text: url, name: given ?? nameOf(url), mimeType: stated }
}

/** The forms that are one text. */
function readText(
  argument: NamedArgument,
  text: string,
  fileName: string | undefined,
): PassedFile | undefined {
  const { name, file } = argument
  if (text === UPLOAD) return { kind: 'upload' }
  if (isFileHandle(text)) return { kind: 'handle', text }
  if (isFileUri(text)) return { kind: 'uri', text }
  if (!isDataUri(text)) return undefined
  const data = readDataUri(text, file.maxBytes ?? Number.POSITIVE_INFINITY)
  if (data === 'malformed') throw refused(name, `is a malformed data: URI: pass ${DATA_URI_FORM}`)
  if (data === 'too-large') throw tooLarge(name, file.maxBytes ?? 0)
  const named = fileName ?? safeFileName(data.name)
  const mimeType = fileType(data.mimeType, named)
  checkType(argument, mimeType)
  return { kind: 'bytes', bytes: data.bytes, name: named, mimeType }
}

/** A text that the model has written. */
function readWritten(
  argument: NamedArgument,
  text: string,
  fileName: string | undefined,
  type: string | undefined,
): PassedFile {
  const { name, file } = argument
  if (!takesText(file)) {
    throw refused(name, `cannot be passed as text: it is a file ${boundsText(file)}`)
  }
  const byName = fileName === undefined ? 'text/plain' : mediaTypeOf(fileName, true)
  const mimeType = type ?? textTypeOf(file, byName)
  if (!isText(mimeType)) throw refused(name, `is text, and its type ${mimeType} is not`)
  checkType(argument, mimeType)
  const bytes = new TextEncoder().encode(text)
  const limit = Math.min(file.maxBytes ?? MAX_TEXT_BYTES, MAX_TEXT_BYTES)
  if (bytes.byteLength > limit) throw tooLarge(name, limit)
  return { kind: 'bytes', bytes, name: fileName ?? 'text.txt', mimeType }
}

/** @throws {ToolError} `not-accepted` */
export function checkType({ name, file }: NamedArgument, mimeType: string): void {
  if (acceptsType(file.types, mimeType)) return
  throw refused(
    name,
    `is a file of type ${mimeType}, and its type must be ${file.types?.join(' or ')}`,
  )
}

export function tooLarge(name: string, limit: number): ToolError {
  return new ToolError(
    `The argument "${name}" is a file of more than ${limit} bytes, the most that it may have. Pass a smaller one.`,
    { reason: 'too-large' },
  )
}

function refused(name: string, fault: string): ToolError {
  return new ToolError(`The argument "${name}" ${fault}.`, { reason: 'not-accepted' })
}

/** @throws {ToolError} `not-accepted` for a member that is no text */
function textIn(
  name: string,
  reference: Readonly<Record<string, unknown>>,
  member: string,
): string | undefined {
  const { [member]: value } = reference
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  throw refused(name, `has a ${member} that is no text`)
}

/** The last segment of the path of a URL, decoded: a name in it may have spaces. */
function nameOf(url: string): string {
  const { pathname = '' } = URL.parse(url) ?? {}
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1)
  return safeFileName(tryDecodeUri(segment) ?? segment)
}
