/** The document of a view, with the part of its script that all views share: the messages of the host. */

export interface ViewParts {
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

/** The policy of every view: all that it needs is in its document. */
export const NO_OTHER_ORIGIN = { connectDomains: [], resourceDomains: [] }

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
