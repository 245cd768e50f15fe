/** Tool calls as the text of HTTP requests, in the modern and in a session era. */

export interface RawCall {
  /** Request line and headers, without the framing headers and the empty line. */
  readonly head: string
  readonly body: string
}

export interface CallOptions {
  readonly id?: number
  readonly accept?: string
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

export function modernCall(name: string, args: object, options?: CallOptions): RawCall {
  const headers = `MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: ${name}\r\n`
  return rawCall({ name, arguments: args, _meta: META }, headers, options)
}

export function sessionCall(name: string, args: object, options?: CallOptions): RawCall {
  return rawCall({ name, arguments: args }, 'MCP-Protocol-Version: 2025-11-25\r\n', options)
}

function rawCall(
  params: object,
  headers: string,
  { id = 1, accept = 'application/json, text/event-stream' }: CallOptions = {},
): RawCall {
  return {
    head:
      'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n' +
      `Accept: ${accept}\r\n${headers}`,
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  }
}

/** The complete request, framed by Content-Length. */
export function framed({ head, body }: RawCall): string {
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** One chunk of a chunked body; an empty one is the last. */
export function chunk(data: string | Uint8Array): Buffer {
  const bytes = Buffer.from(data)
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ])
}

/** Calls a tool with `fetch` and returns the value of its structured result. */
export async function callForValue(url: string, name: string, args: object): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'mcp-protocol-version': '2025-11-25',
    },
    body: sessionCall(name, args).body,
  })
  const text = await response.text()
  const value = JSON.parse(text).result?.structuredContent?.value
  if (typeof value !== 'number') throw new Error(`${name} returned no value: ${text}`)
  return value
}

export function readCount(url: string, name: string): Promise<number> {
  return callForValue(url, 'read_count', { name })
}
