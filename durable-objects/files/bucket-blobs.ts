/** The bytes of files in a bucket of R2. @see https://developers.cloudflare.com/r2/api/workers/workers-api-reference/ */
import { blobKey, type FileBucket } from '../state/file-bucket.ts'
import type { BlobStore } from './blob-store.ts'

/** R2 needs parts of 5 MiB to 5 GiB, of one size but for the last, at most 10,000. One is in memory. */
const PART_BYTES = 5 * 1024 * 1024

const MAX_PARTS = 10_000

/** @param onUpload stores the id of a multipart upload, so that an interrupted one can be aborted */
export function createBucketBlobs(
  bucket: FileBucket,
  onUpload: (blob: string, upload: string) => Promise<void>,
): BlobStore {
  return {
    partBytes: PART_BYTES,
    maxBytes: PART_BYTES * MAX_PARTS,
    maxTotalBytes: Number.MAX_SAFE_INTEGER,
    write: async (blob, parts) => {
      const { value: first = new Uint8Array() } = await parts.next()
      // A part that is not full is the last one.
      if (first.byteLength < PART_BYTES) {
        await bucket.put(blobKey(blob), first)
        return first.byteLength
      }
      const upload = await bucket.createMultipartUpload(blobKey(blob))
      try {
        await onUpload(blob, upload.uploadId)
        const uploaded = [await upload.uploadPart(1, first)]
        let size = first.byteLength
        for await (const part of parts) {
          uploaded.push(await upload.uploadPart(uploaded.length + 1, part))
          size += part.byteLength
        }
        await upload.complete(uploaded)
        return size
      } catch (error) {
        // The alarm of the state object tries again.
        await upload.abort().catch(() => undefined)
        throw error
      }
    },
    read: async (blob, { start, end }) => {
      const found = await bucket.get(blobKey(blob), {
        range: { offset: start, length: end - start },
      })
      return found?.body
    },
  }
}
