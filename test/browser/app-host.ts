/** A host of MCP Apps, built with the official bridge: a page whose frame shows a view from another origin. */
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { listen } from './client-app.ts'

/** What the page does for the test. The view is in a frame without an origin of its own. */
const SCRIPT = `
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'

window.start = async (url, hostContext) => {
  const frame = document.createElement('iframe')
  frame.sandbox = 'allow-scripts allow-forms'
  document.body.replaceChildren(frame)
  const bridge = new AppBridge(null, { name: 'host', version: '1.0.0' }, { serverTools: {} }, { hostContext })
  const initialized = new Promise((resolve) => { bridge.oninitialized = resolve })
  bridge.oncalltool = (params) => window.callTool(params)
  bridge.onsizechange = ({ height }) => { frame.style.height = height + 'px' }
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  frame.src = url
  await initialized
  window.bridge = bridge
  window.reload = async () => {
    const again = new Promise((resolve) => { bridge.oninitialized = resolve })
    frame.src = url
    await again
  }
}
`

/** The policy of a view without one of its own, as the specification gives it. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; object-src 'none'"

/** Answers the calls of the view. */
export type CallTool = (params: {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>>
}) => unknown

const NO_TOOLS: CallTool = ({ name }) => {
  throw new Error(`No tool ${name}`)
}

export interface AppHost {
  /** Shows the view in the page and resolves when the view has initialized. */
  start(page: Page, hostContext?: object, callTool?: CallTool): Promise<void>
  stop(): Promise<void>
}

export async function startAppHost(view: string): Promise<AppHost> {
  const { outputFiles } = await build({
    stdin: { contents: SCRIPT, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'esm',
  })
  const script = outputFiles[0]?.text ?? ''
  const html = { 'content-type': 'text/html; charset=utf-8' }
  const sandbox = await listen((_, response) =>
    response.writeHead(200, { ...html, 'content-security-policy': POLICY }).end(view),
  )
  const host = await listen((request, response) => {
    if (request.url === '/host.js') {
      response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(script)
    } else {
      const page =
        '<!doctype html><meta name="viewport" content="width=device-width"><title>Host</title><style>iframe { width: 100%; border: 0 }</style><script type="module" src="/host.js"></script>'
      response.writeHead(200, html).end(page)
    }
  })
  return {
    async start(page, hostContext = {}, callTool = NO_TOOLS) {
      await page.exposeFunction('callTool', callTool)
      await page.goto(host.url)
      await page.waitForFunction('window.start')
      await page.evaluate(`start(${JSON.stringify(sandbox.url)}, ${JSON.stringify(hostContext)})`)
    },
    async stop() {
      await host.stop()
      await sandbox.stop()
    },
  }
}
