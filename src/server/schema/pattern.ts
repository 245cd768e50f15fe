/** Regular expressions of schemas: which text is one, and which ones every client can read. */

/**
 * Compiles an expression with flag `u`, as JSON Schema recommends, and otherwise without it, where `\-` and `\@` are
 * permitted. Undefined if it is no expression.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-6.4
 */
export const compilePattern = (pattern: string): RegExp | undefined => compiled(pattern, 'u', '')[0]

/** Whether validators of clients can read an expression: they compile it with flag `u`. */
export const isUnicodePattern = (pattern: string): boolean => compiled(pattern, 'u').length > 0

/** Whether every client can read an expression, also the hosts that read a part of the syntax. */
export const isPortablePattern = (pattern: string): boolean =>
  isUnicodePattern(pattern) && !UNPORTABLE.test(pattern.replaceAll(/\\./gs, ''))

/** Lookaround, and `[` in a class: OpenAI, DeepSeek and llama.cpp refuse every request with such a tool. */
const UNPORTABLE = /\(\?<?[=!]|\[[^\]]*\[/

/**
 * The expressions that the `pattern` of a schema library may stand for: its JSON Schema has no flags. The flags `i`, `m`
 * and `s` together match what each of them matches, except in exclusions.
 */
export const possibleExpressions = (pattern: string): readonly RegExp[] =>
  compiled(pattern, 'u', 'imsu', '', 'ims', 'imsv')

/** The expressions that a text is, with each of the flags. */
function compiled(pattern: string, ...flags: readonly string[]): readonly RegExp[] {
  return flags.flatMap((each) => {
    try {
      return new RegExp(pattern, each)
    } catch {
      // No expression with these flags.
      return []
    }
  })
}
