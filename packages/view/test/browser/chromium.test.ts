/** A view with hooks in a real browser, in a host that the official bridge drives. */
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AppHost, startAppHost } from '../../../../test/browser/app-host.ts'
import { type Opened, useBrowser } from '../../../../test/browser/open-browser.ts'

/** Both libraries show the same view. */
const SCRIPT = `
import { h, render } from 'preact'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { flushSync } from 'react-dom'
import { connectView, textOf } from '../../src/index.ts'
import { useView as usePreactView } from '../../src/preact.ts'
import { useView as useReactView } from '../../src/react.ts'

const view = connectView({ name: 'both' })
window.view = view
const textOfState = ({ tool, host }) =>
  [tool.status, tool.arguments?.title, tool.result && textOf(tool.result), host.theme].join(' ')
const Preact = () => h('p', null, textOfState(usePreactView(view)))
const React = () => createElement('p', null, textOfState(useReactView(view)))
render(h(Preact), document.getElementById('preact'))
flushSync(() => createRoot(document.getElementById('react')).render(createElement(React)))
`

const browser = useBrowser()
let host: AppHost

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: SCRIPT, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const html = `<!doctype html><html lang="en"><title>Both</title><div id="preact"></div><div id="react"></div><script type="module">${outputFiles[0]?.text}</script></html>`
  host = await startAppHost(html)
})

afterAll(async () => {
  await host?.stop()
})

const send = ({ page }: Opened, member: string, params: unknown) =>
  page.evaluate(`bridge.${member}(${JSON.stringify(params)})`)

const shown = async ({ page }: Opened) => {
  const frame = page.frameLocator('iframe >> nth=0')
  return [await frame.locator('#preact').textContent(), await frame.locator('#react').textContent()]
}

describe('a view with hooks in the official host in Chromium', () => {
  it('renders each state of the call with Preact and with React', async () => {
    const opened = await browser.open()
    await host.start(opened.page, { theme: 'dark' })
    const both = (text: string) => expect.poll(() => shown(opened)).toEqual([text, text])
    await both('waiting   dark')
    await send(opened, 'sendToolInput', { arguments: { title: 'Milk' } })
    await both('running Milk  dark')
    await send(opened, 'sendToolResult', { content: [{ type: 'text', text: 'Two litres' }] })
    await both('done Milk Two litres dark')
    await send(opened, 'sendHostContextChange', { theme: 'light' })
    await both('done Milk Two litres light')
    expect(opened.violations).toEqual([])
  })

  it('calls tools, and reports the height of its content', async () => {
    const opened = await browser.open()
    await host.start(opened.page, {}, ({ name }) => ({ content: [{ type: 'text', text: name }] }))
    const frame = opened.page.frameLocator('iframe').locator('body')
    expect(
      await frame.evaluate(`view.callTool('list').then(({ content }) => content[0].text)`),
    ).toBe('list')
    const height = () => opened.page.evaluate('document.querySelector("iframe").offsetHeight')
    await frame.evaluate(
      `document.body.style.cssText = 'margin: 0; display: flow-root; height: 437px'`,
    )
    await expect.poll(height).toBe(437)
    await frame.evaluate(
      `document.body.style.cssText = 'margin: 0; display: flow-root; height: 91px'`,
    )
    await expect.poll(height).toBe(91)
  })

  it('takes no message of a frame beside it', async () => {
    const opened = await browser.open()
    await host.start(opened.page)
    const forged = {
      jsonrpc: '2.0',
      method: 'ui/notifications/tool-input',
      params: { arguments: { title: 'forged' } },
    }
    await opened.page.evaluate(`new Promise((resolve) => {
      const view = document.querySelector('iframe')
      const other = document.body.appendChild(document.createElement('iframe'))
      other.contentWindow.eval('parent.frames[0].postMessage(' + ${JSON.stringify(JSON.stringify(forged))} + ', "*")')
      setTimeout(resolve, 100)
    })`)
    expect(await shown(opened)).toEqual(['waiting   ', 'waiting   '])
  })
})
