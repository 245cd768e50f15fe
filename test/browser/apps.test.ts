/** The view of a tool in a real browser, in a host that the official bridge drives. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { note } from '../../examples/notebook/views.generated.ts'
import { verifies } from '../support/verifies.ts'
import { type AppHost, startAppHost } from './app-host.ts'
import { useFixtureServer } from './fixture-server.ts'
import { type Opened, screenshot, useBrowser } from './open-browser.ts'

const HOSTILE = `</h1><img src=x onerror="parent.postMessage('hacked','*');document.title='hacked'"><script>document.title='hacked'</script>`

const browser = useBrowser()
const server = useFixtureServer()
let host: AppHost

/** Sends a request of the modern revision and returns its result. */
async function request(method: string, params: Readonly<Record<string, unknown>>) {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.uri),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'host', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary members of the wire form
  const { result } = (await response.json()) as any
  return result
}

beforeAll(async () => {
  const { contents } = await request('resources/read', { uri: 'ui://probe/note' })
  host = await startAppHost(contents[0].text)
})

afterAll(async () => {
  await host?.stop()
})

const heading = ({ page }: Opened) => page.frameLocator('iframe').getByRole('heading')
const send = ({ page }: Opened, member: string, params: unknown) =>
  page.evaluate(`bridge.${member}(${JSON.stringify(params)})`)

/** Calls the tool and passes arguments and result to the view, as a host does. */
async function show(opened: Opened, title: string): Promise<void> {
  await send(opened, 'sendToolInput', { arguments: { title } })
  const result = await request('tools/call', { name: 'note_view', arguments: { title } })
  await send(opened, 'sendToolResult', result)
}

describe('the view of the notebook in the official host bridge', () => {
  it('shows a note as text, also a hostile one', async () => {
    const notebook = await startAppHost(String(note.html))
    try {
      const opened = await browser.open({ device: 'phone' })
      await notebook.start(opened.page, { theme: 'dark' })
      await send(opened, 'sendToolResult', {
        content: [
          { type: 'text', text: 'summary' },
          { type: 'text', text: `Milk\n${HOSTILE}` },
        ],
        structuredContent: { title: HOSTILE, tags: ['home', '<b>'] },
      })
      await expect.poll(() => heading(opened).textContent()).toBe(HOSTILE)
      const frame = opened.page.frameLocator('iframe')
      expect(await frame.locator('#text').textContent()).toBe(`Milk\n${HOSTILE}`)
      expect(await frame.locator('#tags').textContent()).toBe('home, <b>')
      expect(await frame.locator('img').count()).toBe(0)
      expect(opened.violations).toEqual([])
      await screenshot(opened.page, 'app-notebook-phone-dark')
    } finally {
      await notebook.stop()
    }
  })
})

describe('the view of note_view in the official host bridge', () => {
  it('shows the title of the arguments, and then that of the result', async () => {
    verifies('apps/view-declares-its-capabilities')
    const opened = await browser.open()
    await host.start(opened.page)
    await send(opened, 'sendToolInput', { arguments: { title: 'Groceries' } })
    await expect.poll(() => heading(opened).textContent()).toBe('Groceries')
    const result = await request('tools/call', {
      name: 'note_view',
      arguments: { title: 'Milk and bread' },
    })
    await send(opened, 'sendToolResult', result)
    await expect.poll(() => heading(opened).textContent()).toBe('Milk and bread')
    expect(opened.violations).toEqual([])
  })

  it('shows a hostile title as text, which runs nothing and sends nothing', async () => {
    const opened = await browser.open()
    await host.start(opened.page)
    await opened.page.evaluate(
      `window.hacked = 0; addEventListener('message', ({ data }) => { if (data === 'hacked') hacked++ })`,
    )
    await show(opened, HOSTILE)
    await expect.poll(() => heading(opened).textContent()).toBe(HOSTILE)
    const frame = opened.page.frameLocator('iframe')
    expect(await frame.locator('img').count()).toBe(0)
    expect(await frame.locator('body').evaluate('document.title')).toBe('Note')
    expect(await opened.page.evaluate('hacked')).toBe(0)
  })

  it('shows partial arguments, and again all of it after a reload', async () => {
    const opened = await browser.open()
    await host.start(opened.page)
    for (const turn of ['first', 'second']) {
      await send(opened, 'sendToolInputPartial', { arguments: { title: `Gro ${turn}` } })
      await expect.poll(() => heading(opened).textContent()).toBe(`Gro ${turn}`)
      await send(opened, 'sendToolInputPartial', { arguments: {} })
      await show(opened, `Groceries ${turn}`)
      await expect.poll(() => heading(opened).textContent()).toBe(`Groceries ${turn}`)
      if (turn === 'first') await opened.page.evaluate('reload()')
    }
    await opened.page.evaluate('reload()')
    expect(await heading(opened).textContent()).toBe('…')
    expect(opened.violations).toEqual([])
  })

  it('says that the call was cancelled', async () => {
    const opened = await browser.open()
    await host.start(opened.page)
    await send(opened, 'sendToolCancelled', { reason: 'by the person' })
    await expect.poll(() => heading(opened).textContent()).toBe('Cancelled')
  })

  it('ignores messages of other windows', async () => {
    const opened = await browser.open()
    await host.start(opened.page)
    await show(opened, 'Groceries')
    const other = {
      jsonrpc: '2.0',
      method: 'ui/notifications/tool-input',
      params: { arguments: { title: 'forged' } },
    }
    // A frame beside the view sends it.
    await opened.page.evaluate(`new Promise((resolve) => {
      const view = document.querySelector('iframe')
      const frame = document.body.appendChild(document.createElement('iframe'))
      const script = frame.contentDocument.createElement('script')
      script.textContent = 'parent.frames[0].postMessage(${JSON.stringify(other)}, "*")'
      frame.contentDocument.body.append(script)
      setTimeout(resolve, 200)
    })`)
    expect(
      await opened.page.frameLocator('iframe >> nth=0').getByRole('heading').textContent(),
    ).toBe('Groceries')
  })

  it('answers the teardown', async () => {
    const opened = await browser.open()
    await host.start(opened.page)
    expect(await send(opened, 'teardownResource', {})).toEqual({})
  })

  it.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(30, 30, 30)'],
  ] as const)('has the %s theme of the host, on a phone too', async (theme, color) => {
    for (const device of ['desktop', 'phone'] as const) {
      const opened = await browser.open({
        device,
        colorScheme: theme === 'dark' ? 'light' : 'dark',
      })
      await host.start(opened.page, { theme })
      await show(opened, 'A long title without a break: '.padEnd(200, 'x'))
      await expect.poll(() => heading(opened).textContent()).toContain('xxx')
      const body = opened.page.frameLocator('iframe').locator('body')
      expect(await body.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(color)
      expect(await body.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await screenshot(opened.page, `app-note-${device}-${theme}`)
    }
  })

  it('follows a change of the theme and of the variables of the host', async () => {
    const opened = await browser.open()
    await host.start(opened.page, { theme: 'light' })
    await show(opened, 'Groceries')
    await send(opened, 'setHostContext', {
      theme: 'dark',
      styles: { variables: { '--color-background-primary': 'light-dark(#fff, rgb(1, 2, 3))' } },
    })
    const body = opened.page.frameLocator('iframe').locator('body')
    await expect
      .poll(() => body.evaluate('getComputedStyle(document.body).backgroundColor'))
      .toBe('rgb(1, 2, 3)')
  })
})
