/** The views of tools in the inspector, in a real browser: what the policy blocks, and what the host says of them. */
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { useFixtureServer } from '../../../../test/browser/fixture-server.ts'
import { type Opened, screenshot, useBrowser } from '../../../../test/browser/open-browser.ts'
import { expectAccessible } from '../../../../test/browser/page-checks.ts'
import { HOST_PRESETS, SEEN } from '../../page/views/host-presets.ts'
import { type JsonRpcRequest, useRecordedServers } from './inspector-server.ts'

const browser = useBrowser()
const servers = useRecordedServers()
const fixture = useFixtureServer({ inspect: true })

const SCHEMA = { type: 'object', properties: { title: { type: 'string' } } }
const UI = { resourceUri: 'ui://views/note' }
const RESULT = { content: [{ type: 'text', text: 'Milk' }], structuredContent: { title: 'Milk' } }

interface Served {
  /** The script of the view; its requests and notifications go through `send`. */
  readonly script?: string
  readonly body?: string
  readonly csp?: object
  readonly tool?: object
  readonly result?: object
  /** What the host lacks. */
  readonly lacks?: string
}

const documentOf = ({ script = '', body = '<h1>…</h1>' }: Served) => `<!doctype html>
<html lang="en"><title>Note</title>${body}<script>
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
addEventListener('message', ({ data: { id, method, params } }) => {
  if (id === 1) { send({ method: 'ui/notifications/initialized' }); start() }
  else if (id !== undefined && method) send({ id, result: {} })
  if (method === 'ui/notifications/tool-result') {
    document.querySelector('h1').textContent = params.structuredContent?.title ?? params.content[0].text
  }
})
const initialize = () => send({ id: 1, method: 'ui/initialize', params: {
  protocolVersion: '2026-01-26', appInfo: { name: 'note', version: '1' }, appCapabilities: {},
} })
let start = () => {}
${script.includes('initialize') ? '' : 'initialize()'}
${script}
</script></html>`

/** Serves a tool with a view, and calls it. */
async function show(served: Served) {
  const state = { served }
  const requests: JsonRpcRequest[] = []
  const server = await servers.open({
    resultOf(request) {
      requests.push(request)
      const { csp = {}, tool, result = RESULT } = state.served
      switch (request.method) {
        case 'tools/list': {
          const own = { outputSchema: SCHEMA, _meta: { ui: UI }, ...tool }
          return {
            tools: [
              { name: 'note', ...own },
              { name: 'hidden', _meta: { ui: { visibility: ['model'] } } },
            ],
          }
        }
        case 'resources/read': {
          const text = documentOf(state.served)
          const contents = { uri: UI.resourceUri, mimeType: 'text/html;profile=mcp-app', text }
          return { contents: [{ ...contents, _meta: { ui: { csp } } }] }
        }
        case 'tools/call':
          return result
        default:
          return { capabilities: { tools: {}, resources: {} } }
      }
    },
  })
  const opened = await browser.open({ colorScheme: null })
  await opened.page.goto(`${server.origin}/inspect#/try/tools/note`)
  await opened.page.getByRole('button', { name: 'Call the tool' }).click()
  return { ...opened, server, requests, change: (next: Served) => (state.served = next) }
}

const heading = ({ page }: Pick<Opened, 'page'>) => page.frameLocator('iframe').locator('h1')
const finding = ({ page }: Pick<Opened, 'page'>, text: string) =>
  page.locator('.findings').getByText(text).waitFor()
const shown = (opened: Pick<Opened, 'page'>) => expect.poll(() => heading(opened).textContent())

