/** Reads the code of a model: removes what models put around it, and refuses what cannot run. */
import { ToolError } from '../../../../src/index.ts'

/** Longest code, in UTF-16 code units. */
export const MAX_SOURCE_LENGTH = 64 * 1024

const FENCED = /^```[\w-]*[ \t]*\r?\n([\s\S]*?)\r?\n?```$/
const EXPORT_DEFAULT = /^export\s+default\s+/
const COMMENT = String.raw`\/[/*]|<!--|-->`

/**
 * `import` as a token before what makes it an import or `import.meta`. The word cannot be written with escapes, and no code
 * is created from text, so a text without it imports nothing. After a single dot it is the name of a member. A comment may
 * stand between, also one of HTML: what begins with a comment after the word is refused too.
 *
 * @see https://tc39.es/ecma262/#sec-import-calls, https://tc39.es/ecma262/#sec-html-like-comments
 */
const IMPORTS = new RegExp(
  String.raw`(?<![\w$]|(?<!\.)\.)import\s*(?:\(|${COMMENT}|\.\s*(?:meta|source|defer|${COMMENT}))`,
)

/** @throws {ToolError} for code that is too long, is empty, or imports a module */
export function readSource(code: string): string {
  if (code.length > MAX_SOURCE_LENGTH) {
    throw new ToolError(
      `The code has ${code.length} characters, and may have at most ${MAX_SOURCE_LENGTH}. Divide it into several calls.`,
    )
  }
  const trimmed = code.trim()
  const unfenced = (FENCED.exec(trimmed)?.[1] ?? trimmed).trim()
  const source = withoutEnd(unfenced.replace(EXPORT_DEFAULT, ''))
  if (source === '') throw new ToolError('The code is empty')
  checkImports(source)
  return source
}

/** @throws {ToolError} for code that imports a module */
export function checkImports(source: string): void {
  if (!IMPORTS.test(source)) return
  throw new ToolError(
    'The code cannot import modules. It has the tools of this server, describe, find, and console. If "import" is in a text, write it apart from what follows: "import" + "(…".',
  )
}

/** Without the semicolons after an expression, which could not stand in parentheses. */
function withoutEnd(source: string): string {
  let text = source
  while (text.endsWith(';')) text = text.slice(0, -1).trimEnd()
  return text
}
