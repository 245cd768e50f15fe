/**
 * Downloads the file of an argument: from a public host, by https at its own port, without redirects and credentials, bounded in bytes
 * and time. The bytes pass through as a stream.
 *
 * A redirect is not followed: a Worker cannot check the address of a host, and each hop would be another one.
 */
import { hostName, isPublicName } from '../../../protocol/local-name.ts'
import { ToolError } from '../../../server/tool-error.ts'
import { statedType } from '../operations/media-types.ts'

const MAX_URL_LENGTH = 8192

/** From the request to the last byte. */
const TIMEOUT_MS = 60_000

/** Some hosts refuse requests without a `User-Agent`, and the platform sends none. */
const HEADERS = { accept: '*/*', 'user-agent': 'Edgeway' }

/** Content encodings that the platform decodes, as it compares them, and none. With any other, the bytes are not those of the file. */
const DECODED = ['identity', 'gzip', 'br', null]

export interface Download {
  readonly body: ReadableStream<Uint8Array>
  /** As the host says; undefined where it does not know. */
  readonly mimeType: string | undefined
  /** As the host says; undefined where it does not. The body is counted all the same. */
  readonly size: number | undefined
}

export interface DownloadOptions {
  /** That of the argument, for messages. */
  readonly name: string
  readonly ownOrigin: string
  readonly signal: AbortSignal
}

/**
 * Passes a download to `receive`, which reads or cancels its body.
 *
 * @throws {ToolError} `not-downloaded`
 */
export async function download<T>(
  text: string,
  { name, ownOrigin, signal }: DownloadOptions,
  receive: (download: Download) => Promise<T>,
): Promise<T> {
  const fail = (fault: string, cause?: unknown) =>
    new ToolError(
      `The argument "${name}" was not downloaded: ${fault}. Pass the file again, or leave the argument out, and the answer says how the person uploads it.`,
      { reason: 'not-downloaded', cause },
    )
  const url = publicUrl(text, ownOrigin)
  if (url === undefined) throw fail('its download_url is not an https URL of a public host')
  const deadline = AbortSignal.timeout(TIMEOUT_MS)
  let brokenOff: unknown
  try {
    const response = await fetch(url.href, {
      headers: HEADERS,
      redirect: 'manual',
      signal: AbortSignal.any([signal, deadline]),
    }).catch((cause: unknown) => {
      throw fail('its host cannot be reached', cause)
    })
    const { headers, body } = response
    const fault = faultOf(response)
    if (fault !== undefined || body === null) {
      body?.cancel().catch(() => undefined)
      throw fail(fault ?? 'its host sent nothing')
    }
    const watched = watch(body, (error) => {
      brokenOff = error
    })
    const mimeType = statedType(headers.get('content-type') ?? '')
    return await receive({ body: watched, mimeType, size: sizeOf(headers) })
  } catch (error) {
    if (signal.aborted) throw error
    if (deadline.aborted) throw fail('its host took too long', error)
    // Any other failure is one of the storage.
    throw brokenOff === undefined ? error : fail('it broke off', brokenOff)
  }
}

/** The bytes of a body. Says when it fails. */
function watch(
  body: ReadableStream<Uint8Array>,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await reader.read().catch((error: unknown) => {
          onError(error)
          throw error
        })
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Undefined for a response whose body is the file. */
function faultOf({ status, headers }: Response): string | undefined {
  if (status >= 300 && status < 400) return 'its host answered with a redirect'
  if (status !== 200) return `its host answered ${status}`
  if (DECODED.includes(headers.get('content-encoding'))) return undefined
  return 'its host sent it in an unknown Content-Encoding'
}

/** Undefined for any other URL. A public name may resolve to a private address, which `global_fetch_strictly_public` and TLS keep out. */
function publicUrl(text: string, ownOrigin: string): URL | undefined {
  const url = text.length > MAX_URL_LENGTH ? null : URL.parse(text)
  if (url === null || url.protocol !== 'https:' || url.port !== '') return undefined
  if (url.username !== '' || url.password !== '') return undefined
  const own = URL.parse(ownOrigin)
  const isOwn = own !== null && hostName(own) === hostName(url)
  return isOwn || !isPublicName(url) ? undefined : url
}

/** That of a compressed body is another one. */
function sizeOf(headers: Headers): number | undefined {
  const length = headers.get('content-length')
  if (length === null || headers.has('content-encoding')) return undefined
  return /^\d+$/.test(length) ? Number(length) : undefined
}
