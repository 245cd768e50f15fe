/**
 * Implements `ctx.page`: a text that is longer than a page is stored as a file, and each cursor names the
 * position of the next page in it. So the pages are those of one text, however it changes meanwhile.
 */

import { clientResultBytes } from '../../../clients/limits.ts'
import type { Call } from '../../../dispatch/call.ts'
import type { HandlerRun } from '../../../dispatch/handler-run.ts'
import { readBoundedBody } from '../../../platform/bounded-body.ts'
import type { FoundFile } from '../../../ports/files.ts'
import type { PageOptions, TextPage } from '../../../server/file.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { operationsOf } from '../../asks/run-round.ts'
import { fileBounds, fileIdOf, storeFailure } from './create-file.ts'
import { type FileId, openCursor, type PageCursor, sealCursor } from './file-seals.ts'
import { filesOf, findFile } from './stored-file.ts'

/** For a client without a lower limit. */
const DEFAULT_PAGE_BYTES = 60_000

/** Room for the notice after a page, within the limit of a client. */
const NOTICE_BYTES = 1000

const MIN_PAGE_BYTES = 1000

/** Most of a page is read into memory, so it is bounded. */
const MAX_PAGE_BYTES = 4 * 1024 * 1024

const DEFAULT_TTL_MS = 60 * 60 * 1000

/** What is read beyond a page, so that its last grapheme is seen as a whole. */
const LOOKAHEAD_BYTES = 64

/**
 * @param text a text, or a function that is called for the first page alone
 * @throws {ToolError} `unknown-cursor`, and for the first page those of a file
 * @throws {TypeError} for a malformed option
 */
export async function pageText(
  run: HandlerRun,
  text: string | (() => string | Promise<string>),
  options: PageOptions = {},
): Promise<TextPage> {
  const { call } = run
  const { cursor, argument = 'cursor', pageBytes = defaultPageBytes(call) } = options
  if (
    !(Number.isSafeInteger(pageBytes) && pageBytes >= MIN_PAGE_BYTES && pageBytes <= MAX_PAGE_BYTES)
  ) {
    throw new TypeError(`pageBytes must be an integer from ${MIN_PAGE_BYTES} to ${MAX_PAGE_BYTES}`)
  }
  if (cursor !== undefined && cursor !== null) {
    const opened = await openCursor(call, cursor)
    const found = opened && (await findFile(call, opened))
    const bytes = found && (await readFrom(found, opened.position, pageBytes))
    if (opened === undefined || found === undefined || bytes === undefined) {
      throw new ToolError(
        `There is no text with this ${argument}: it has expired, or belongs to another tool or caller. Call the tool again without ${argument}.`,
        { reason: 'unknown-cursor' },
      )
    }
    return pageOf(call, bytes, { ...opened, size: found.size, pageBytes, argument })
  }
  const whole = typeof text === 'function' ? await text() : text
  if (typeof whole !== 'string') throw new TypeError('ctx.page needs text')
  const bytes = new TextEncoder().encode(whole)
  if (bytes.byteLength <= pageBytes) return lastPage(whole)
  const stored = await storeText(run, bytes, options)
  return pageOf(call, bytes, {
    ...stored,
    position: 0,
    size: bytes.byteLength,
    pageBytes,
    argument,
  })
}

/** The name of the client is what it says of itself: it affects the size of its own pages alone. */
function defaultPageBytes({ client }: Call): number {
  const limit = clientResultBytes(client.info?.name)
  return limit === undefined
    ? DEFAULT_PAGE_BYTES
    : Math.min(DEFAULT_PAGE_BYTES, limit - NOTICE_BYTES)
}

async function storeText(
  run: HandlerRun,
  bytes: Uint8Array,
  { ttlMs = DEFAULT_TTL_MS }: PageOptions,
): Promise<FileId> {
  const { call } = run
  const bounds = fileBounds(call, ttlMs)
  const outcome = await operationsOf(run).run('page', '', async (operation) => {
    const file = await fileIdOf(call, operation)
    const description = { id: file.id, name: 'page.txt', mimeType: 'text/plain' }
    const stored = await filesOf(call)
      .of(file.owner)
      .store({ ...description, ...bounds }, bytes)
    return stored.kind === 'stored' || stored.kind === 'existing'
      ? ({ kind: 'stored', file } as const)
      : stored
  })
  if (outcome.kind !== 'stored') throw storeFailure(outcome)
  return outcome.file
}

/** Reads a page and a little more. Undefined when the bytes do not exist any more. */
async function readFrom(
  { size, read }: FoundFile,
  start: number,
  pageBytes: number,
): Promise<Uint8Array | undefined> {
  const length = Math.min(pageBytes + LOOKAHEAD_BYTES, size - start)
  const stream = await read({ start, end: start + length })
  return stream && readBoundedBody(stream, length)
}

interface Paging extends PageCursor {
  readonly size: number
  readonly pageBytes: number
  readonly argument: string
}

async function pageOf(
  call: Call,
  bytes: Uint8Array,
  { owner, id, position, size, pageBytes, argument }: Paging,
): Promise<TextPage> {
  const length = pageLength(bytes, pageBytes)
  const text = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(
    bytes.subarray(0, length),
  )
  const end = position + length
  if (end >= size) return lastPage(text)
  const nextCursor = await sealCursor(call, { owner, id, position: end })
  const notice = `[Bytes ${position} to ${end} of ${size}. There is more text: call this tool again with the same arguments and ${JSON.stringify({ [argument]: nextCursor })}]`
  return {
    content: [
      { type: 'text', text },
      { type: 'text', text: notice },
    ],
    text,
    nextCursor,
  }
}

function lastPage(text: string): TextPage {
  return { content: [{ type: 'text', text }], text, nextCursor: undefined }
}

/** How much of the end of a page is searched for the end of a line, as a part of the page. */
const SEARCHED = 0.5

/** UTF-16 code units in which the grapheme at the end of a page is searched. Longer ones are cut. */
const GRAPHEME_WINDOW = 64

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * Returns the number of bytes at the start of UTF-8 text that form a page: at most `pageBytes`, at least
 * one character. A page ends at the end of a line where there is one in its second half, else between two
 * graphemes. It never cuts a character.
 *
 * @param bytes the text from the start of the page on; more than a page, unless the text ends
 */
export function pageLength(bytes: Uint8Array, pageBytes: number): number {
  if (bytes.byteLength <= pageBytes) return bytes.byteLength
  const line = bytes.lastIndexOf(0x0a, pageBytes - 1)
  if (line >= pageBytes * (1 - SEARCHED)) return line + 1
  return graphemeStart(bytes, characterStart(bytes, pageBytes))
}

/** The last position up to `position` where a character of UTF-8 begins. */
function characterStart(bytes: Uint8Array, position: number): number {
  let start = position
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1
  return start
}

/** The last position up to `position` where a grapheme begins. */
function graphemeStart(bytes: Uint8Array, position: number): number {
  const from = characterStart(bytes, Math.max(0, position - GRAPHEME_WINDOW))
  const before = decode(bytes.subarray(from, position))
  const after = decode(bytes.subarray(position, position + GRAPHEME_WINDOW))
  const { index = 0 } = graphemes.segment(before + after).containing(before.length) ?? {}
  const kept = new TextEncoder().encode(before.slice(0, index)).byteLength
  // A grapheme longer than the window is cut between two characters.
  return kept === 0 ? position : from + kept
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes)
}
