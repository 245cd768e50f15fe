/** The headers of a request as one text, which an RPC carries and a row stores. */

/** Headers that may be stored. Any other header may contain a credential. */
const STORED = new Set([
  'accept-language',
  'cf-ipcountry',
  'cf-ray',
  'traceparent',
  'tracestate',
  'user-agent',
])

/** @param lines lines of `name: value` */
export function readHeaderLines(lines: string): Headers {
  const headers = new Headers()
  for (const line of lines.split('\n')) {
    const at = line.indexOf(': ')
    if (at !== -1) headers.append(line.slice(0, at), line.slice(at + 2))
  }
  return headers
}

export function withoutSecretLines(lines: string): string {
  return lines
    .split('\n')
    .filter((line) => STORED.has(line.slice(0, line.indexOf(':'))) || line.startsWith('mcp-'))
    .join('\n')
}
