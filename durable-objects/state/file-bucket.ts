/** The bucket with the bytes of files, and the names of its objects. */

/** The part of an `R2Bucket` that files use. */
export type FileBucket = Pick<
  R2Bucket,
  'get' | 'put' | 'delete' | 'createMultipartUpload' | 'resumeMultipartUpload'
>

export function blobKey(blob: string): string {
  return `edgeway/${blob}`
}
