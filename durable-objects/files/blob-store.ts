/** Where the bytes of a file are. `bucket-blobs.ts` and `object-blobs.ts` implement it. */
import type { ByteRange } from '../../src/ports/files.ts'

export interface BlobStore {
  /** Size of the parts that `write` receives, the last one excepted. */
  readonly partBytes: number
  /** Maximum size of a file. */
  readonly maxBytes: number
  /** Maximum size of the files of one owner. */
  readonly maxTotalBytes: number
  /** Stores the parts and returns the number of bytes. */
  write(blob: string, parts: AsyncGenerator<Uint8Array, void>): Promise<number>
  /** Undefined when the bytes do not exist any more. */
  read(blob: string, range: ByteRange): Promise<ReadableStream<Uint8Array> | undefined>
}
