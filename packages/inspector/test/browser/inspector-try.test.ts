/** The client of the inspector in a real browser, against the fixture servers. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useFixtureServer } from '../../../../test/browser/fixture-server.ts'
import { screenshot, useBrowser } from '../../../../test/browser/open-browser.ts'
import { expectAccessible } from '../../../../test/browser/page-checks.ts'
import { startFixtureServer } from '../../../../test/support/node/fixture-server.ts'

const browser = useBrowser()
const server = useFixtureServer({ inspect: true })

const at = (path: string, url = server.url) => new URL(path, url).href

const openTool = async (page: Page, name: string) => {
  await page.goto(at(`/inspect#/try/tools/${name}`))
  await page.getByRole('heading', { level: 2, name }).waitFor()
}

const call = (page: Page) => page.getByRole('button', { name: 'Call the tool' }).click()

const status = (page: Page, text: string | RegExp) =>
  page
    .getByRole('region', { name: 'Result' })
    .getByRole('status')
    .filter({ hasText: text })
    .waitFor()

describe('a tool of the inspector', () => {
  it.each([
    ['desktop', 'light'],
    ['small', 'dark'],
  ] as const)('is called from a form on a %s in %s', async (device, colorScheme) => {
    const { page, violations } = await browser.open({ device, colorScheme })
    await page.goto(at('/inspect#/try'))
    await page.getByRole('link', { name: /^echo/ }).waitFor()
    await screenshot(page, `inspector-try-${device}-${colorScheme}`)
    await openTool(page, 'mirrored')
    await page.getByLabel('region').fill('eu – west')
    await page.getByLabel('level').fill('2')
    await call(page)
    await status(page, 'Done')
    await page.getByRole('heading', { name: 'Structured content' }).waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await screenshot(page, `inspector-call-${device}-${colorScheme}`)
    expect(violations).toEqual([])
  })

  it('is called and its question is answered with the keyboard alone', async () => {
    const { page } = await browser.open()
    await page.goto(at('/inspect'))
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: 'Try it' })
      .focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: /^ask_count/ }).waitFor()
    await page.getByLabel('Search').focus()
    await page.keyboard.type('ask_count')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('ask_count')
    await page.keyboard.press('Tab')
    await page.keyboard.type('keyboard')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await expect
      .poll(() => page.evaluate('document.activeElement.textContent'))
      .toContain('The server asks you')
    await expectAccessible(page)
    await screenshot(page, 'inspector-elicitation')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await status(page, 'Done')
    await page.getByText('"accept"').first().waitFor()
  })

  it('asks several questions at once, each with a form', async () => {
    const { page } = await browser.open()
    await openTool(page, 'ask_together')
    await call(page)
    await status(page, 'The server asks 2 things')
    await page.getByLabel('left').fill('L')
    await page.getByRole('button', { name: 'Accept' }).first().click()
    await page.getByLabel('right').fill('R')
    await page.getByRole('button', { name: 'Accept' }).click()
    await status(page, 'Done')
    await page.getByText('L R', { exact: true }).waitFor()
  })

  it('shows the address of a URL elicitation, and opens nothing when it is declined', async () => {
    const { context, page } = await browser.open()
    await openTool(page, 'ask_url')
    await call(page)
    await page.getByText('https://example.com/form', { exact: true }).waitFor()
    await expectAccessible(page)
    await screenshot(page, 'inspector-url-elicitation')
    await page.getByRole('button', { name: 'Decline' }).click()
    await status(page, 'Done')
    await page.getByText('decline').first().waitFor()
    expect(context.pages()).toHaveLength(1)
  })

  it('lets a person answer sampling and roots', async () => {
    const { page } = await browser.open()
    await openTool(page, 'sample_once')
    await page.getByRole('textbox', { name: 'prompt' }).fill('Say hello')
    await call(page)
    await page.getByLabel('Answer of the model').fill('hello')
    await page.getByRole('button', { name: 'Answer' }).click()
    await status(page, 'Done')
    await openTool(page, 'list_roots')
    await call(page)
    await page.getByLabel('Roots').fill('file:///home/example')
    await page.getByRole('button', { name: 'Answer' }).click()
    await page.getByText('file:///home/example').first().waitFor()
  })

  it.each([
    ['sample_once', 'prompt', 'Refuse and end the call'],
    ['ask_count', 'name', 'Cancel the call'],
  ])('%s with a %s ends without an answer by the button %s', async (name, argument, button) => {
    const { page } = await browser.open()
    await openTool(page, name)
    await page.getByRole('textbox', { name: argument }).fill('refused')
    await call(page)
    await page.getByRole('button', { name: button }).click()
    await status(page, 'Cancelled')
    expect(await page.getByRole('heading', { name: /The server asks/ }).count()).toBe(0)
    await call(page)
    await page.getByRole('heading', { name: /The server asks/ }).waitFor()
  })

  it('shows progress while it runs, and can be cancelled', async () => {
    const { page } = await browser.open()
    await openTool(page, 'progress')
    await page.getByLabel('count').fill('1000')
    await page.getByLabel('gapMs').fill('50')
    await call(page)
    await page.getByText(/^\d+ of 1000/).waitFor()
    await page.getByRole('button', { name: 'Cancel the call' }).click()
    await status(page, 'Cancelled')
  })

  it('marks an invalid argument and does not send it', async () => {
    const { page } = await browser.open()
    await openTool(page, 'slow')
    await page.getByLabel('ms').fill('70000')
    await call(page)
    await page.getByText('Must be at most 60000').waitFor()
    expect(await page.getByLabel('ms').getAttribute('aria-invalid')).toBe('true')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    await page.getByLabel('JSON').fill('{"ms": -1}')
    await call(page)
    await status(page, /Failed|error/)
  })
})

describe('a call that becomes a task', () => {
  const task = (page: Page) => page.getByRole('region', { name: 'Task' })

  it.each([
    ['phone', 'light'],
    ['desktop', 'dark'],
  ] as const)('shows its state and its question on a %s in %s', async (device, colorScheme) => {
    const { page, violations } = await browser.open({ device, colorScheme })
    await openTool(page, 'confirm_delete')
    await page.getByLabel('filename').fill('notes.txt')
    await call(page)
    await status(page, 'The server asks')
    await task(page).getByText('input_required').waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await screenshot(page, `inspector-task-${device}-${colorScheme}`)
    await page.getByLabel('confirm').selectOption('true')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('notes.txt is deleted.').first().waitFor()
    await task(page).getByText('completed').waitFor()
    expect(await page.getByRole('button', { name: 'Cancel the task' }).count()).toBe(0)
    expect(violations).toEqual([])
  })

  it('is cancelled by its button, and continues when the page shows another tool', async () => {
    const { page } = await browser.open()
    const begin = async () => {
      await openTool(page, 'sleep_step')
      await page.getByLabel('name').fill('inspected')
      await page.getByLabel('ms').fill('86400000')
      await call(page)
      await task(page).getByText('working').waitFor()
      return (await task(page).locator('.task-id .code').textContent()) ?? ''
    }
    const left = await begin()
    await page.getByRole('button', { name: 'Close' }).click()
    const cancelled = await begin()
    await page.getByRole('button', { name: 'Cancel the task' }).click()
    await status(page, 'Cancelled')
    await task(page).getByText('cancelled', { exact: true }).waitFor()
    expect([await statusOfTask(left), await statusOfTask(cancelled)]).toEqual([
      'working',
      'cancelled',
    ])
  })

  it('shows the error with which it fails', async () => {
    const { page } = await browser.open()
    await openTool(page, 'protocol_error_job')
    await call(page)
    await status(page, 'Failed')
    await page.getByText('The task failed').waitFor()
    await page.getByText('The job has broken down').first().waitFor()
  })
})

describe('a prompt of the inspector', () => {
  const open = async (page: Page, name: string) => {
    await page.goto(at(`/inspect#/try/prompts/${name}`))
    await page.getByRole('heading', { level: 2, name }).waitFor()
  }
  const submit = (page: Page) => page.getByRole('button', { name: 'Get the prompt' }).click()

  it('is requested with arguments that the server completes, the second by the first', async () => {
    const { page } = await browser.open({ device: 'phone' })
    await open(page, 'test_prompt_with_arguments')
    await submit(page)
    expect(await page.evaluate('document.activeElement.required')).toBe(true)
    await page.getByLabel('arg1').fill('te')
    const suggestions = page.locator('.detail datalist option')
    await expect
      .poll(() => suggestions.evaluateAll((all) => all.map((each) => each.getAttribute('value'))))
      .toEqual(['testing', 'tested', 'test'])
    await page.getByLabel('arg1').fill('test')
    await page.getByLabel('arg2').fill('test-')
    await page.locator('option[value="test-two"]').waitFor({ state: 'attached' })
    await page.getByLabel('arg2').fill('test-two')
    await submit(page)
    await status(page, 'Done')
    await page.getByText("Prompt with arguments: arg1='test', arg2='test-two'").first().waitFor()
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await screenshot(page, 'inspector-prompt-phone')
  })

  it('shows the question of the server and the messages that follow the answer', async () => {
    const { page } = await browser.open()
    await open(page, 'test_input_required_result_prompt')
    await submit(page)
    await page.getByLabel('context').fill('a quiet evening')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('Use this context: a quiet evening').first().waitFor()
  })
})

describe('the client of the inspector', () => {
  it('reads a resource of a template, whose variable the server completes', async () => {
    const { page } = await browser.open()
    await page.goto(at(`/inspect#/try/templates/${encodeURIComponent('probe://item/{id}')}`))
    await page.getByLabel('id').fill('al')
    await expect
      .poll(() => page.locator('form datalist option[value="alpha"]').count())
      .toBeGreaterThan(0)
    await page.getByLabel('id').fill('alpha')
    await page.getByText('probe://item/alpha').first().waitFor()
    await page.getByRole('button', { name: 'Read' }).click()
    await status(page, 'Done')
  })
})

describe('the lists of the inspector', () => {
  it('are read again when the server says that one has changed, and the form stays', async () => {
    const { page } = await browser.open()
    const requested: string[] = []
    page.on('request', (request) => {
      const { 'mcp-method': method } = request.headers()
      if (method !== undefined) requested.push(method)
    })
    await openTool(page, 'echo')
    await page.getByLabel('text').fill('unsent')
    await expect.poll(() => requested).toContain('subscriptions/listen')
    const listenedAt = requested.indexOf('subscriptions/listen')
    const before = requested.filter((method) => method === 'resources/list').length
    await callByClient('', server.url, 'change_resources')
    await expect
      .poll(() => requested.filter((method) => method === 'resources/list').length)
      .toBe(before * 2)
    expect(requested.slice(listenedAt)).not.toContain('tools/list')
    expect(await page.getByLabel('text').inputValue()).toBe('unsent')
  })
})

describe('the traffic of a running server', () => {
  it('appears when a client calls a tool', async () => {
    const { page } = await browser.open()
    await page.goto(at('/inspect'))
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await callByClient('from a client')
    await page
      .getByRole('link', { name: /tools\/call.*echo/ })
      .first()
      .click()
    await page.getByText('"from a client"').first().waitFor()
    await expectAccessible(page)
    await screenshot(page, 'inspector-live')
  })

  it('continues after a restart of the server, with what was stored before it', async () => {
    const state = await mkdtemp(join(tmpdir(), 'edgeway-inspector-'))
    const first = await startFixtureServer({ inspect: true, state })
    const { page } = await browser.open()
    await page.goto(at('/inspect', first.url))
    await page.getByRole('status').filter({ hasText: 'Live' }).waitFor()
    await callByClient('before', first.url)
    const calls = page.getByRole('link', { name: /tools\/call.*echo/ })
    await expect.poll(() => calls.count()).toBe(1)
    await first.stop()
    await page.getByRole('status').filter({ hasText: 'Reconnecting' }).waitFor()
    const port = Number(new URL(first.url).port)
    const second = await startFixtureServer({ inspect: true, state, port })
    try {
      await callByClient('after', second.url)
      await expect.poll(() => calls.count()).toBe(2)
    } finally {
      await second.stop()
      await rm(state, { recursive: true, force: true })
    }
  })

  it('is joined by the timeline and the state, without findings of axe in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await browser.open({ colorScheme, device: 'phone' })
      for (const tab of ['timeline', 'state']) {
        await page.goto(at(`/inspect#/${tab}`))
        await page.getByRole('heading', { level: 2 }).waitFor()
        await expect.poll(() => page.getByText('Loading…').count()).toBe(0)
        expect(await page.getByText('This could not be read').count()).toBe(0)
        await page.getByRole('heading', { level: 3 }).first().waitFor()
        await expectAccessible(page)
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
        await screenshot(page, `inspector-${tab}-${colorScheme}`)
      }
    }
  })
})

/** A call by another program. */
async function callByClient(text: string, url = server.url, name = 'echo'): Promise<void> {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const client = new Client({ name: 'another-program', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  await client.callTool({ name, arguments: { text } })
  await client.close()
}

/** The status of a task of the fixture server, which has no callers to tell apart. */
async function statusOfTask(taskId: string): Promise<unknown> {
  const response = await fetch(server.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tasks/get',
      'mcp-name': taskId,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tasks/get',
      params: {
        taskId,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'another-program', version: '1.0.0' },
          'io.modelcontextprotocol/clientCapabilities': {
            extensions: { 'io.modelcontextprotocol/tasks': {} },
          },
        },
      },
    }),
  })
  const { result } = (await response.json()) as { result: { status: unknown } }
  return result.status
}
