/** The bytes of files as rows of their state object, for a Worker without a bucket. */
import type { ByteRange } from '../../src/ports/files.ts'
import type { CallsOf } from '../../src/ports/objects.ts'
import type { StateObject } from '../state/state-object.ts'
import type { BlobStore } from './blob-store.ts'

/** A row holds 2 MB. */
const CHUNK_BYTES = 1024 * 1024

/** Each chunk is a call of the object, which serves the caller's state too. */
const MAX_BYTES = 32 * CHUNK_BYTES

const MAX_TOTAL_BYTES = 256 * CHUNK_BYTES

/** Calls the state object of one owner. */
export type StateCall = <T>(call: (object: FileObject) => Promise<T>) => Promise<T>

/** The methods of the state object that files use. */
export type FileObject = Pick<
  CallsOf<StateObject>,
  | 'findFile'
  | 'closeUpload'
  | 'beginFile'
  | 'completeFile'
  | 'dropFile'
  | 'setUpload'
  | 'addChunk'
  | 'readChunk'
>

export function createObjectBlobs(call: StateCall): BlobStore {
  return {
    partBytes: CHUNK_BYTES,
    maxBytes: MAX_BYTES,
    maxTotalBytes: MAX_TOTAL_BYTES,
    write: async (blob, parts) => {
      let size = 0
      let number = 0
      for await (const part of parts) {
        const bytes = part.slice().buffer
        const chunk = number
        const isAdded = await call((object) => object.addChunk(blob, chunk, bytes))
        if (!isAdded) throw new Error('The attempt to store this file has ended')
        size += part.byteLength
        number += 1
      }
      return size
    },
    read: async (blob, range) => {
      const chunks = chunksOf(blob, range, call)
      return new ReadableStream<Uint8Array>(
        {
          pull: async (controller) => {
            const { done, value } = await chunks.next()
            if (done === true) controller.close()
            else controller.enqueue(value)
          },
        },
        { highWaterMark: 0 },
      )
    },
  }
}

async function* chunksOf(
  blob: string,
  { start, end }: ByteRange,
  call: StateCall,
): AsyncGenerator<Uint8Array, void> {
  for (let position = start; position < end; ) {
    const number = Math.floor(position / CHUNK_BYTES)
    const chunk = await call((object) => object.readChunk(blob, number))
    // The reader must not mistake a part for the whole.
    if (chunk === undefined) throw new Error('The file has expired')
    const offset = number * CHUNK_BYTES
    const bytes = new Uint8Array(chunk).subarray(position - offset, end - offset)
    yield bytes
    position += bytes.byteLength
  }
}
