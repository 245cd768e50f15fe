/** Compares the bytes of a file with what its call says of them, while they are stored. */
import { encodeBase64Url } from '../../../platform/base64.ts'
import type { SentFile } from '../operations/file-seals.ts'

/** The name of the error of bytes that are those of another file. */
export const OTHER_BYTES_ERROR = 'OtherBytesError'

/** The same bytes. The stream fails with {@link OTHER_BYTES_ERROR} in place of its end where size or digest differ. */
export function checkedBytes(
  bytes: ReadableStream<Uint8Array>,
  { size, sha256 }: Pick<SentFile, 'size' | 'sha256'>,
): ReadableStream<Uint8Array> {
  const digest = new crypto.DigestStream('SHA-256')
  const hash = digest.getWriter()
  let count = 0
  return bytes.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: async (chunk, controller) => {
        count += chunk.byteLength
        await hash.write(chunk)
        controller.enqueue(chunk)
      },
      flush: async () => {
        await hash.close()
        const found = encodeBase64Url(new Uint8Array(await digest.digest))
        if (count !== size || found !== sha256) {
          throw new DOMException('The bytes are those of another file', OTHER_BYTES_ERROR)
        }
      },
    }),
  )
}
