/** Fetches a JSON document of another server: bounded in bytes, depth, values and time, from exactly the given URL. */
import { readBoundedBody } from './bounded-body.ts'
import {
  type BoundedJson,
  DOCUMENT_BOUNDS,
  type JsonFault,
  parseBoundedJson,
} from './bounded-json.ts'
import { decodeUtf8 } from './utf8.ts'

/** The part of the platform's `fetch` that is needed. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface JsonRequest {
  readonly maxBytes: number
  /** Ends the request: see `withAbortDeadline`. */
  readonly signal: AbortSignal
  /** Statuses of responses whose body is read. Default 200. */
  readonly statuses?: readonly number[]
  /** Whether `Content-Type` must be a JSON type. Default: it is ignored. */
  readonly requireJsonType?: boolean
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit
}

export type JsonResponse =
  | {
      readonly ok: true
      readonly status: number
      readonly headers: Headers
      readonly value: unknown
    }
  | {
      readonly ok: false
      /** Undefined if the connection failed, before or within the response. */
      readonly status: number | undefined
      /** For telemetry. It names the URL without its query. */
      readonly message: string
      readonly cause?: unknown
    }

const FAULTS: Readonly<Record<JsonFault, string>> = {
  'too-deep': `nests more than ${DOCUMENT_BOUNDS.depth} levels`,
  'too-many-values': `has more than ${DOCUMENT_BOUNDS.values} values`,
  'not-json': 'is not JSON',
  'duplicate-key': 'repeats a key of an object',
}

// Some servers reject requests without a User-Agent, and the platform sends none.
const HEADERS = { accept: 'application/json', 'user-agent': 'Edgeway' } as const

/** Fetches JSON. Never throws. Does not follow redirects: a redirect could lead to an internal host. */
export async function fetchJson(
  fetch: Fetch,
  url: string,
  { maxBytes, statuses = [200], requireJsonType = false, headers, ...init }: JsonRequest,
): Promise<JsonResponse> {
  const fail = (status: number | undefined, defect: string, cause?: unknown) =>
    ({ ok: false, status, message: `${withoutQuery(url)} ${defect}`, cause }) as const
  try {
    const response = await fetch(url, {
      ...init,
      headers: { ...HEADERS, ...headers },
      redirect: 'manual',
    })
    const { status, body } = response
    const isAccepted = statuses.includes(status)
    if (!isAccepted || (requireJsonType && !isJsonType(response.headers.get('content-type')))) {
      // Not awaited: the sender decides when a cancellation completes.
      body?.cancel().catch(() => undefined)
      return fail(status, isAccepted ? 'is not of a JSON type' : `responded with status ${status}`)
    }
    const bytes = await readBoundedBody(body, maxBytes)
    if (bytes === undefined) return fail(status, `is larger than ${maxBytes} bytes`)
    const parsed = parseUtf8(bytes)
    return parsed.ok
      ? { ok: true, status, headers: response.headers, value: parsed.value }
      : fail(status, FAULTS[parsed.fault])
  } catch (cause) {
    return fail(undefined, 'cannot be reached', cause)
  }
}

/** A URL for messages: its query may contain secrets. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

function parseUtf8(bytes: Uint8Array): BoundedJson {
  let text: string
  try {
    text = decodeUtf8(bytes)
  } catch {
    return { ok: false, fault: 'not-json' }
  }
  return parseBoundedJson(text, DOCUMENT_BOUNDS)
}

/** `application/json`, or a type with the suffix `+json` (RFC 6839 §3.1). */
function isJsonType(contentType: string | null): boolean {
  const [type = ''] = (contentType ?? '').split(';', 1)
  return /^application\/(?:[\w.-]{1,100}\+)?json$/.test(type.trim().toLowerCase())
}
