/**
 * Which server of a Worker a request, a row or an object belongs to, as one text: the audience of the server and the
 * paths of its endpoint, as JSON. One path in common makes two texts the same server, so that a server keeps its
 * sessions and tasks when it gets a further path or loses one.
 */
import { ConfigurationError } from '../platform/configuration-error.ts'
import { tryParseJson } from '../platform/try-parse.ts'
import { isTextList } from './json.ts'

/** What a client reads of an {@link OtherServerError}: names and paths of servers are for their operator. */
export const MISCONFIGURED =
  'The server is not configured correctly. Its operator finds the reason in its log'

/** A request or a row of another server of the Worker. The message names both servers and the option. */
export class OtherServerError extends ConfigurationError {
  override readonly name = 'OtherServerError'
}

/** Maximum length of a text in a message, in UTF-16 code units. */
const MAX_LABEL_LENGTH = 200

/** @param paths of the endpoint; empty for a server that its audience alone identifies */
export function serverText(audience: string, paths: readonly string[]): string {
  return JSON.stringify([audience, ...paths])
}

export function isSameServer(one: string, other: string): boolean {
  if (one === other) return true
  const [audience, ...paths] = parse(one)
  const [otherAudience, ...otherPaths] = parse(other)
  return (
    audience !== undefined &&
    audience === otherAudience &&
    paths.some((path) => otherPaths.includes(path))
  )
}

/** The server as messages for operators name it: `"notes" (/mcp)`. */
export function serverLabel(text: string): string {
  const [audience, ...paths] = parse(text)
  const label =
    audience === undefined
      ? text
      : `${JSON.stringify(audience)}${paths.length === 0 ? '' : ` (${paths.join(', ')})`}`
  return label.length > MAX_LABEL_LENGTH ? `${label.slice(0, MAX_LABEL_LENGTH)}…` : label
}

/** Undefined for a text that a newer version has written in another form. */
export function audienceOf(text: string): string | undefined {
  return parse(text)[0]
}

/** Empty for a text that a newer version has written in another form. */
function parse(text: string): readonly string[] {
  const parts = tryParseJson(text)
  // Not JSON: it is the same server only as the same text.
  return isTextList(parts) ? parts : []
}
