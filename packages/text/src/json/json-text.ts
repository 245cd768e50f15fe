/** JSON texts of servers and files. The parser has no limit of depth, and the writer has that of the stack. */
import { tryParseJson } from '../../../../src/platform/try-parse.ts'

/** The JSON value of a text; undefined when it is not JSON, which JSON itself cannot express. */
export function parseJson(text: string): unknown {
  return tryParseJson(text.replace(/^\uFEFF/, ''))
}

/** The JSON of a parsed value; undefined for one that is nested too deeply to be written. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // It is nested too deeply.
    return undefined
  }
}

/** Whether a parsed value nests more levels of arrays and objects. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  const isNested = (one: unknown): one is object => typeof one === 'object' && one !== null
  let nested = [value].filter(isNested)
  for (let level = 0; level < levels && nested.length > 0; level++) {
    nested = nested.flatMap((one) => Object.values(one).filter(isNested))
  }
  return nested.length > 0
}
