/** A page of the documentation and its sections, which the build makes of a Markdown file. */

export interface Section {
  /** The anchor of its heading, as a browser shows it. Empty for the text before the first heading. */
  readonly anchor: string
  /** Its heading, after those that it is under: the title of the page first. */
  readonly titles: readonly string[]
  /** Its Markdown, from its heading to the next one of any level. */
  readonly text: string
}

export interface Page {
  /** Its path in `docs/` without `.md`, such as `guides/tools`. */
  readonly path: string
  readonly title: string
  readonly sections: readonly Section[]
}

/** A block of code, in which a line with `#` is no heading; or a heading. */
const CODE_OR_HEADING = /^```[\s\S]*?^```|^(#{1,6}) (.+)$/gm

/** They declare what a code block assumes, for the test that compiles it. */
const COMMENT = /^<!--[\s\S]*?-->\n/gm

/** @throws {Error} if the file does not begin with a title */
export function parsePage(path: string, markdown: string): Page {
  const source = markdown.replace(COMMENT, '')
  const headings = [...source.matchAll(CODE_OR_HEADING)].filter(([, level]) => level !== undefined)
  if (headings[0]?.index !== 0) throw new Error(`${path}.md does not begin with a title`)
  const anchors = new Map<string, number>()
  const above: string[] = []
  const sections = headings.map(({ 1: level = '', 2: heading = '', index }, place) => {
    const text = source.slice(index, headings[place + 1]?.index).trim()
    above.splice(level.length - 1, Infinity, textOf(heading))
    return { anchor: place === 0 ? '' : anchorOf(heading, anchors), titles: [...above], text }
  })
  return { path, title: sections[0]?.titles[0] ?? path, sections }
}

/** A heading without marks of code, emphasis and links. */
const textOf = (heading: string) =>
  heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')

/** The anchor that GitHub and the site give a heading. A repeated one gets a number. */
function anchorOf(heading: string, given: Map<string, number>): string {
  const anchor = textOf(heading)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-')
  const count = given.get(anchor) ?? 0
  given.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}

/** The whole text of a page. */
export const textOfPage = ({ sections }: Page) => sections.map(({ text }) => text).join('\n\n')
