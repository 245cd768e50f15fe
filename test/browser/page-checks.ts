/** What every page of Edgeway must be: accessible, small, and complete without another request. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResults {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly object[] }[]
}

/** Expects no finding of axe-core, with its best practices. */
export async function expectAccessible(page: Pick<Page, 'evaluate'>): Promise<void> {
  await page.evaluate(AXE)
  const { violations } = await page.evaluate<AxeResults>('axe.run()')
  expect(violations.map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes)}`)).toEqual([])
}

const MAX_BYTES = 30_000

const SHIFTS = `new Promise((resolve) => {
  let sum = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) sum += value
  }).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(sum), 100)
})`

/** Opens a URL and expects one request, less than 30 KB, and a layout that does not shift. */
export async function expectLight(page: Page, url: string): Promise<void> {
  const requested: string[] = []
  const note = (request: { url(): string }) => requested.push(request.url())
  page.on('request', note)
  const response = await page.goto(url)
  expect((await response?.body())?.byteLength).toBeLessThan(MAX_BYTES)
  expect(await page.evaluate(SHIFTS)).toBe(0)
  page.off('request', note)
  expect(requested).toEqual([response?.url()])
}
