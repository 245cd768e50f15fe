/** The views of `search_notes` and `read_note`: documents without a library, with the messages of the host that both share. */

interface ViewParts {
  /** The name of the view in its handshake. */
  readonly name: string
  readonly title: string
  readonly styles: string
  readonly body: string
  /**
   * The script of this view. It calls `connect(handlers)` with a handler for each notification that it
   * reads, such as `tool-result`, and may call tools with `callTool(name, args)`. `textOf`, `listOf` and
   * `lastText` read members of a result, which may be of any type.
   */
  readonly script: string
}

/** The parts are texts of the author: nothing of a call belongs into them. */
export function viewDocument({ name, title, styles, body, script }: ViewParts): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLES}${styles}</style>
${body}
<script>${messagesOf(name)}${script}</script>
</html>
`
}

const STYLES = `
  :root { color-scheme: light dark }
  body {
    margin: 0; padding: 1rem; overflow-wrap: anywhere; line-height: 1.5;
    font-family: var(--font-sans, system-ui, sans-serif);
    color: var(--color-text-primary, light-dark(#1a1a1a, #f2f2f2));
    background: var(--color-background-primary, light-dark(#ffffff, #1e1e1e));
  }
  h1 { margin: 0; font-size: 1.25rem }
`

/** Reads messages of the parent alone: any other window can send some as well. */
const messagesOf = (name: string) => `
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const pending = new Map()
  let requests = 0
  const request = (method, params) => new Promise((resolve, reject) => {
    const id = ++requests
    pending.set(id, { resolve, reject })
    send({ id, method, params })
  })
  const callTool = (name, args) => request('tools/call', { name, arguments: args })
  const textOf = (value) => typeof value === 'string' ? value : ''
  const listOf = (value) => Array.isArray(value) ? value : []
  const lastText = ({ content }) => textOf(listOf(content).at(-1)?.text)
  const apply = ({ theme, styles } = {}) => {
    if (theme) document.documentElement.style.colorScheme = theme
    for (const [name, value] of Object.entries(styles?.variables ?? {})) {
      if (value) document.documentElement.style.setProperty(name, value)
    }
  }
  const reportHeight = () => send({
    method: 'ui/notifications/size-changed',
    params: { height: Math.ceil(document.body.offsetHeight) },
  })
  const connect = async (handlers) => {
    const all = { 'host-context-changed': apply, ...handlers }
    addEventListener('message', ({ source, data }) => {
      if (source !== parent || data?.jsonrpc !== '2.0') return
      const { id, method, params = {}, result, error } = data
      if (method === undefined) {
        const { resolve, reject } = pending.get(id) ?? {}
        pending.delete(id)
        if (error) reject?.(new Error(error.message))
        else resolve?.(result)
      } else if (id === undefined) {
        const notification = String(method).replace('ui/notifications/', '')
        if (Object.hasOwn(all, notification)) all[notification](params)
      } else if (method === 'ping' || method === 'ui/resource-teardown') {
        send({ id, result: {} })
      } else {
        send({ id, error: { code: -32601, message: 'Method not found' } })
      }
    })
    const { hostContext } = await request('ui/initialize', {
      protocolVersion: '2026-01-26',
      appInfo: { name: '${name}', version: '1.0.0' },
      appCapabilities: {},
    })
    apply(hostContext)
    send({ method: 'ui/notifications/initialized' })
    new ResizeObserver(reportHeight).observe(document.body)
  }
`

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
