/** A Markdown file of what is entered in a form: each field with its text, its length and its limit. */

export interface FormField {
  readonly title?: string
  /** What is entered, exactly. It may contain any Markdown, and stays as it is. */
  readonly field?: string
  /** Of `field`. */
  readonly limit?: number
  /** What to do. */
  readonly text?: string
}

/** @param fields false for one that does not apply */
export function formText(title: string, fields: readonly (FormField | false)[]): string {
  let number = 0
  const applying = fields.filter((field) => field !== false)
  const parts = applying.map(({ title: name, field, limit, text }) => {
    if (name !== undefined) number += 1
    return [
      ...(name === undefined ? [] : [`## ${number}. ${name}`]),
      ...(text === undefined ? [] : [text]),
      ...(field === undefined ? [] : [lengthText(field, limit), fenced(field)]),
    ].join('\n\n')
  })
  return `# ${title}\n\n${parts.join('\n\n')}\n`
}

function lengthText(field: string, limit: number | undefined): string {
  const count = field.length.toLocaleString('en')
  return limit === undefined
    ? `${count} characters:`
    : `${count} of ${limit.toLocaleString('en')} characters:`
}

/** A block of code with a fence that its text does not contain. */
function fenced(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(([run]) => run.length)
  const fence = '`'.repeat(Math.max(3, ...runs.map((length) => length + 1)))
  return `${fence}text\n${text}\n${fence}`
}
