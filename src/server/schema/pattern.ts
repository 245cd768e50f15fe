/** Regular expressions of schemas: which text is one, and which ones every client can read. */

/**
 * Compiles an expression with flag `u`, as JSON Schema recommends, and otherwise without it, where `\-` and `\@` are
 * permitted. Undefined if it is no expression.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-6.4
 */
export function compilePattern(pattern: string): RegExp | undefined {
  return compile(pattern, 'u') ?? compile(pattern, '')
}

/** Whether validators of clients can read an expression: they compile it with flag `u`. */
export function isUnicodePattern(pattern: string): boolean {
  return compile(pattern, 'u') !== undefined
}

/** Whether every client can read an expression, also the hosts that read a part of the syntax. */
export function isPortablePattern(pattern: string): boolean {
  return isUnicodePattern(pattern) && !UNPORTABLE.test(pattern.replaceAll(/\\./gs, ''))
}

/** Lookaround, and `[` in a class: OpenAI, DeepSeek and llama.cpp refuse every request with such a tool. */
const UNPORTABLE = /\(\?<?[=!]|\[[^\]]*\[/

/**
 * The expressions that the `pattern` of a schema library may stand for: its JSON Schema has no flags. The flags `i`, `m`
 * and `s` together match what each of them matches, except in exclusions.
 */
export function possibleExpressions(pattern: string): readonly RegExp[] {
  return ['u', 'imsu', '', 'ims', 'imsv'].flatMap((flags) => compile(pattern, flags) ?? [])
}

function compile(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags)
  } catch {
    // No expression with these flags.
    return undefined
  }
}
