/** Implements `ctx.file`: stores a file of the caller once, and returns its link. */

import type { Call } from '../../../dispatch/call.ts'
import type { HandlerRun } from '../../../dispatch/handler-run.ts'
import { sha256Base64Url } from '../../../platform/digest.ts'
import type { FileBytes, FileInfo, FileStored, NewFile } from '../../../ports/files.ts'
import { isMediaType, MAX_FILE_NAME_BYTES, safeFileName } from '../../../protocol/file-name.ts'
import type { FileData, FileOptions } from '../../../server/file.ts'
import { mediaTypeOf } from '../../../server/media-type.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { operationsOf } from '../../asks/run-round.ts'
import { ownerOf } from '../../state/state-handles.ts'
import { downloadMeta } from './download-target.ts'
import { sealFileUri } from './file-seals.ts'
import { CallFile, type FileRecord, filesOf, lifetimeOf } from './stored-file.ts'

/** Lifetime of a file whose tool names none. */
const DEFAULT_TTL_MS = 24 * 60 * 60 * 1000

/** The keyring opens the seal of a file for 90 days. */
const MAX_TTL_MS = 89 * 24 * 60 * 60 * 1000

/** The bounds of a file by the options of `files()`. */
export function fileBounds(
  call: Call,
  ttlMs: number = DEFAULT_TTL_MS,
): Pick<NewFile, 'lifetimeMs' | 'maxBytes' | 'maxFiles' | 'maxTotalBytes'> {
  const { limits } = filesOf(call)
  return {
    lifetimeMs: Math.min(lifetimeOf(ttlMs), limits.ttlMs, MAX_TTL_MS),
    maxBytes: limits.bytes,
    maxFiles: limits.perPrincipal,
    maxTotalBytes: limits.bytesPerPrincipal,
  }
}

/**
 * The file of an operation. It is the same when the operation is repeated.
 *
 * @param operation the id of the operation
 */
export async function fileIdOf(call: Call, operation: string) {
  const id = await sha256Base64Url(operation)
  return { owner: (await ownerOf(call.request)) ?? id, id }
}

/**
 * @throws {ToolError} `invalid-name`, `too-large`, `too-many`, `no-space`
 * @throws {TypeError} for data of another type, a malformed media type or time
 */
export async function createFile(
  run: HandlerRun,
  name: string,
  data: FileData,
  { mimeType = typeOf(name, data), ttlMs, ...fields }: FileOptions = {},
): Promise<CallFile> {
  const { call } = run
  checkName(name)
  if (!isMediaType(mimeType)) throw new TypeError('mimeType must be a media type like text/csv')
  const bounds = fileBounds(call, ttlMs)
  const bytes = toBytes(data)
  let isRead = false
  const outcome = await operationsOf(run).run('file', name, async (operation) => {
    isRead = true
    const file = await fileIdOf(call, operation)
    const stored = await filesOf(call)
      .of(file.owner)
      .store({ id: file.id, name, mimeType, ...bounds }, bytes)
    if (stored.kind !== 'stored' && stored.kind !== 'existing') return stored
    return { kind: 'stored', record: await recordOf(call, file.owner, stored.file) } as const
  })
  // The file was stored in an earlier run.
  if (!isRead && data instanceof ReadableStream) data.cancel().catch(() => undefined)
  if (outcome.kind !== 'stored') throw storeFailure(outcome)
  const { record } = outcome
  return new CallFile(call, record, { ...fields, ...(await downloadMeta(call, record)) })
}

/** What the journal keeps of a stored file. */
export async function recordOf(
  call: Call,
  owner: string,
  { id, name, mimeType, size, expiresAt }: FileInfo,
): Promise<FileRecord> {
  const uri = await sealFileUri(call, { owner, id })
  return { owner, id, uri, name, mimeType, size, expiresAt }
}

export function storeFailure(
  failed: Exclude<FileStored, { readonly kind: 'stored' | 'existing' }>,
): ToolError {
  switch (failed.kind) {
    case 'too-large':
      return new ToolError(
        `The file has more than ${failed.limit} bytes, the most that one may have. Store less, or several files.`,
        { reason: 'too-large' },
      )
    case 'no-space':
      return new ToolError(
        `With this file, those of the caller would have more than ${failed.limit} bytes. Wait until one expires.`,
        { reason: 'no-space' },
      )
    case 'too-many':
      return new ToolError('The caller has as many files as it may have. Wait until one expires.', {
        reason: 'too-many',
      })
  }
}

/** @throws {ToolError} `invalid-name` */
function checkName(name: unknown): void {
  if (typeof name !== 'string') throw new TypeError('The name of a file must be text')
  const safe = safeFileName(name)
  if (safe === name) return
  throw new ToolError(
    `The name of a file has 1 to ${MAX_FILE_NAME_BYTES} bytes of UTF-8 without folders and control characters, such as ${JSON.stringify(safe)}.`,
    { reason: 'invalid-name' },
  )
}

function typeOf(name: string, data: FileData): string {
  if (data instanceof Blob && data.type !== '') return data.type
  return mediaTypeOf(name, typeof data === 'string')
}

/** @throws {TypeError} for data of another type */
function toBytes(data: FileData): FileBytes {
  if (typeof data === 'string') return new TextEncoder().encode(data)
  if (data instanceof ReadableStream) return data
  if (data instanceof Blob) return data.stream()
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  throw new TypeError('The data of a file must be text, bytes, a Blob or a ReadableStream')
}
