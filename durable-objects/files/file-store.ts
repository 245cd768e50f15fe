/** The port of files over the state objects and, where one is bound, a bucket. */
import type { FileLimits } from '../../src/ports/file-limits.ts'
import type {
  FileBytes,
  FileStore,
  FileStored,
  NewFile,
  OwnedFiles,
} from '../../src/ports/files.ts'
import type { ObjectNamespace } from '../../src/ports/objects.ts'
import { callerOf } from '../object-call.ts'
import type { FileBucket } from '../state/file-bucket.ts'
import { type FilePlace, STORING_MS } from '../state/files.ts'
import type { BlobStore } from './blob-store.ts'
import { createBucketBlobs } from './bucket-blobs.ts'
import { bytePartsOf } from './byte-parts.ts'
import { createObjectBlobs, type FileObject, type StateCall } from './object-blobs.ts'

/** @param bucket undefined stores bytes in the state objects */
export function createFileStore(
  namespace: ObjectNamespace<FileObject>,
  bucket: FileBucket | undefined,
  limits: FileLimits,
): FileStore {
  const callState = callerOf(namespace)
  return {
    limits,
    of: (owner) => {
      const call: StateCall = (work) => callState(owner, work)
      return ownedFiles(call, {
        object: createObjectBlobs(call),
        bucket:
          bucket &&
          createBucketBlobs(bucket, (blob, upload) =>
            call((object) => object.setUpload(blob, upload)),
          ),
      })
    },
  }
}

type Places = Readonly<Record<FilePlace, BlobStore | undefined>> & { readonly object: BlobStore }

function ownedFiles(call: StateCall, places: Places): OwnedFiles {
  return {
    find: async (id) => {
      const found = await call((object) => object.findFile(id))
      // The bucket of an earlier deployment may not be bound any more.
      const blobs = found && places[found.place]
      if (found === undefined || found.closed || blobs === undefined) return undefined
      const { blob, place: _, ...info } = found
      return {
        ...info,
        read: async (range = { start: 0, end: info.size }) =>
          range.end === range.start ? new Blob([]).stream() : blobs.read(blob, range),
      }
    },
    uploadState: async (id) => {
      const found = await call((object) => object.findFile(id))
      if (found === undefined) return 'open'
      return found.closed ? 'closed' : 'used'
    },
    closeUpload: (id, until) => call((object) => object.closeUpload(id, until)),
    store: async (file, bytes) => {
      const place = places.bucket === undefined ? 'object' : 'bucket'
      return store(call, places.bucket ?? places.object, place, file, bytes)
    },
  }
}

async function store(
  call: StateCall,
  blobs: BlobStore,
  place: FilePlace,
  file: NewFile,
  bytes: FileBytes,
): Promise<FileStored> {
  const bounded: NewFile = {
    ...file,
    maxBytes: Math.min(file.maxBytes, blobs.maxBytes),
    maxTotalBytes: Math.min(file.maxTotalBytes, blobs.maxTotalBytes),
  }
  // A call that was repeated leaves a row without bytes, which expires.
  const begun = await call((object) => object.beginFile(bounded, place))
  if (begun.kind !== 'begun') {
    cancelBytes(bytes)
    return begun
  }
  const { blob } = begun
  const tooMany = new RangeError('The file has too many bytes')
  const parts = untilDeadline(bytePartsOf(bytes, blobs.partBytes, begun.bytes, tooMany))
  try {
    const size = await blobs.write(blob, parts)
    const completed = await call((object) => object.completeFile(blob, size, bounded))
    if (completed.kind === 'expired') throw tooSlow()
    if (completed.kind === 'no-space') return { kind: 'no-space', limit: bounded.maxTotalBytes }
    return completed
  } catch (error) {
    // Cancels a stream that was not read to its end.
    await parts.return()
    // The row expires by itself when its object cannot be reached.
    await call((object) => object.dropFile(blob)).catch(() => undefined)
    if (error !== tooMany) throw error
    return begun.bytes < bounded.maxBytes
      ? { kind: 'no-space', limit: bounded.maxTotalBytes }
      : { kind: 'too-large', limit: bounded.maxBytes }
  }
}

/** Releases what the sender of a stream that is not read holds. */
function cancelBytes(bytes: FileBytes): void {
  if (bytes instanceof ReadableStream) bytes.cancel().catch(() => undefined)
}

async function* untilDeadline(
  parts: AsyncGenerator<Uint8Array, void>,
): AsyncGenerator<Uint8Array, void> {
  const deadline = Date.now() + STORING_MS
  for await (const part of parts) {
    if (Date.now() > deadline) throw tooSlow()
    yield part
  }
}

function tooSlow(): DOMException {
  return new DOMException('Storing the file took too long', 'TimeoutError')
}
