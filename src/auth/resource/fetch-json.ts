/** A JSON document of another server: bounded, and only where it was looked for. */
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'

/** As much of the platform's `fetch` as is needed. */
export type Fetch = (
  url: string,
  init: {
    readonly method: 'GET'
    readonly headers: Record<string, string>
    readonly redirect: 'manual'
    readonly signal: AbortSignal
  },
) => Promise<Response>

/** The key sets of large providers have some tens of kilobytes. */
const MAX_DOCUMENT_BYTES = 256 * 1024

/** @throws {Error} for anything but a JSON object under this very address */
export async function fetchJson(
  fetch: Fetch,
  url: string,
  signal: AbortSignal,
): Promise<JsonObject> {
  const response = await fetch(url, {
    method: 'GET',
    // Some firewalls turn away who does not say who they are, and the platform does not by itself.
    headers: { accept: 'application/json, application/jwk-set+json', 'user-agent': 'edgeway' },
    redirect: 'manual',
    signal,
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`${url} answered with status ${response.status}`)
  }
  const value: unknown = JSON.parse(await readText(response, url))
  if (!isJsonObject(value)) throw new Error(`${url} is not a JSON object`)
  return value
}

async function readText({ body }: Response, url: string): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let text = ''
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    // Leaving the loop cancels the rest.
    if (size > MAX_DOCUMENT_BYTES)
      throw new Error(`${url} is larger than ${MAX_DOCUMENT_BYTES} bytes`)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}
