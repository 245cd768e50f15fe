/** The view of a report in a real browser: its form, and the progress that it asks for through the official bridge. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { report } from '../../examples/report/views.generated.ts'
import { type AppHost, startAppHost } from './app-host.ts'
import { useBrowser } from './open-browser.ts'

const browser = useBrowser()
let host: AppHost

beforeAll(async () => {
  host = await startAppHost(String(report.html))
})

afterAll(() => host?.stop())

describe('the view of a report in the official host bridge', () => {
  it('shows the report to its end in a host that reads nothing for the model', async () => {
    const { page } = await browser.open()
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    const done: unknown[] = []
    await host.start(page, { locale: 'en' }, ({ name, arguments: args }) => {
      if (name === 'make_report') return { content: [], structuredContent: { sales: args?.months } }
      done.push({ month: `2026-1${done.length}`, sales: 100 })
      return { content: [], structuredContent: { wanted: 2, done: [...done] } }
    })
    const plan = { draft: 'draft', months: ['2026-10', '2026-11'] }
    await page.evaluate(
      `bridge.sendToolResult(${JSON.stringify({ content: [], structuredContent: plan })})`,
    )
    const view = page.frameLocator('iframe')
    await view.getByRole('button', { name: 'Make the report' }).click()
    await expect.poll(() => view.getByRole('status').textContent()).toBe('1 of 2 months')
    await expect.poll(() => view.getByRole('status').textContent()).toBe('Complete')
    expect(await view.getByRole('row').allTextContents()).toEqual([
      'October 2026100',
      'November 2026100',
      'Total200',
    ])
    expect(errors).toEqual([])
  })
})
