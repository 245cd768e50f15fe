/** Cursors: positions of a log as clients keep them. They begin with the version of their format. */
import { decodeBase64UrlText, encodeBase64UrlText } from '../../../../src/platform/base64.ts'
import type { LogPosition } from './port.ts'

const VERSION = '1'

const CONTENT = /^(\d{1,15}) (.+)$/s

export function formatCursor({ log, position }: LogPosition): string {
  return `${VERSION}${encodeBase64UrlText(`${position} ${log}`)}`
}

/** Undefined for a text of another server, or of a newer version. Its holder gets `truncated`. */
export function parseCursor(text: string): LogPosition | undefined {
  if (!text.startsWith(VERSION)) return undefined
  const [, position, log] = CONTENT.exec(decodeBase64UrlText(text.slice(1)) ?? '') ?? []
  return log === undefined ? undefined : { log, position: Number(position) }
}
