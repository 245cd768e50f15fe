/** The forms and results of the inspector, with a server of the test that lists one tool. */
import { describe, expect, it } from 'vitest'
import { type Opened, screenshot, useBrowser } from '../../../../test/browser/open-browser.ts'
import { expectAccessible } from '../../../../test/browser/page-checks.ts'
import { type JsonRpcRequest, useRecordedServers } from './inspector-server.ts'

const browser = useBrowser()
const servers = useRecordedServers()

const SCHEMA = {
  type: 'object',
  required: ['title', 'kind', 'count', 'address', 'shape'],
  properties: {
    title: { type: 'string', description: 'What it is called', minLength: 2, maxLength: 20 },
    email: { type: 'string', format: 'email' },
    kind: { enum: ['note', 'task'] },
    level: {
      oneOf: [
        { const: 1, title: 'low' },
        { const: 9, title: 'high' },
      ],
    },
    count: { type: 'integer', minimum: 1, maximum: 9, default: 3 },
    urgent: { type: 'boolean' },
    colors: { type: 'array', items: { enum: ['red', 'green'] } },
    tags: { type: 'array', items: { type: 'string' } },
    address: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
    parent: { $ref: '#/$defs/node' },
    shape: {
      anyOf: [
        { title: 'circle', type: 'object', properties: { radius: { type: 'number' } } },
        { title: 'name', type: 'string' },
      ],
    },
    version: { const: 2 },
    extra: { type: 'object', additionalProperties: true },
  },
  $defs: { node: { type: 'object', properties: { parent: { $ref: '#/$defs/node' } } } },
}

/** A server with the tool `make`, which records its arguments. */
async function openTool(
  { page }: Opened,
  { schema = SCHEMA, result = { content: [] } }: { schema?: object; result?: object } = {},
) {
  const received: unknown[] = []
  const resultOf = ({ method, params }: JsonRpcRequest) => {
    if (method === 'server/discover') return { capabilities: { tools: {} } }
    if (method === 'tools/list') return { tools: [{ name: 'make', inputSchema: schema }] }
    received.push(params.arguments)
    return result
  }
  const { origin } = await servers.open({ resultOf })
  await page.goto(`${origin}/inspect#/try/tools/make`)
  await page.getByRole('heading', { level: 2, name: 'make' }).waitFor()
  return received
}

describe('the form of a tool', () => {
  it('has a control for each kind of schema, and sends what was entered', async () => {
    const opened = await browser.open()
    const { page } = opened
    const received = await openTool(opened)
    const call = () => page.getByRole('button', { name: 'Call the tool' }).click()
    await call()
    expect(await page.getByText('A value is required').count()).toBe(3)
    expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true')
    await expectAccessible(page)
    await page.getByLabel('title').fill('x')
    await page.getByLabel('email').fill('none')
    await page.getByLabel('count').fill('10')
    await call()
    await page.getByText('At least 2 characters').waitFor()
    await page.getByText('Must be an email address').waitFor()
    await page.getByText('Must be at most 9').waitFor()
    expect(received).toEqual([])
    await page.getByLabel('title').fill('Buy milk')
    await page.getByLabel('email').fill('a@example.com')
    await page.getByLabel('kind').selectOption('task')
    await page.getByLabel('level').selectOption('high')
    await page.getByLabel('count').fill('4')
    await page.getByLabel('urgent').selectOption('true')
    await page.getByLabel('green').check()
    await page.getByRole('button', { name: 'Add an item' }).click()
    await page.getByLabel('1 required').fill('home')
    await page.getByLabel('city').fill('Bern')
    await page.getByLabel('radius').fill('1.5')
    await page.getByLabel('extra').fill('{"a": [1]}')
    await screenshot(page, 'inspector-form')
    await call()
    await expect
      .poll(() => received)
      .toEqual([
        {
          title: 'Buy milk',
          email: 'a@example.com',
          kind: 'task',
          level: 9,
          count: 4,
          urgent: true,
          colors: ['green'],
          tags: ['home'],
          address: { city: 'Bern' },
          shape: { radius: 1.5 },
          extra: { a: [1] },
        },
      ])
  })
})

describe('the result of a tool', () => {
  it('is inert: no script, no address and no markup of a server has an effect', async () => {
    const opened = await browser.open({ device: 'phone' })
    const { page, violations } = opened
    const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
    await openTool(opened, {
      schema: {
        type: 'object',
        title: hostile,
        properties: { [hostile]: { type: 'string', title: hostile, description: hostile } },
      },
      result: {
        isError: true,
        content: [
          { type: 'text', text: hostile },
          {
            type: 'image',
            mimeType: 'image/svg+xml',
            data: btoa(`<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=1"/>`),
          },
          { type: 'image', mimeType: 'text/html', data: btoa(hostile) },
          { type: 'image', mimeType: 'image/png', data: '" onerror="document.title=1' },
          { type: 'resource_link', uri: 'javascript:document.title=1', name: hostile },
          { type: 'resource', resource: { uri: 'javascript:1', text: hostile, mimeType: hostile } },
          { type: hostile },
          null,
          { type: 'text', text: 7 },
        ],
        structuredContent: { __proto__: null, constructor: hostile, [hostile]: hostile },
      },
    })
    await page.getByRole('button', { name: 'Call the tool' }).click()
    await page.getByText('the tool reported an error', { exact: false }).first().waitFor()
    await expectAccessible(page)
    expect(await page.locator('img').count()).toBe(1)
    expect(await page.locator('script').count()).toBe(1)
    expect(await page.locator('a[href^="javascript"]').count()).toBe(0)
    expect(await page.title()).toContain('Inspector')
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    expect(violations).toEqual([])
    await screenshot(page, 'inspector-hostile-result-phone')
  })
})
