/** The body of a POST: bounded while it arrives, UTF-8, parsed once. */
import { readBoundedBody } from '../../platform/bounded-body.ts'
import { decodeUtf8 } from '../../platform/utf8.ts'
import type { Exchange } from '../exchange.ts'
import { Refusal } from '../refusals.ts'
import { drainReader } from './drain.ts'
import { countMembers, scanJson } from './scan-json.ts'

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
    return decodeUtf8(bytes)
  } catch {
    throw notUtf8()
  }
}

async function readCounted({ body }: Request, limit: number): Promise<Uint8Array> {
  const bytes = await readBoundedBody(body, limit, drainReader).catch(() => {
    throw unreadable()
  })
  if (bytes === undefined) throw tooLarge(limit)
  return bytes
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
