/** Validation with the schemas of the official SDK, which most clients use. */
import type { ZodType } from 'zod'
import { printable } from '../../../text/src/terminal-text.ts'

/** The first defect as `path: reason`; undefined for a valid value. */
export function firstIssue(schema: ZodType, value: unknown): string | undefined {
  try {
    const { error } = schema.safeParse(value)
    const issue = error?.issues[0]
    // The library has the words of JavaScript, where the member is absent from JSON.
    const reason = issue?.message.replace(/received undefined$/, 'received nothing')
    return issue && printable(`${pathOf(issue.path)}: ${reason}`)
  } catch {
    // A value that is nested too deeply overflows the stack, in clients as well.
    return 'the value is nested too deeply'
  }
}

/** `tools[3].inputSchema.type` */
function pathOf(path: readonly PropertyKey[]): string {
  const text = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
  return text.replace(/^\./, '') || 'the value'
}