describe('the view of a tool in the inspector', () => {
  it.each([
    ['desktop', 'light'],
    ['small', 'dark'],
  ] as const)('shows a result on a %s in %s, without a finding', async (device, colorScheme) => {
    const opened = await browser.open({ device, colorScheme })
    const { page } = opened
    await page.goto(new URL('/inspect#/try', fixture.url).href)
    await page.getByRole('link', { name: /^note_view\s*view/ }).click()
    await page.getByRole('textbox', { name: 'title' }).fill('Milk and bread')
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await shown(opened).toBe('Milk and bread')
    expect(await page.locator('.findings').count()).toBe(0)
    await page.getByText('More of the host').click()
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await screenshot(page, `inspector-view-${device}-${colorScheme}`)
    expect(opened.violations).toEqual([])
  })

  it.each<[string, Served, string]>([
    [
      'a request',
      { script: `fetch('https://api.example.com/notes').catch(() => {})` },
      'Blocked https://api.example.com (connect-src): add it to csp.connectDomains of view()',
    ],
    [
      'a script',
      { body: '<h1>…</h1><script src="https://cdn.example.com/a.js"></script>' },
      'Blocked https://cdn.example.com (script-src-elem): add it to csp.resourceDomains of view()',
    ],
    [
      'a frame',
      { body: '<h1>…</h1><iframe src="https://maps.example.com/"></iframe>' },
      'Blocked https://maps.example.com (frame-src): add it to csp.frameDomains of view()',
    ],
    [
      'a relative address',
      { body: '<h1>…</h1><img src="/a.png" alt="">' },
      'a view has no address, so a relative one leads nowhere',
    ],
    ['eval', { script: `try { eval('1') } catch {}` }, 'Blocked eval (script-src)'],
    [
      'the submission of a form',
      { body: '<h1>…</h1><form></form>', script: 'document.forms[0].requestSubmit()' },
      'listen to submit, call preventDefault()',
    ],
    [
      'a module of Node',
      { body: '<h1>…</h1><script type="module">import "node:fs"</script>' },
      'node',
    ],
  ])('is blocked and named as hosts block it: %s', async (_, served, sentence) => {
    const opened = await show(served)
    await finding(opened, sentence)
    await shown(opened).toBe('Milk')
  })

  it('may load what its options allow', async () => {
    const csp = { connectDomains: ['https://api.example.com'] }
    const opened = await show({ csp, script: `fetch('https://api.example.com').catch(() => {})` })
    await shown(opened).toBe('Milk')
    expect(await opened.page.locator('.findings').count()).toBe(0)
  })

  it.each<[string, Served, string]>([
    ['throws at its start', { script: 'initialize; throw new Error("broken")' }, 'broken'],
    ['never connects', { script: '// initialize' }, 'has not sent ui/initialize within 5000 ms'],
    [
      'calls a hidden tool',
      { script: `start = () => send({ id: 2, method: 'tools/call', params: { name: 'hidden' } })` },
      'The view called hidden, which is hidden from views',
    ],
    [
      'asks for a mode that the host lacks',
      {
        script: `start = () => send({ id: 2, method: 'ui/request-display-mode', params: { mode: 'pip' } })`,
        lacks: 'pip',
      },
      'this host has inline, fullscreen',
    ],
    [
      'posts from another frame',
      {
        body: `<h1>…</h1><iframe srcdoc="<script>top.postMessage({ jsonrpc: '2.0', id: 1, method: 'ping' }, '*')</script>"></iframe>`,
      },
      'A frame in the view posted a message',
    ],
    [
      'asks for no mode',
      { script: `start = () => send({ id: 2, method: 'ui/request-display-mode', params: {} })` },
      'mode, one of inline, fullscreen and pip',
    ],
    [
      'has a tool without an output schema',
      { tool: { outputSchema: undefined } },
      'no output schema',
    ],
    ['has a result with its text alone', { result: { content: RESULT.content } }, 'textOf(result)'],
    [
      'has a result that its schema refuses',
      { result: { structuredContent: { title: 1 } } },
      'title',
    ],
  ])('is named with what to do: one that %s', async (_, served, sentence) => {
    const opened = await show(served)
    if (served.lacks !== undefined) {
      await opened.page.getByText('More of the host').click()
      await opened.page.getByLabel(served.lacks).uncheck()
    }
    await finding(opened, sentence)
  })

  it.each<[string, Served, string]>([
    ['5 MB', { body: `<h1>…</h1><!-- ${'x'.repeat(5_000_000)} -->` }, 'shows at most 4.0 MiB'],
    ['an entry that is no origin', { csp: { connectDomains: ['*'] } }, '"*" in _meta.ui.csp'],
  ])('is not shown, and the page says why: %s', async (_, served, sentence) => {
    const { page } = await show(served)
    await page.getByText(sentence).waitFor()
    expect(await page.locator('iframe').count()).toBe(0)
  })

  it('passes calls of the view to the server, and shows what the model reads', async () => {
    const opened = await show({
      script: `start = () => {
        send({ id: 2, method: 'tools/call', params: { name: 'note', arguments: { title: 'of the view' } } })
        send({ id: 3, method: 'ui/message', params: { role: 'user', content: [{ type: 'text', text: 'Hello' }] } })
        send({ id: 4, method: 'ui/update-model-context', params: { structuredContent: { selected: 2 } } })
      }`,
    })
    await opened.page.getByText('Hello', { exact: true }).waitFor()
    await opened.page.getByText('selected').waitFor()
    const calls = opened.requests.filter(({ method }) => method === 'tools/call')
    expect(calls.map(({ params }) => params.arguments)).toEqual([{}, { title: 'of the view' }])
    await expectAccessible(opened.page)
    await screenshot(opened.page, 'inspector-view-said')
  })

  it('is replaced after the server was loaded again with another document', async () => {
    const opened = await show({ body: '<h1>…</h1><p>first</p>' })
    await shown(opened).toBe('Milk')
    await opened.server.stop()
    opened.change({ body: '<h1>…</h1><p>second</p>' })
    await opened.server.start()
    await opened.page.frameLocator('iframe').getByText('second').waitFor()
    await shown(opened).toBe('Milk')
    const calls = opened.requests.filter(({ method }) => method === 'tools/call')
    expect(calls.length).toBe(1)
  })

  it('is replaced as soon as edgeway dev has built it', async () => {
    const opened = await show({ body: '<h1>…</h1><p>first</p>' })
    await shown(opened).toBe('Milk')
    const next = documentOf({ body: '<h1>…</h1><p>second</p>' })
    opened.server.changeView('ui://views/other', documentOf({ body: '<p>of another tool</p>' }))
    opened.server.changeView(UI.resourceUri, next)
    await opened.page.frameLocator('iframe').getByText('second').waitFor()
    await shown(opened).toBe('Milk')
    const reads = opened.requests.filter(({ method }) => method === 'resources/read')
    expect(reads.length).toBe(1)
  })

  it('follows the switches of the host', async () => {
    const opened = await show({
      body: `<style>
        h1 { color: rgb(1, 2, 3) }
        @media (prefers-reduced-motion: reduce) { h1 { color: rgb(4, 5, 6) } }
        @media (prefers-color-scheme: dark) { p { color: rgb(7, 8, 9) } }
      </style><h1>…</h1><p>context</p>`,
      script: `addEventListener('message', ({ data: { method, params } }) => {
        if (method === 'ui/notifications/host-context-changed') document.querySelector('p').textContent = JSON.stringify(params)
      })`,
    })
    const { page } = opened
    await shown(opened).toBe('Milk')
    const frame = page.frameLocator('iframe')
    const color = (name: string) =>
      frame.locator('body').evaluate(`getComputedStyle(document.querySelector('${name}')).color`)
    await page.getByLabel('Theme').selectOption('dark')
    await expect.poll(() => frame.locator('p').textContent()).toBe('{"theme":"dark"}')
    await expect.poll(() => color('p')).toBe('rgb(7, 8, 9)')
    await page.getByRole('slider').fill('320')
    await expect.poll(() => frame.locator('p').textContent()).toContain('"width":320')
    expect(await frame.locator('p').evaluate('innerWidth')).toBe(320)
    await page.getByText('More of the host').click()
    await page.getByLabel(/Reduced motion/).check()
    await expect.poll(() => color('h1')).toBe('rgb(4, 5, 6)')
    await page.getByLabel('Order').selectOption('text')
    await finding(opened, 'some hosts pass on the text alone')
    await page.getByLabel('Host').selectOption('GitHub Copilot app')
    await page.getByText('reads views and shows none').waitFor()
  })

  it('saves its result, and shows saved ones', async () => {
    const { page } = await show({})
    await shown({ page }).toBe('Milk')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the result' }).click(),
    ])
    expect(download.suggestedFilename()).toBe('note.results.json')
    const saved = JSON.parse(await text(await download.createReadStream()))
    expect(saved).toEqual([{ name: 'note', tool: 'note', arguments: {}, result: RESULT }])
    const other = { ...saved[0], name: 'bread', result: { structuredContent: { title: 'Bread' } } }
    const open = (file: string) =>
      page.getByLabel('Open results').setInputFiles({
        name: 'note.results.json',
        mimeType: 'application/json',
        buffer: Buffer.from(file),
      })
    await open(JSON.stringify([...saved, other]))
    await page.getByLabel('Saved result').selectOption('bread')
    await shown({ page }).toBe('Bread')
    await open('{}')
    await page.getByText('The file must be a list of results').waitFor()
  })
})

describe('a preset of a host', () => {
  const guide = readFileSync('docs/guides/apps.md', 'utf8')

  it.each(HOST_PRESETS)('is in the dated table of the guide with its source: $title', (preset) => {
    const day = new Date(SEEN).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
    expect(guide).toContain(`As documented on ${day}`)
    expect(guide).toContain(`](${preset.source})`)
    for (const name of preset.title.split(', ')) expect(guide).toContain(name)
  })
})
