/**
 * Files: bytes with a name and a type that expire. Each principal has its own; its state object keeps a
 * row of each, and the bytes are in a bucket or, without one, in the object.
 */

import type { FileLimits } from './file-limits.ts'

/** The bytes of a file before they are stored. */
export type FileBytes = Uint8Array | ReadableStream<Uint8Array>

/** A file that is stored. Times are epoch milliseconds. */
export interface FileInfo {
  /** Identifies the file among those of its owner. */
  readonly id: string
  readonly name: string
  readonly mimeType: string
  /** In bytes. */
  readonly size: number
  readonly expiresAt: number
}

/** What a file becomes. Plain data: it crosses an RPC. */
export interface NewFile extends Pick<FileInfo, 'id' | 'name' | 'mimeType'> {
  /** Milliseconds until the file expires, from the moment when all bytes are stored. */
  readonly lifetimeMs: number
  /** The most bytes that this file may have. */
  readonly maxBytes: number
  /** Files of the owner at the same time. */
  readonly maxFiles: number
  /** Bytes of all files of the owner. */
  readonly maxTotalBytes: number
}

/**
 * - `stored`: all bytes are stored.
 * - `existing`: a file with this id had been stored before, or its upload was closed. Nothing was changed.
 * - `too-large`: there are more bytes than `limit`.
 * - `too-many`: the owner has as many files as `maxFiles`.
 * - `no-space`: with this file, those of the owner would have more bytes than `limit`.
 */
export type FileStored =
  | { readonly kind: 'stored'; readonly file: FileInfo }
  | { readonly kind: 'existing'; readonly file: FileInfo }
  | { readonly kind: 'too-large'; readonly limit: number }
  | { readonly kind: 'no-space'; readonly limit: number }
  | { readonly kind: 'too-many' }

/** Bytes `start` to `end`, without `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface FoundFile extends FileInfo {
  /** Undefined when the file has expired meanwhile. */
  readonly read: (range?: ByteRange) => Promise<ReadableStream<Uint8Array> | undefined>
}

/** The files of one owner. */
export interface OwnedFiles {
  /**
   * Stores a file. Of several attempts with one id, the first that completes wins. An attempt that does
   * not complete leaves bytes that are deleted within two hours.
   *
   * @throws the error of a stream that fails
   */
  store(file: NewFile, bytes: FileBytes): Promise<FileStored>
  /** Undefined when there is no such file, or it has expired. */
  find(id: string): Promise<FoundFile | undefined>
  /** `used`: a file was stored. `closed`: by `closeUpload`. */
  uploadState(id: string): Promise<'open' | 'used' | 'closed'>
  /** Refuses files with this id until a time in epoch milliseconds, unless one is stored. */
  closeUpload(id: string, until: number): Promise<void>
}

export interface FileStore {
  readonly limits: FileLimits
  /** @param owner the digest of a principal, of a network or of an operation */
  of(owner: string): OwnedFiles
}
