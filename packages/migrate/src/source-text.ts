/** The text of a file without its byte order mark, and what must be kept of its form. */

export interface SourceText {
  /** The byte order mark, or nothing. */
  readonly mark: string
  readonly text: string
  /** The line break of the first line. */
  readonly eol: string
}

const BYTE_ORDER_MARK = '\uFEFF'

/** Refuses other encodings than UTF-8, whose bytes would be lost. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @returns undefined for bytes that are not UTF-8 */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

export function splitText(contents: string): SourceText {
  const mark = contents.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const text = contents.slice(mark.length)
  return { mark, text, eol: /^[^\n]*\r\n/.test(text) ? '\r\n' : '\n' }
}

/** The line and the column of an offset, from 1. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const start = before.lastIndexOf('\n') + 1
  return { line: before.split('\n').length, column: offset - start + 1 }
}
