/** Opens pages in Chromium, with a screen size, a colour scheme, and with or without scripts. */
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'

const DEVICES = {
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true },
  /** The smallest screen in common use. */
  small: { viewport: { width: 320, height: 568 }, deviceScaleFactor: 2, isMobile: true },
  desktop: { viewport: { width: 1280, height: 800 } },
} as const

export interface BrowserOptions {
  readonly device?: keyof typeof DEVICES
  /** Null emulates none, so that a frame has the scheme of its element. */
  readonly colorScheme?: 'light' | 'dark' | null
  readonly scripts?: boolean
}

export interface Opened {
  readonly context: BrowserContext
  readonly page: Page
  /** Console messages about violations of the content security policy. */
  readonly violations: readonly string[]
}

/** Enough for a slow machine to show a page. */
const ACTION_TIMEOUT_MS = 15_000

const SCREENSHOTS = join(import.meta.dirname, 'screenshots')

/** Connects a test file to the browser of the run, with a fresh profile for each test. */
export function useBrowser(): { open(options?: BrowserOptions): Promise<Opened> } {
  let browser: Browser
  const contexts: BrowserContext[] = []

  beforeAll(async () => {
    browser = await chromium.connect(inject('browserEndpoint'))
  })

  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })

  afterAll(async () => {
    await browser.close()
  })

  return {
    async open({ device = 'desktop', colorScheme = 'light', scripts = true } = {}) {
      const context = await browser.newContext({
        ...DEVICES[device],
        colorScheme,
        javaScriptEnabled: scripts,
      })
      contexts.push(context)
      context.setDefaultTimeout(ACTION_TIMEOUT_MS)
      const violations: string[] = []
      context.on('console', (message) => {
        if (/Content Security Policy|Refused to/.test(message.text()))
          violations.push(message.text())
      })
      return { context, page: await context.newPage(), violations }
    },
  }
}

/** Saves a screenshot for review, when the environment has `EDGEWAY_SCREENSHOTS`. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (process.env.EDGEWAY_SCREENSHOTS === undefined) return
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true })
}

const FONT_SIZES = `[...document.querySelectorAll('input:not([type=hidden])')]
  .map((field) => parseFloat(getComputedStyle(field).fontSize))`

const isSmall = (size: number) => size < 16

/** A box is ticked by its label too. */
const TOUCH_TARGETS =
  'button, input:not([type=hidden], [type=checkbox]), label:has([type=checkbox])'

/** Expects that nothing is wider than the screen or too small to touch, also in sections that are closed. */
export async function expectToFit(page: Page): Promise<void> {
  await page.evaluate(`closedSections = [...document.querySelectorAll('details:not([open])')]
    closedSections.forEach((section) => { section.open = true })`)
  const { width } = page.viewportSize() ?? { width: 0 }
  const content = await page.evaluate<number>('document.documentElement.scrollWidth')
  expect(content).toBeLessThanOrEqual(width)
  for (const control of await page.locator(TOUCH_TARGETS).all()) {
    const box = await control.boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
  }
  // Phones zoom in on a field with a smaller font.
  expect(await page.evaluate<number[]>(FONT_SIZES)).not.toContainEqual(expect.toSatisfy(isSmall))
  await page.evaluate('closedSections.forEach((section) => { section.open = false })')
}
