/** A page as a parser sees it: its elements in their order, and the text of each. */

export interface PageElement {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  /** Its own text and that of what is in it, with the entities as they are written. */
  text: string
}

export async function readPage(response: Response): Promise<readonly PageElement[]> {
  const elements: PageElement[] = []
  const open: PageElement[] = []
  await new HTMLRewriter()
    .on('*', {
      element(element) {
        const attributes = Object.fromEntries(element.attributes)
        const found: PageElement = { tag: element.tagName, attributes, text: '' }
        elements.push(found)
        if (VOID.has(found.tag)) return
        open.push(found)
        element.onEndTag(() => {
          open.splice(open.indexOf(found))
        })
      },
      text({ text }) {
        for (const element of open) element.text += text
      },
    })
    .transform(response)
    .arrayBuffer()
  return elements
}

const VOID = new Set(['meta', 'input', 'br', 'link', 'base', 'hr', 'img'])

/** Tags and names of attributes: what text from outside must not be able to change. */
export function shapeOf(elements: readonly PageElement[]): readonly string[] {
  return elements.map(({ tag, attributes }) => [tag, ...Object.keys(attributes)].join(' '))
}

/** The elements from one of a tag up to the next of it. */
export function partsOf(elements: readonly PageElement[], tag: string): PageElement[][] {
  const starts = elements.flatMap((element, index) => (element.tag === tag ? [index] : []))
  return starts.map((start, index) => elements.slice(start, starts[index + 1]))
}

/** Fields and buttons of a form, as they would be sent. */
export function controlsOf(form: readonly PageElement[]) {
  return form
    .filter(({ tag }) => tag === 'input' || tag === 'button')
    .map(({ tag, attributes: { type, name, value }, text }) =>
      [tag, type, name, tag === 'button' ? `${value ?? ''} "${text}"` : value]
        .filter((part) => part !== undefined)
        .join(' ')
        .trim(),
    )
}
