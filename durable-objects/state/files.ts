/**
 * The rows of the files of one owner. Each operation but the deletion of expired ones is one synchronous step.
 *
 * A row is written before the bytes and completed after them, so bytes without a row do not exist after a kill. Each
 * attempt has bytes of its own, and of several attempts the first that completes wins: a lock would have to know when
 * its holder has died.
 */
import { randomToken } from '../../src/platform/random-token.ts'
import type { FileInfo, NewFile } from '../../src/ports/files.ts'
import type { LazyStatements } from '../tables.ts'
import { blobKey, type FileBucket } from './file-bucket.ts'
import type { FileRow, FileStatements } from './schema.ts'

/**
 * How long an attempt to store a file may take. Its row lives twice as long, so that no bytes arrive in the
 * bucket after the alarm has deleted the row.
 */
export const STORING_MS = 60 * 60 * 1000

/** The deletion of one alarm. */
const MAX_DELETIONS = 100

/** Attempts to store one file whose bytes are not deleted yet: one URL cannot take the places of others. */
const MAX_ATTEMPTS = 10

/** Rows of an owner for each file that it may have. Attempts that broke off have rows until the next alarm. */
const ROWS_PER_FILE = 2

/** `bytes`: how many bytes the file may have. */
export type FileBegun =
  | { readonly kind: 'begun'; readonly blob: string; readonly bytes: number }
  | { readonly kind: 'existing'; readonly file: FileInfo }
  | { readonly kind: 'too-many' }

export type FileCompleted =
  | { readonly kind: 'stored'; readonly file: FileInfo }
  | { readonly kind: 'existing'; readonly file: FileInfo }
  | { readonly kind: 'no-space' }
  /** The attempt has taken longer than {@link STORING_MS}. */
  | { readonly kind: 'expired' }

export type FilePlace = FileRow['place']

/** A file, with where its bytes are. Plain data: it crosses an RPC. */
export interface PlacedFile extends FileInfo {
  readonly blob: string
  readonly place: FilePlace
  /** The upload was closed: there is no file. */
  readonly closed?: true
}

/** The row of a file without bytes. */
const EMPTY = { name: '', mime_type: '', size: 0, upload: null } as const

export class Files {
  readonly #storage: LazyStatements<FileStatements>

  constructor(storage: LazyStatements<FileStatements>) {
    this.#storage = storage
  }

