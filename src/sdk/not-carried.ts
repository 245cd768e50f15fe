/** The error for what a server written for the SDK does and Edgeway cannot do. */

const GUIDE = 'node_modules/edgeway/docs/guides/moving-from-the-sdk.md'

/** @param anchor a heading of the guide */
export function notCarried(sentence: string, anchor = 'what-does-not-carry'): TypeError {
  return new TypeError(`${sentence} See ${GUIDE}#${anchor}`)
}
