/** Takes pictures of views: each in a frame of a browser, with a host that sends a saved result. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { CommandError } from '../../../text/src/command-error.ts'
import { shownPath } from '../../../text/src/files/file-error.ts'
import { playCall } from '../../../view/src/host/play-call.ts'
import { parseResults, type SavedResult } from '../../../view/src/host/saved-results.ts'
import { CAPABILITY_NAMES, capabilitiesOf, ViewHost } from '../../../view/src/host/view-host.ts'
import type { BuiltView } from './build-view.ts'
import { installedBrowser } from './installed-browser.ts'
import type { ViewSource } from './view-sources.ts'

export type Theme = 'light' | 'dark'

export interface ShotsOptions {
  /** The folder of the pictures. */
  readonly out: string
  readonly themes: readonly Theme[]
  /** In pixels. */
  readonly widths: readonly number[]
  onPicture(file: string): void
  /** Is called with what a host does not accept of a view. */
  onFinding(sentence: string): void
}

/** How long the size of a view must stay the same, and how long it may change, in milliseconds. */
const STILL_MS = 300
const MAX_CHANGE_MS = 5_000

/** The page around the frame: `show(html)` and `post(message)` for the host, whose `receive` the command exposes. */
const HOST_PAGE = (theme: Theme) => `<!doctype html><html lang="en" style="color-scheme: ${theme}">
<style>body { margin: 0 } iframe { display: block; width: 100%; height: 160px; border: 0; background: Canvas }</style>
<body><script>
  const frame = document.createElement('iframe')
  frame.sandbox = 'allow-scripts allow-forms'
  addEventListener('message', ({ source, data }) => source === frame.contentWindow && receive(data))
  const post = (message) => frame.contentWindow.postMessage(message, '*')
  const show = (html) => { frame.srcdoc = html; document.body.append(frame) }
</script></body></html>`

/** @returns the results beside the view; none without a file. @throws {CommandError} */
export function savedResultsOf({ path, name }: ViewSource): readonly SavedResult[] {
  const file = join(dirname(path), `${name}.results.json`)
  if (!existsSync(file)) return []
  try {
    return parseResults(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new CommandError(`${shownPath(file)}: ${(error as Error).message}`)
  }
}

/** @throws {CommandError} where there is no browser */
export async function takeShots(
  views: ReadonlyMap<BuiltView, readonly SavedResult[]>,
  options: ShotsOptions,
): Promise<void> {
  const browser = await openBrowser()
  mkdirSync(options.out, { recursive: true })
  try {
    for (const [view, results] of views) {
      for (const saved of results) {
        for (const theme of options.themes) {
          for (const width of options.widths) {
            const file = `${view.name}-${fileName(saved.name)}-${theme}-${width}.png`
            await takeShot(browser, { view, saved, results, theme, width }, options, file)
          }
        }
      }
    }
  } finally {
    await browser.close()
  }
}

const fileName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')

async function openBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CommandError('Pictures need a driver: npm install --save-dev playwright-core')
  })
  const executablePath = installedBrowser()
  if (executablePath === undefined) {
    throw new CommandError(
      'Pictures need Chromium or Chrome: npx playwright-core install chromium, or set CHROMIUM_PATH',
    )
  }
  // The sandbox of Chromium does not run as root, as in containers.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args })
}

interface Shot {
  readonly view: BuiltView
  readonly saved: SavedResult
  /** The results of the same file, which answer calls of the view. */
  readonly results: readonly SavedResult[]
  readonly theme: Theme
  readonly width: number
}

async function takeShot(
  browser: Browser,
  { view, saved, results, theme, width }: Shot,
  { out, onPicture, onFinding }: ShotsOptions,
  file: string,
): Promise<void> {
  const context = await browser.newContext({
    colorScheme: theme,
    reducedMotion: 'reduce',
    viewport: { width, height: 600 },
    deviceScaleFactor: 2,
    // The same picture on each machine.
    locale: 'en-US',
    timezoneId: 'UTC',
  })
  const found = (sentence: string) => onFinding(`${view.name}, "${saved.name}": ${sentence}`)
  const page = await context.newPage()
  page.on('pageerror', ({ message }) => found(`The view failed: ${message}`))
  const size = { height: 0, changedAt: Date.now() }
  const connected = Promise.withResolvers<void>()
  const host = new ViewHost({
    post: (message) => void page.evaluate(`post(${JSON.stringify(message)})`),
    context: {
      theme,
      locale: 'en-US',
      timeZone: 'UTC',
      displayMode: 'inline',
      availableDisplayModes: ['inline'],
      containerDimensions: { width },
      toolInfo: { tool: { name: saved.tool } },
    },
    capabilities: capabilitiesOf(CAPABILITY_NAMES),
    answers: {
      async callTool(name) {
        const answer = results.find(({ tool }) => tool === name)
        if (answer === undefined) throw new Error(`No saved result of ${name}`)
        return answer.result
      },
    },
    onInitialized: () => connected.resolve(),
    onFinding: ({ message }) => {
      found(message)
      connected.resolve()
    },
    onSize: ({ height = 0 }) => Object.assign(size, { height, changedAt: Date.now() }),
  })
  try {
    await page.exposeFunction('receive', (message: unknown) => host.receive(message))
    await page.setContent(HOST_PAGE(theme))
    await page.evaluate(`show(${JSON.stringify(view.html)})`)
    await connected.promise
    await playCall(host, saved)
    await settle(page, size)
    await page.locator('iframe').screenshot({ path: join(out, file), animations: 'disabled' })
    onPicture(join(out, file))
  } finally {
    host.close()
    await context.close()
  }
}

/** Gives the frame the height of the view until it stays the same. */
async function settle(
  page: Page,
  size: { readonly height: number; readonly changedAt: number },
): Promise<void> {
  const endsAt = Date.now() + MAX_CHANGE_MS
  let shown = 0
  while (Date.now() < endsAt) {
    if (size.height > 0 && size.height !== shown) {
      shown = size.height
      await page.evaluate(`frame.style.height = '${shown}px'`)
    }
    await page.waitForTimeout(STILL_MS)
    if (size.height === shown && Date.now() - size.changedAt >= STILL_MS) return
  }
}
