/** The clients that the inspector plays, in a real browser against the fixture server. */
import { text } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { useFixtureServer } from '../../../../test/browser/fixture-server.ts'
import { screenshot, useBrowser } from '../../../../test/browser/open-browser.ts'
import { expectAccessible } from '../../../../test/browser/page-checks.ts'
import { PROFILE_NAMES, PROFILES } from '../../../client/src/profiles.ts'

const browser = useBrowser()
const server = useFixtureServer({ inspect: true })

const at = (path: string) => new URL(path, server.url).href

/** Plays a client. @param endpoint with `hold`, how long a request holds a call is asked for */
async function play(page: Page, name: string, endpoint = '/mcp'): Promise<void> {
  await page.goto(at('/inspect#/try'))
  await page.getByLabel('Client').selectOption(name)
  await page.getByLabel('Endpoint').fill(endpoint)
  await page.getByRole('button', { name: /Connect|Reload/ }).click()
  await page.getByRole('link', { name: /^echo/ }).waitFor()
}

async function openTool(page: Page, name: string): Promise<void> {
  await page.goto(at(`/inspect#/try/tools/${name}`))
  await page.getByRole('heading', { level: 2, name }).waitFor()
}

const call = (page: Page) => page.getByRole('button', { name: 'Call the tool' }).click()

const status = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Result' }).getByText(text).waitFor()

async function answer(page: Page, answers: object): Promise<void> {
  await page.getByRole('button', { name: 'Fill in answer_question' }).click()
  await page.getByLabel('action').selectOption('accept')
  await page.getByLabel('answers').fill(JSON.stringify(answers))
  await call(page)
}

describe.each([
  ['desktop', 'light'],
  ['small', 'dark'],
] as const)('on a %s in %s, a client without tasks and questions', (device, colorScheme) => {
  it('goes on with its calls by handles', async () => {
    const { page, violations } = await browser.open({ device, colorScheme })
    await play(page, 'claude', '/mcp?hold=1')
    await expectAccessible(page)
    await screenshot(page, `inspector-client-${device}-${colorScheme}`)
    await openTool(page, 'slow_report')
    await page.getByLabel('seconds').fill('3')
    await call(page)
    await status(page, 'Answered with a handle after')
    await expectAccessible(page)
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await screenshot(page, `inspector-handle-${device}-${colorScheme}`)
    const goOn = page.getByRole('button', { name: 'Call get_result' })
    await expect
      .poll(async () => {
        if (await goOn.isVisible()) await goOn.click()
        return page.getByText('report ready').count()
      })
      .toBeGreaterThan(0)
    await openTool(page, 'ask_two')
    await call(page)
    await answer(page, { name: 'Ana' })
    await page.getByText('answers."color"').waitFor()
    await expectAccessible(page)
    await screenshot(page, `inspector-question-${device}-${colorScheme}`)
    await answer(page, { color: 'red' })
    await page.getByText('Ana likes red').first().waitFor()
    expect(violations).toEqual([])
  })
})

describe('a client that the inspector plays', () => {
  it('introduces itself in its revision, and is asked as it can be', async () => {
    const { page } = await browser.open()
    for (const name of PROFILE_NAMES) {
      await play(page, name)
      await openTool(page, 'whoami')
      await call(page)
      await page.getByText(`"${PROFILES[name].revision}"`).first().waitFor()
    }
    await openTool(page, 'ask_together')
    await call(page)
    await page.getByLabel('left').fill('L')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByLabel('right').fill('R')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByText('L R', { exact: true }).waitFor()
  })

  it('makes tasks of its calls as VS Code does, and cancels one', async () => {
    const { page } = await browser.open()
    await play(page, 'vscode')
    await openTool(page, 'ten_steps')
    await page.getByRole('textbox', { name: 'name' }).fill('played')
    for (const [gapMs, badge] of [
      ['10', 'completed'],
      ['60000', 'cancelled'],
    ] as const) {
      await page.getByLabel('gapMs').fill(gapMs)
      await call(page)
      const cancel = page.getByRole('button', { name: 'Cancel the task' })
      if (badge === 'cancelled') await cancel.click()
      await page.getByRole('region', { name: 'Task' }).getByText(badge, { exact: true }).waitFor()
    }
  })
})

describe('the traffic of the inspector', () => {
  it('is saved as JSON Lines, as the filters show it', async () => {
    const { page } = await browser.open()
    await play(page, 'codex')
    await page.getByRole('link', { name: 'Traffic' }).click()
    await page.getByText('Filters').click()
    await page.getByLabel('Method').selectOption('initialize')
    const downloaded = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as JSON Lines' }).click()
    const file = await downloaded
    expect(file.suggestedFilename()).toMatch(/^traffic-[-0-9T]+\.jsonl$/)
    const lines = (await text(await file.createReadStream())).trimEnd().split('\n')
    const entries = lines.map((line) => JSON.parse(line))
    expect(entries.map(({ number }) => number)).toEqual(
      entries.map(({ number }) => number).toSorted((a, b) => a - b),
    )
    const messages = entries.filter(({ kind, from }) => kind === 'message' && from === 'client')
    expect(new Set(messages.map(({ message }) => message.method))).toEqual(new Set(['initialize']))
    expect(JSON.stringify(messages)).toContain('codex-mcp-client')
  })
})