  get isEmpty(): boolean {
    return (this.#storage.existing?.countFiles() ?? 0) === 0
  }

  find(id: string): PlacedFile | undefined {
    // The row of an expired one may not be deleted yet.
    const row = this.#storage.existing?.settledFile(id, Date.now())
    if (row === undefined) return undefined
    const { blob, place, state } = row
    return { ...infoOf(row), blob, place, ...(state === 'closed' ? { closed: true } : undefined) }
  }

  /** Refuses every further attempt to store a file. A file that was stored before stays. */
  close(id: string, until: number): void {
    if (this.find(id) !== undefined) return
    this.#storage.statements.addFile({
      blob: randomToken(16),
      id,
      state: 'closed',
      place: 'object',
      ...EMPTY,
      expires_at: until,
    })
  }

  begin(
    { id, name, mimeType, maxBytes, maxFiles, maxTotalBytes }: NewFile,
    place: FilePlace,
  ): FileBegun {
    const existing = this.find(id)
    if (existing !== undefined) return { kind: 'existing', file: existing }
    const now = Date.now()
    const { statements } = this.#storage
    const { files, bytes } = statements.usedBy(now)
    const isFull = files >= maxFiles || statements.countFiles() >= maxFiles * ROWS_PER_FILE
    if (isFull || statements.countAttempts(id) >= MAX_ATTEMPTS) return { kind: 'too-many' }
    const blob = randomToken(16)
    statements.addFile({
      blob,
      id,
      state: 'storing',
      place,
      ...EMPTY,
      name,
      mime_type: mimeType,
      expires_at: now + 2 * STORING_MS,
    })
    return { kind: 'begun', blob, bytes: Math.min(maxBytes, maxTotalBytes - bytes) }
  }

  complete(blob: string, size: number, { lifetimeMs, maxTotalBytes }: NewFile): FileCompleted {
    const { existing } = this.#storage
    const row = existing?.file(blob)
    if (existing === undefined || row === undefined) return { kind: 'expired' }
    const other = this.find(row.id)
    const now = Date.now()
    if (other?.blob === blob) return { kind: 'stored', file: other }
    if (other !== undefined) return this.#give(blob, { kind: 'existing', file: other })
    if (row.expires_at - STORING_MS <= now) return this.#give(blob, { kind: 'expired' })
    // Counted again: other files may have been stored since the attempt began.
    if (existing.usedBy(now).bytes + size > maxTotalBytes) {
      return this.#give(blob, { kind: 'no-space' })
    }
    const expires_at = now + lifetimeMs
    existing.completeFile(blob, size, expires_at)
    return { kind: 'stored', file: infoOf({ ...row, size, expires_at }) }
  }

  /** Ends an attempt. The alarm deletes bytes in the bucket, where some may still arrive. */
  drop(blob: string): void {
    const { existing } = this.#storage
    const row = existing?.file(blob)
    if (row?.state !== 'storing') return
    if (row.place === 'object') existing?.deleteFile(blob)
    else existing?.expireFile(blob, Date.now())
  }

  setUpload(blob: string, upload: string): void {
    this.#storage.existing?.setUpload(blob, upload)
  }

  /** False when the attempt has ended. */
  addChunk(blob: string, number: number, bytes: ArrayBuffer): boolean {
    const { existing } = this.#storage
    if (existing?.file(blob)?.state !== 'storing') return false
    existing.addChunk(blob, number, bytes)
    return true
  }

  chunk(blob: string, number: number): ArrayBuffer | undefined {
    return this.#storage.existing?.chunk(blob, number)
  }

  /**
   * Deletes the bytes of expired files, then their rows.
   *
   * @returns false when some could not be deleted and remain
   */
  async deleteExpired(bucket: FileBucket | undefined): Promise<boolean> {
    const { existing } = this.#storage
    if (existing === undefined) return true
    const rows = existing.expiredFiles(Date.now(), MAX_DELETIONS)
    const inBucket = rows.filter(({ place }) => place === 'bucket')
    const isDeleted = inBucket.length === 0 || (await deleteBlobs(inBucket, bucket))
    for (const { blob, place } of rows) {
      if (place === 'object' || isDeleted) existing.deleteFile(blob)
    }
    return isDeleted
  }

  /**
   * Deletes all files. An attempt to store one can no longer complete; its row stays until the attempt must
   * have ended, because it may still write bytes.
   *
   * @returns false when some could not be deleted and remain
   */
  async erase(bucket: FileBucket | undefined): Promise<boolean> {
    const { existing } = this.#storage
    const now = Date.now()
    existing?.expireFiles(now, now + STORING_MS)
    for (;;) {
      const before = existing?.expiredFiles(now, 1).length ?? 0
      if (before === 0) return true
      if (!(await this.deleteExpired(bucket))) return false
    }
  }

  #give<Result>(blob: string, result: Result): Result {
    this.drop(blob)
    return result
  }
}

/** False when the bucket cannot be reached, or is no longer bound. */
async function deleteBlobs(
  rows: readonly FileRow[],
  bucket: FileBucket | undefined,
): Promise<boolean> {
  if (bucket === undefined) return false
  try {
    for (const { blob, upload } of rows) {
      if (upload === null) continue
      // Fails for an upload that was completed: its object is deleted below.
      await bucket
        .resumeMultipartUpload(blobKey(blob), upload)
        .abort()
        .catch(() => undefined)
    }
    await bucket.delete(rows.map(({ blob }) => blobKey(blob)))
    return true
  } catch {
    // The caller tries again later.
    return false
  }
}

function infoOf({ id, name, mime_type, size, expires_at }: FileRow): FileInfo {
  return { id, name, mimeType: mime_type, size, expiresAt: expires_at }
}
