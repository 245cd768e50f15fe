/** Parses a page into its elements, in document order, with the text of each. */

export interface PageElement {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  /** The text of the element and its descendants, with entities unresolved. */
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

/** The tags and attribute names of a page, which untrusted text must not change. */
export function shapeOf(elements: readonly PageElement[]): readonly string[] {
  return elements.map(({ tag, attributes }) => [tag, ...Object.keys(attributes)].join(' '))
}

/** Splits the elements at each element of a tag. */
export function partsOf(elements: readonly PageElement[], tag: string): PageElement[][] {
  const starts = elements.flatMap((element, index) => (element.tag === tag ? [index] : []))
  return starts.map((start, index) => elements.slice(start, starts[index + 1]))
}

/** The fields and buttons of a form, with the values that a browser sends. */
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
