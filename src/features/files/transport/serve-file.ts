/**
 * `GET /files/<secret>`: downloads a file. The secret names the file and the end of its URL, so a forged
 * one is refused without a call of an object. The file never runs as a page of this origin.
 */

import type { ByteRange, FoundFile } from '../../../ports/files.ts'
import type { Services } from '../../../ports/services.ts'
import { FILES_PATH, openDownload } from '../operations/file-seals.ts'
import { isKnown, matches, requestedRange } from './byte-range.ts'
import { attachment } from './content-disposition.ts'
import { overLimit } from './over-limit.ts'
import { type Answer, textAnswer } from './text-answer.ts'

export { FILES_PATH }

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
  const refuse: Answer = (status, message, more) => textAnswer(request, status, message, more)
  if (method !== 'GET' && method !== 'HEAD') {
    return refuse(405, 'A file is read with GET', { allow: 'GET, HEAD' })
  }
  const limited = await overLimit(services, headers)
  if (limited !== undefined) return refuse(429, 'Too many requests', { 'retry-after': limited })
  const sealer = services.sealer()
  const download = sealer && (await openDownload(sealer, audience, secret))
  if (download === undefined) return refuse(404, 'There is no such file')
  const found =
    download.expiresAt > Date.now()
      ? await services.files()?.of(download.owner).find(download.id)
      : undefined
  if (found === undefined) {
    return refuse(410, 'The URL of this file has expired: ask for a new one')
  }
  return fileResponse(request, found)
}

async function fileResponse({ method, headers }: Request, found: FoundFile): Promise<Response> {
  const { id, name, mimeType, size } = found
  // The bytes of an id never change.
  const etag = `"${id}"`
  const common = { ...SAFE_HEADERS, etag }
  if (!matches(headers, etag)) return new Response(null, { status: 412, headers: common })
  if (isKnown(headers, etag)) return new Response(null, { status: 304, headers: common })
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
