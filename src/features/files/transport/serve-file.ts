/**
 * `GET /files/<secret>`: downloads a file. The secret names the file and the end of its URL, so a forged
 * one is refused without a call of an object. The file never runs as a page of this origin.
 */

import { isNoneMatch } from '../../../platform/etag.ts'
import type { ByteRange, FoundFile } from '../../../ports/files.ts'
import type { Services } from '../../../ports/services.ts'
import { overLimit, textAnswer } from '../../asks/secret-routes.ts'
import { openDownload } from '../operations/file-seals.ts'

/** A file is stored and not shown: even a browser that ignores `Content-Disposition` runs no script of it. */
const SAFE_HEADERS = {
  'accept-ranges': 'bytes',
  'cache-control': 'private, no-store',
  'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export async function serveFile(
  request: Request,
  secret: string,
  services: Services,
  audience: string,
): Promise<Response> {
  const { method, headers } = request
  const refuse = (status: number, message: string, more?: Readonly<Record<string, string>>) =>
    textAnswer(request, status, message, more)
  if (method !== 'GET' && method !== 'HEAD') {
    return refuse(405, 'A file is read with GET', { allow: 'GET, HEAD' })
  }
  const limited = await overLimit(services, headers)
  if (limited !== undefined) return refuse(429, 'Too many requests', { 'retry-after': limited })
  const sealer = services.sealer()
  const download = sealer && (await openDownload(sealer, audience, secret))
  if (sealer === undefined || download === undefined) return refuse(404, 'There is no such file')
  const found =
    download.expiresAt > Date.now()
      ? await services.files()?.of(download.owner).find(download.id)
      : undefined
  if (found === undefined) {
    return refuse(410, 'The URL of this file has expired: ask for a new one')
  }
  const { once, expiresAt } = download
  if (once === undefined) return fileResponse(method, headers, found)
  if (method === 'GET' && !(await sealer.redeem(once, expiresAt))) {
    return refuse(
      410,
      'The file was downloaded here before, which this URL allows once: read it as a resource, or call the tool again',
    )
  }
  // The whole file, because no second request can have the rest.
  return fileResponse(method, new Headers(), found)
}

async function fileResponse(method: string, headers: Headers, found: FoundFile): Promise<Response> {
  const { id, name, mimeType, size } = found
  // The bytes of an id never change.
  const etag = `"${id}"`
  const common = { ...SAFE_HEADERS, etag }
  if (!matches(headers, etag)) return new Response(null, { status: 412, headers: common })
  if (isNoneMatch(headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers: common })
  // Range is defined for GET alone.
  const range = method === 'GET' ? requestedRange(headers, size, etag) : 'whole'
  if (range === 'unsatisfiable') {
    const unsatisfiable = { ...common, 'content-range': `bytes */${size}` }
    return new Response(null, { status: 416, headers: unsatisfiable })
  }
  const { start, end } = range === 'whole' ? { start: 0, end: size } : range
  const described = {
    ...common,
    'content-type': mimeType,
    'content-disposition': attachment(name),
    'content-length': String(end - start),
    ...(range === 'whole' ? undefined : { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
  }
  const status = range === 'whole' ? 200 : 206
  if (method === 'HEAD') return new Response(null, { status, headers: described })
  const body = await bodyOf(found, { start, end })
  return body === undefined
    ? new Response(null, { status: 410, headers: common })
    : new Response(body, { status, headers: described })
}

/** A body of a known length. The platform otherwise sends chunks, and a client sees no progress. */
async function bodyOf(
  found: FoundFile,
  range: ByteRange,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const stream = await found.read(range)
  if (stream === undefined) return undefined
  const fixed = new FixedLengthStream(range.end - range.start)
  // The client sees a failure as a body that ends too early.
  stream.pipeTo(fixed.writable).catch(() => undefined)
  return fixed.readable
}

/** @see https://www.rfc-editor.org/rfc/rfc9110#section-14.2 */
const RANGE = /^bytes=(\d*)-(\d*)$/i

/**
 * Returns the range that a request asks for. `whole` without one, and where the header is ignored: another
 * unit, several ranges, malformed, or of another version of the file. `unsatisfiable` for a range that
 * begins after the end.
 */
export function requestedRange(
  headers: Headers,
  size: number,
  etag: string,
): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first, last] = RANGE.exec(headers.get('range')?.replaceAll(/[ \t]/g, '') ?? '') ?? []
  if (first === undefined || last === undefined || first + last === '') return 'whole'
  const condition = headers.get('if-range')
  // There is no date to compare with, and a weak tag never matches.
  if (condition !== null && condition.trim() !== etag) return 'whole'
  if (first === '') {
    const length = Number(last)
    if (length === 0) return 'unsatisfiable'
    return size === 0 ? 'whole' : { start: Math.max(0, size - length), end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return 'whole'
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

/** Whether the file is the one that `If-Match` requires. */
function matches(headers: Headers, etag: string): boolean {
  const tags = headers.get('if-match')
  return tags === null || tags.split(',').some((tag) => ['*', etag].includes(tag.trim()))
}

/** What `encodeURIComponent` leaves and `attr-char` excludes. @see https://www.rfc-editor.org/rfc/rfc8187#section-3.2.1 */
const NOT_ATTR_CHAR = /['()*]/g

/** The other characters of a name in `filename`, which older clients read. */
const NOT_PLAIN = /[^\w .()-]/gu

/**
 * The header that makes a browser store a file instead of showing it.
 *
 * @param name well-formed text
 * @see https://www.rfc-editor.org/rfc/rfc6266
 */
function attachment(name: string): string {
  const plain = name.replace(NOT_PLAIN, '_')
  const encoded = encodeURIComponent(name).replace(
    NOT_ATTR_CHAR,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
