/** Text of others, read without an exception: undefined where it is malformed. */

/** Undefined also for bytes that are not UTF-8. */
export function tryDecodeUri(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** JSON itself cannot express undefined. */
export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
