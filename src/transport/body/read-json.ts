/** The body of a POST: bounded while it arrives, UTF-8, parsed once. */
import type { Exchange } from '../exchange.ts'
import { Refusal } from '../refusals.ts'
import { drainReader } from './drain.ts'
import { countMembers, scanJson } from './scan-json.ts'

// A leading byte order mark is ignored, as RFC 8259 §8.1 allows.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
const encoder = new TextEncoder()

/** What decoders put in the place of bytes that are no character. It may also really be sent. */
const REPLACEMENT = '\ufffd'

/**
 * The JSON value of a request's body.
 *
 * @throws {Refusal} for a body that is too large, cut off, not UTF-8, not JSON, too deep, or that
 *   repeats a key in an object
 */
export async function readJson({
  request,
  endpoint: { limits, strict },
}: Exchange): Promise<unknown> {
  const declared = request.headers.get('content-length')
  if (declared !== null && !(Number(declared) <= limits.bodyBytes)) throw tooLarge(limits.bodyBytes)
  const text =
    declared === null || strict
      ? decode(await readCounted(request, limits.bodyBytes))
      : await readText(request, Number(declared))
  // Before parsing: the bound on depth protects the parser as well.
  const { depth, members } = scanJson(text)
  if (depth > limits.jsonDepth) {
    throw new Refusal('body-too-deep', `The body nests deeper than ${limits.jsonDepth} levels`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Refusal('body-not-json', 'The body is not JSON')
  }
  if (countMembers(value) !== members) {
    throw new Refusal('body-repeats-a-key', 'An object in the body has the same key twice')
  }
  return value
}

/**
 * Reads a body with a `Content-Length`. The platform frames such a body by that header: no byte
 * more can arrive, and beside a `Transfer-Encoding` it takes the header away. So the bound holds,
 * and the body may be read in one step, and as text: a tenth of a whole request less than as bytes.
 *
 * The platform's decoder is lenient, but what it replaces shows in the length, except a character
 * that was cut after three of its four bytes: its replacement is as long. `strict` counts bytes.
 */
async function readText(request: Request, declared: number): Promise<string> {
  let text: string
  try {
    text = await request.text()
  } catch {
    throw unreadable()
  }
  if (text.includes(REPLACEMENT) && !isAsLongAs(text, declared)) throw notUtf8()
  return text
}

/** Whether a text has so many bytes, with or without the byte order mark that is not part of it. */
function isAsLongAs(text: string, bytes: number): boolean {
  const { byteLength } = encoder.encode(text)
  return byteLength === bytes || byteLength + 3 === bytes
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw notUtf8()
  }
}

/** Reads a body of whatever length, and no further than the limit. */
async function readCounted(request: Request, limit: number): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array()
  const reader = request.body.getReader() as ReadableStreamDefaultReader<Uint8Array>
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw unreadable()
    })
    if (done) break
    size += value.byteLength
    if (size > limit) {
      await drainReader(reader)
      throw tooLarge(limit)
    }
    chunks.push(value)
  }
  return join(chunks, size)
}

function join(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const joined = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.byteLength
  }
  return joined
}

function tooLarge(limit: number): Refusal {
  return new Refusal('body-too-large', `The body is larger than ${limit} bytes`)
}

function unreadable(): Refusal {
  return new Refusal('body-unreadable', 'The body could not be read to its end')
}

function notUtf8(): Refusal {
  return new Refusal('body-not-json', 'The body is not UTF-8')
}
