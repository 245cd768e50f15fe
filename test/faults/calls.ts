/** Calls of probe tools as bytes, in either half of the field, and as one-liners where HTTP itself is not the matter. */

export interface RawCall {
  /** Request line and headers, without what frames the body and without the empty line. */
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

export function modernCall(
  name: string,
  args: object,
  { id = 1, accept = 'application/json, text/event-stream' }: CallOptions = {},
): RawCall {
  const params = { name, arguments: args, _meta: META }
  return {
    head:
      'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n' +
      `Accept: ${accept}\r\nMCP-Protocol-Version: 2026-07-28\r\n` +
      `Mcp-Method: tools/call\r\nMcp-Name: ${name}\r\n`,
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  }
}

export function sessionCall(
  name: string,
  args: object,
  { id = 1, accept = 'application/json, text/event-stream' }: CallOptions = {},
): RawCall {
  const params = { name, arguments: args }
  return {
    head:
      'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n' +
      `Accept: ${accept}\r\nMCP-Protocol-Version: 2025-11-25\r\n`,
    body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
  }
}

/** The whole request, framed by its length. */
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

/** The structured result of a call over an ordinary client. */
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
  if (typeof value !== 'number') throw new Error(`${name} answered no value: ${text}`)
  return value
}

export function readCount(url: string, name: string): Promise<number> {
  return callForValue(url, 'read_count', { name })
}
