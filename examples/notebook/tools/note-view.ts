/** The view of `read_note`: the title, the tags and the text of a note, without a library. */

/** Contents are inserted as text, never as HTML: notes come from models and from imported files. */
export const NOTE_VIEW = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Note</title>
<style>
  :root { color-scheme: light dark }
  body {
    margin: 0; padding: 1rem; overflow-wrap: anywhere; line-height: 1.5;
    font-family: var(--font-sans, system-ui, sans-serif);
    color: var(--color-text-primary, light-dark(#1a1a1a, #f2f2f2));
    background: var(--color-background-primary, light-dark(#ffffff, #1e1e1e));
  }
  h1 { margin: 0; font-size: 1.25rem }
  #tags { margin: 0; color: var(--color-text-secondary, light-dark(#595959, #b3b3b3)) }
  #text { margin: 1rem 0 0; white-space: pre-wrap }
</style>
<article aria-live="polite"><h1>…</h1><p id="tags"></p><p id="text"></p></article>
<script>
  const [heading, tags, text] = document.querySelectorAll('h1, #tags, #text')
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const apply = ({ theme, styles } = {}) => {
    if (theme) document.documentElement.style.colorScheme = theme
    for (const [name, value] of Object.entries(styles?.variables ?? {})) {
      if (value) document.documentElement.style.setProperty(name, value)
    }
  }
  const handlers = {
    'ui/notifications/tool-result': ({ content, structuredContent, isError }) => {
      heading.textContent = isError ? 'Not found' : structuredContent?.title ?? ''
      tags.textContent = structuredContent?.tags?.join(', ') ?? ''
      text.textContent = content?.at(-1)?.text ?? ''
    },
    'ui/notifications/tool-cancelled': () => { heading.textContent = 'Cancelled' },
    'ui/notifications/host-context-changed': apply,
  }
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || data?.jsonrpc !== '2.0') return
    if (data.method === undefined) {
      if (data.id !== 1 || !data.result) return
      apply(data.result.hostContext)
      send({ method: 'ui/notifications/initialized' })
      new ResizeObserver(() => send({
        method: 'ui/notifications/size-changed',
        params: { height: Math.ceil(document.body.offsetHeight) },
      })).observe(document.body)
    } else if (data.id === undefined) {
      if (Object.hasOwn(handlers, data.method)) handlers[data.method](data.params ?? {})
    } else if (data.method === 'ping' || data.method === 'ui/resource-teardown') {
      send({ id: data.id, result: {} })
    } else {
      send({ id: data.id, error: { code: -32601, message: 'Method not found' } })
    }
  })
  send({
    id: 1,
    method: 'ui/initialize',
    params: {
      protocolVersion: '2026-01-26',
      appInfo: { name: 'notebook', version: '1.0.0' },
      appCapabilities: {},
    },
  })
</script>
</html>
`
