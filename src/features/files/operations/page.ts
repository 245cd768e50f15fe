/**
 * Implements `ctx.page`: a text that is longer than a page is stored as a file, and each cursor names the
 * position of the next page in it. So the pages are those of one text, however it changes meanwhile.
 */

import type { Call } from '../../../dispatch/call.ts'
import { readBoundedBody } from '../../../platform/bounded-body.ts'
import type { FoundFile } from '../../../ports/files.ts'
import { clientResultBytes } from '../../../protocol/client-result-limits.ts'
import { FileError, type PageOptions, type TextPage } from '../../../server/file.ts'
import { fileBounds, fileIdOf, storeFailure } from './create-file.ts'
import type { FileSteps, PagedText } from './file-port.ts'
import { type FileId, openCursor, type PageCursor, sealCursor } from './file-seals.ts'
import { pageLength } from './split-text.ts'
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
 * @throws {FileError} `unknown-cursor`, and for the first page those of a file
 * @throws {TypeError} for a malformed option
 */
export async function pageText(
  call: Call,
  steps: FileSteps,
  text: PagedText,
  options: PageOptions = {},
): Promise<TextPage> {
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
      throw new FileError(
        'unknown-cursor',
        `There is no text with this ${argument}: it has expired, or belongs to another tool or caller. Call the tool again without ${argument}.`,
      )
    }
    return pageOf(call, bytes, { ...opened, size: found.size, pageBytes, argument })
  }
  const whole = typeof text === 'function' ? await text() : text
  if (typeof whole !== 'string') throw new TypeError('ctx.page needs text')
  const bytes = new TextEncoder().encode(whole)
  if (bytes.byteLength <= pageBytes) return lastPage(whole)
  const stored = await storeText(call, steps, bytes, options)
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
  call: Call,
  steps: FileSteps,
  bytes: Uint8Array,
  { ttlMs = DEFAULT_TTL_MS }: PageOptions,
): Promise<FileId> {
  const bounds = fileBounds(call, ttlMs)
  const outcome = await steps.run('page', '', async (operation) => {
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
