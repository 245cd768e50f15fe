/** The headers of Node by lower-case name, of which repeated ones are one text. */
import type { IncomingHttpHeaders } from 'node:http'

export function joinedHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
}
