/**
 * Reads the body of a POST: bounded while it arrives, decoded as UTF-8, parsed once.
 *
 * A body with `Content-Length` is read with `request.text()`: the platform frames it by that header, and reading in
 * pieces costs a fifth of a call. Bytes that are not UTF-8 are found by comparing lengths; a character that is cut
 * after three of its four bytes is found with `strict` alone.
 */
import { readBoundedBody } from '../../platform/bounded-body.ts'
import { type JsonFault, parseBoundedJson } from '../../platform/bounded-json.ts'
import { decodeUtf8 } from '../../platform/utf8.ts'
import type { Limits } from '../../ports/app-limits.ts'
import type { Exchange } from '../exchange.ts'
import { Refusal } from '../refusal.ts'
import { drainReader } from './drain.ts'

const encoder = new TextEncoder()

/** The platform's decoder replaces invalid bytes with this character. A client may also send it. */
const REPLACEMENT = '\ufffd'

/**
 * Returns the JSON value of the body.
 *
 * @throws {Refusal} for a body that is too large, incomplete, not UTF-8, not JSON or too deep, that has
 *   too many values, and for a duplicate key in an object
 */
export async function readJson({
  request,
  recording,
  endpoint: { limits, strict },
}: Exchange): Promise<unknown> {
  const declared = request.headers.get('content-length')
  if (recording !== undefined && declared !== null) recording.event.bytesIn = Number(declared)
  if (declared !== null && !(Number(declared) <= limits.bodyBytes)) throw tooLarge(limits.bodyBytes)
  const text =
    declared === null || strict
      ? decode(await readCounted(request, limits.bodyBytes, recording))
      : await readText(request, Number(declared))
  const parsed = parseBoundedJson(text, { depth: limits.jsonDepth, values: limits.jsonValues })
  if (!parsed.ok) throw refusalOf(parsed.fault, limits)
  return parsed.value
}

function refusalOf(fault: JsonFault, limits: Limits): Refusal {
  switch (fault) {
    case 'too-deep':
      return new Refusal('body-too-deep', `The body must nest at most ${limits.jsonDepth} levels`)
    case 'too-many-values':
      return new Refusal(
        'body-has-too-many-values',
        `The body must have at most ${limits.jsonValues} JSON values`,
      )
    case 'not-json':
      return new Refusal('body-not-json', 'The body must be JSON')
    case 'duplicate-key':
      return new Refusal('body-has-duplicate-key', 'An object in the body must not repeat a key')
  }
}

/**
 * Reads a body with a `Content-Length` as text, in one step. The platform frames such a body by that
 * header, so no more bytes can arrive, and it removes the header beside a `Transfer-Encoding`: the
 * limit holds. Reading bytes costs a tenth of a whole request more.
 *
 * The platform's decoder is lenient, but its replacements change the length, except for a character
 * cut after three of its four bytes: that replacement has three bytes too. `strict` decodes bytes.
 */
async function readText(request: Request, declared: number): Promise<string> {
  let text: string
  try {
    text = await request.text()
  } catch {
    throw incomplete()
  }
  if (text.includes(REPLACEMENT) && !isEncodedIn(text, declared)) throw notUtf8()
  return text
}

/** Whether a text has this many bytes, with or without the byte order mark that decoding removes. */
function isEncodedIn(text: string, bytes: number): boolean {
  const { byteLength } = encoder.encode(text)
  return byteLength === bytes || byteLength + 3 === bytes
}

function decode(bytes: Uint8Array): string {
  try {
    return decodeUtf8(bytes)
  } catch {
    throw notUtf8()
  }
}

/** Reads a body of unknown length up to the limit. */
async function readCounted(
  { body }: Request,
  limit: number,
  recording: Exchange['recording'],
): Promise<Uint8Array> {
  const bytes = await readBoundedBody(body, limit, drainReader).catch(() => {
    throw incomplete()
  })
  if (bytes === undefined) throw tooLarge(limit)
  if (recording !== undefined) recording.event.bytesIn = bytes.byteLength
  return bytes
}

function tooLarge(limit: number): Refusal {
  return new Refusal('body-too-large', `The body must have at most ${limit} bytes`)
}

function incomplete(): Refusal {
  return new Refusal('body-incomplete', 'The body ended before it was complete. Send it again')
}

function notUtf8(): Refusal {
  return new Refusal('body-not-json', 'The body must be UTF-8')
}
