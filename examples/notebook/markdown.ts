/** Converts notes to Markdown documents and back: a `# Title` heading, then the body. */

export interface Section {
  readonly title: string
  readonly body: string
}

/** Matches an ATX heading of level 1 and captures its text. */
const HEADING = /^ {0,3}#(?:[ \t](.*))?$/s
/** Matches the start of a fenced code block and captures its marker, which also closes the block. */
const FENCE = /^ {0,3}(`{3,}|~{3,})/

/**
 * Splits a document at its level 1 headings. A `#` line inside a fenced code block is code. Text
 * before the first heading becomes a section whose title is the first line of that text.
 *
 * @see https://spec.commonmark.org/0.31.2/#atx-headings
 */
export function splitMarkdown(document: string): Section[] {
  const sections: { title: string | undefined; lines: string[] }[] = [
    { title: undefined, lines: [] },
  ]
  let fence: string | undefined
  for (const line of document.replaceAll('\r\n', '\n').split('\n')) {
    const marker = FENCE.exec(line)?.[1]
    if (fence === undefined) fence = marker
    else if (marker?.startsWith(fence) && line.trim() === marker) fence = undefined
    const heading = fence === undefined ? HEADING.exec(line) : null
    if (heading === null) sections.at(-1)?.lines.push(line)
    else sections.push({ title: withoutClosing(heading[1] ?? ''), lines: [] })
  }
  return sections.flatMap(({ title, lines }) => {
    const body = lines.join('\n').replace(/^\n+/, '').trimEnd()
    if (title !== undefined) return [{ title, body }]
    return body === '' ? [] : [{ title: firstLine(body), body }]
  })
}

/** Removes the closing run of `#`. An expression would backtrack over a long run of spaces. */
function withoutClosing(heading: string): string {
  const text = heading.trim()
  let end = text.length
  while (text.charAt(end - 1) === '#') end--
  const isClosing = end === 0 || /\s/.test(text.charAt(end - 1))
  return isClosing ? text.slice(0, end).trimEnd() : text
}

/** Formats a note as a Markdown document that `splitMarkdown` can parse. */
export function toDocument({ title, body }: Section): string {
  return `# ${title}\n\n${body}\n`
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1)
  return (
    line
      .replace(/^[#>*\-\s]+/, '')
      .slice(0, 100)
      .toWellFormed()
      .trim() || 'Untitled'
  )
}
