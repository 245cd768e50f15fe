/** What the headers of the pages prevent and allow in a real browser. */
import { afterEach, describe, expect, it } from 'vitest'
import { listen } from './client-app.ts'
import { useBrowser } from './open-browser.ts'
import { useProtectedServer } from './protected-server.ts'

const PASSPHRASE = 'correct horse battery staple'

const browser = useBrowser()
const stops: (() => Promise<void>)[] = []
const server = useProtectedServer()

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Serves a page of another site. */
async function site(html: string): Promise<string> {
  const { url, stop } = await listen((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(html),
  )
  stops.push(stop)
  return url
}

describe('another site', () => {
  it('cannot frame a page', async () => {
    const app = await server.startApp()
    const { page, violations } = await browser.open()
    const url = await site(`<iframe src="${app.link().replaceAll('&', '&amp;')}"></iframe>`)
    await page.goto(url)
    await expect.poll(() => violations.join()).toContain("frame-ancestors 'none'")
    expect(await page.frameLocator('iframe').getByLabel('Passphrase').count()).toBe(0)
  })

  it('cannot submit a form of the consent page', async () => {
    const app = await server.startApp()
    const { page } = await browser.open()
    await page.goto(app.link())
    const field = (name: string) => page.locator(`form [name=${name}]`).first().inputValue()
    const [transaction, csrf] = [await field('transaction'), await field('csrf')]
    const url = await site(`<form method="post" action="${server.issuer}/authorize/decision">
<input name="transaction" value="${transaction}"><input name="csrf" value="${csrf}">
<input name="passphrase" value="${PASSPHRASE}">
<button name="decision" value="approve">Win a prize</button></form>`)
    await page.goto(url)
    const [answer] = await Promise.all([
      page.waitForResponse((response) => response.request().method() === 'POST'),
      page.getByRole('button').click(),
    ])
    expect(answer.status()).toBe(403)
    expect(app.answers).toEqual([])
  })

  it('receives no referrer', async () => {
    const app = await server.startApp({
      reply: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(),
    })
    const { page } = await browser.open()
    await page.goto(app.link())
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(`${app.redirectUri}?*`)
    expect(await page.evaluate('document.referrer')).toBe('')
  })
})

describe('the consent form', () => {
  it('is sent with its origin and Sec-Fetch-Site same-origin', async () => {
    const app = await server.startApp()
    const { page } = await browser.open()
    await page.goto(app.link())
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'POST'),
      page.getByRole('button', { name: 'Deny' }).click(),
    ])
    const headers = await sent.allHeaders()
    expect(headers.origin).toBe(server.issuer)
    expect(headers['sec-fetch-site']).toBe('same-origin')
  })
})

describe('an app', () => {
  it('that opened the consent page in a popup can be messaged from its callback', async () => {
    const app = await server.startApp({
      reply: (response) =>
        response
          .writeHead(200, { 'content-type': 'text/html' })
          .end('<script>opener.postMessage(location.search, "*")</script>'),
    })
    const { page } = await browser.open()
    await page.goto(app.redirectUri.replace('/callback', '/'))
    await page.evaluate(`onmessage = ({ data }) => { document.title = data }`)
    const [popup] = await Promise.all([
      page.waitForEvent('popup'),
      page.evaluate(`void open(${JSON.stringify(app.link())}, 'connect', 'popup')`),
    ])
    await popup.getByLabel('Passphrase').fill(PASSPHRASE)
    await popup.getByLabel('Passphrase').press('Enter')
    await expect.poll(() => page.title()).toContain('code=')
  })

  it('can redirect from its callback to another host', async () => {
    const done = await site('<title>Done</title>')
    const app = await server.startApp({
      // Another port stands for another host here.
      reply: (response) => response.writeHead(302, { location: `${done}/` }).end(),
    })
    const { page, violations } = await browser.open()
    await page.goto(app.link())
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(`${done}/`)
    expect(violations).toEqual([])
  })
})
