/** Parses HTTP/1.1 responses, framed by Content-Length or by chunks. */

export interface RawResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

interface Parsed {
  readonly response: RawResponse
  /** The length of the response in bytes. */
  readonly length: number
}

/** Parses the response at the start of `bytes`; undefined when it is incomplete. */
export function parseResponse(bytes: Buffer): Parsed | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const content = bytes.subarray(headEnd + 4)
  const body =
    headers.get('transfer-encoding') === 'chunked'
      ? readChunks(content)
      : readLength(content, Number(headers.get('content-length') ?? '0'))
  if (body === undefined) return undefined
  const status = Number(statusLine.split(' ')[1])
  const response = { status, headers, body: body.data.toString() }
  return { response, length: headEnd + 4 + body.length }
}

interface Body {
  readonly data: Buffer
  readonly length: number
}

function readLength(content: Buffer, length: number): Body | undefined {
  return content.length < length ? undefined : { data: content.subarray(0, length), length }
}

function readChunks(content: Buffer): Body | undefined {
  const pieces: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = content.indexOf('\r\n', at)
    if (lineEnd === -1) return undefined
    const size = Number.parseInt(content.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    if (content.length < start + size + 2) return undefined
    at = start + size + 2
    if (size === 0) return { data: Buffer.concat(pieces), length: at }
    pieces.push(content.subarray(start, start + size))
  }
}
