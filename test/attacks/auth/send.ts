/** Sends a request exactly as given: headers may repeat, and `Host` may be any text. */
import { request } from 'node:http'

export interface Sending {
  readonly method?: string
  /** In this order. A name may repeat. `host` replaces the actual one. */
  readonly headers?: readonly (readonly [string, string])[]
  readonly body?: string | Uint8Array
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

const TIMEOUT_MS = 20_000

export function send(
  origin: string,
  path: string,
  { method = 'GET', headers = [], body }: Sending = {},
): Promise<Answer> {
  const { hostname, port, host } = new URL(origin)
  const named = headers.some(([name]) => name.toLowerCase() === 'host')
  const framed = headers.some(([name]) =>
    ['content-length', 'transfer-encoding'].includes(name.toLowerCase()),
  )
  const all = [
    ...(named ? [] : [['host', host] as const]),
    ...headers,
    ...(body === undefined || framed
      ? []
      : [['content-length', String(Buffer.byteLength(body))] as const]),
  ]
  return new Promise((resolve, reject) => {
    const outgoing = request({
      ...{ hostname, port, path, method, agent: false, timeout: TIMEOUT_MS },
      headers: all.flat() as unknown as readonly string[],
    })
    outgoing.on('timeout', () => outgoing.destroy(new Error(`No response to ${method} ${path}`)))
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      const received = new Headers()
      for (let at = 0; at < incoming.rawHeaders.length; at += 2) {
        received.append(incoming.rawHeaders[at] ?? '', incoming.rawHeaders[at + 1] ?? '')
      }
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: incoming.statusCode ?? 0, headers: received, body: text })
      })
    })
    outgoing.end(body)
  })
}

export const FORM = ['content-type', 'application/x-www-form-urlencoded'] as const
export const JSON_TYPE = ['content-type', 'application/json'] as const

/** Posts a form. */
export function postForm(
  origin: string,
  path: string,
  fields: string | Readonly<Record<string, string>>,
  headers: Sending['headers'] = [],
): Promise<Answer> {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString()
  return send(origin, path, { method: 'POST', headers: [FORM, ...headers], body })
}

export function postJson(origin: string, path: string, value: unknown): Promise<Answer> {
  const body = typeof value === 'string' ? value : JSON.stringify(value)
  return send(origin, path, { method: 'POST', headers: [JSON_TYPE], body })
}

/** The OAuth error of a JSON response, or of a redirect to a client. */
export function errorOf({ headers, body }: Answer): string | undefined {
  const location = headers.get('location')
  if (location !== null) return new URL(location).searchParams.get('error') ?? undefined
  if (!headers.get('content-type')?.startsWith('application/json')) return undefined
  return JSON.parse(body).error
}
