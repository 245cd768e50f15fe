/** One page per name that telemetry or an error reports, from the tables of `docs/reference/reasons.md`. */

export interface Page {
  /** Path of the page in the site. */
  readonly path: string
  readonly text: string
}

interface Entry {
  readonly section: string
  /** What the section says about its names. */
  readonly about: string
  readonly columns: readonly string[]
  readonly cells: readonly string[]
}

const cellsOf = (row: string) =>
  row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())

/** The name in the first column, without its code marks. */
const nameOf = ({ cells }: Entry) => (cells[0] ?? '').replaceAll('`', '')

function entriesOf(section: string): readonly Entry[] {
  const [title = '', about = ''] = section.split(/\n+/)
  const [head = '', , ...rows] = section.split('\n').filter((line) => line.startsWith('|'))
  const columns = cellsOf(head)
  return rows.map((row) => ({ section: title, about, columns, cells: cellsOf(row) }))
}

function describe({ section, about, columns, cells }: Entry): string {
  const lines = columns.flatMap((column, index) =>
    column === 'name' || column === 'meaning' || column === 'what to do'
      ? []
      : [`- ${column}: ${cells[index]}`],
  )
  const cell = (name: string) => cells[columns.indexOf(name)] ?? ''
  // The pages of names are a folder deeper than the page they come from.
  const links = (text: string) => text.replaceAll('](../', '](../../')
  return links(`## ${section}

${about}

**Cause.** ${cell('meaning')}

**Cure.** ${cell('what to do')}
${lines.length === 0 ? '' : `\n${lines.join('\n')}\n`}`)
}

/** A name that several tables have, such as `invalid_token`, has one page with all of its meanings. */
export function errorPages(reasons: string): readonly Page[] {
  const [, ...sections] = reasons.split(/^## /m)
  const byName = Map.groupBy(sections.flatMap(entriesOf), nameOf)
  return [...byName].map(([name, entries]) => ({
    path: `reference/errors/${name}.md`,
    text: `# ${name}\n\n${entries.map(describe).join('\n')}`,
  }))
}
