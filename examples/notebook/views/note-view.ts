/** The view of `read_note`: the title, the tags and the text of a note, without a library. */
import { viewDocument } from './view-document.ts'

/** Contents are inserted as text, never as HTML: notes come from models and from imported files. */
export const NOTE_VIEW = viewDocument({
  name: 'note',
  title: 'Note',
  styles: `
  #tags { margin: 0; color: var(--color-text-secondary, light-dark(#595959, #b3b3b3)) }
  #text { margin: 1rem 0 0; white-space: pre-wrap }
`,
  body: '<article aria-live="polite"><h1>…</h1><p id="tags"></p><p id="text"></p></article>',
  script: `
  const [heading, tags, text] = document.querySelectorAll('h1, #tags, #text')
  connect({
    'tool-result': (result) => {
      const { structuredContent, isError } = result
      heading.textContent = isError ? 'Not found' : textOf(structuredContent?.title)
      tags.textContent = listOf(structuredContent?.tags).join(', ')
      text.textContent = lastText(result)
    },
    'tool-cancelled': () => { heading.textContent = 'Cancelled' },
  })
`,
})
