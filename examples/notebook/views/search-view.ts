/** The view of `search_notes`: the notes found, each of which opens with a call of `read_note`. */
import { viewDocument } from './view-document.ts'

/** Contents are inserted as text, never as HTML: notes come from models and from imported files. */
export const SEARCH_VIEW = viewDocument({
  name: 'search',
  title: 'Search results',
  styles: `
  ol { margin: 0.75rem 0 0; padding: 0; list-style: none }
  li { padding: 0.5rem 0; border-top: 1px solid var(--color-border-primary, light-dark(#d5d5d5, #4a4a4a)) }
  p { margin: 0 }
  .quiet, #status { color: var(--color-text-secondary, light-dark(#595959, #b3b3b3)) }
  button {
    padding: 0.625rem 0; min-height: 2.75rem; border: 0; background: none; font: inherit; text-align: start;
    font-weight: 600; color: var(--color-text-info, light-dark(#1d4fd7, #8fb2ff)); cursor: pointer;
    text-decoration: underline;
  }
  :focus-visible { outline: 3px solid var(--color-ring-primary, light-dark(#1d4fd7, #8fb2ff)); outline-offset: 2px }
  #text { margin-top: 1rem; white-space: pre-wrap }
`,
  body: `<main>
<p id="status" role="status">…</p>
<ol id="results"></ol>
<article id="note" hidden>
<button type="button" id="back">Back to the results</button>
<h1 tabindex="-1"></h1><p id="tags" class="quiet"></p><p id="text"></p>
</article>
</main>`,
  script: `
  const [status, results, note, back, heading, tags, text] =
    document.querySelectorAll('#status, #results, #note, #back, h1, #tags, #text')
  const element = (name, className, content) =>
    Object.assign(document.createElement(name), { className, textContent: content })
  let opener

  const searching = ({ arguments: args }) => {
    status.textContent = args?.query ? 'Searching for “' + args.query + '”…' : '…'
  }

  const showResults = () => {
    note.hidden = true
    results.hidden = false
  }

  const openNote = async (id, button) => {
    opener = button
    status.textContent = 'Opening…'
    let result
    try {
      result = await callTool('read_note', { id })
    } catch (error) {
      result = { isError: true, content: [{ text: 'The note cannot be opened: ' + error.message }] }
    }
    // Another note was opened, or another search was made, in the meantime.
    if (opener !== button || !button.isConnected) return
    const { structuredContent: info, isError } = result
    status.textContent = isError
      ? lastText(result)
      : info?.nextStart ? 'The beginning of a long note' : ''
    if (isError) return
    heading.textContent = textOf(info?.title)
    tags.textContent = listOf(info?.tags).join(', ')
    text.textContent = lastText(result)
    results.hidden = true
    note.hidden = false
    heading.focus()
  }

  back.addEventListener('click', () => {
    showResults()
    status.textContent = ''
    opener?.focus()
  })

  const itemOf = ({ id, title, tags, snippet }) => {
    const item = document.createElement('li')
    const button = element('button', '', textOf(title))
    button.type = 'button'
    button.addEventListener('click', () => openNote(id, button))
    item.append(button, element('p', 'quiet', listOf(tags).join(', ')), element('p', '', textOf(snippet)))
    return item
  }

  connect({
    'tool-input-partial': searching,
    'tool-input': searching,
    'tool-result': (result) => {
      const { structuredContent: found, isError } = result
      const hits = listOf(found?.results).filter((hit) => typeof hit === 'object' && hit !== null)
      showResults()
      results.replaceChildren(...hits.map(itemOf))
      if (isError) status.textContent = lastText(result)
      else if (hits.length === 0) status.textContent = 'No note matches.'
      else if (hits.length < found.total) status.textContent = hits.length + ' of ' + found.total + ' notes'
      else status.textContent = hits.length === 1 ? '1 note' : hits.length + ' notes'
    },
    'tool-cancelled': () => { status.textContent = 'Cancelled' },
  })
`,
})
