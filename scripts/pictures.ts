/**
 * `npm run pictures`: takes the pictures of the README, in both themes, from a running notebook: the consent page, the inspector
 * and the timeline. The clients are those that `edgeway/testing` plays. Takes half a minute.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { openClient, resolveClient } from '../packages/testing/src/open-client.ts'
import { findChromium } from '../test/browser/find-chromium.ts'
import { authorize } from './support/authorize.ts'
import { findFreePort, isFree } from './support/free-port.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'
import { startServer } from './support/server.ts'

const IMAGES = join(PROJECT_DIRECTORY, 'docs/images')
const PASSPHRASE = 'correct horse battery staple'

const NOTES = [
  ['Lisbon in May', 'travel', 'Hotel near Rossio, late checkout. Train from Porto at 9:40.'],
  ['Reading list', 'books', '- The Left Hand of Darkness\n- Invisible Cities'],
  ['Quarterly review', 'work', 'Figures are due on the 12th. Ask Ana for the forecast.'],
  ['Old packing list', 'travel', 'Passport, adapter, umbrella.'],
] as const

const LANDSCAPE = { width: 1080, height: 740 }
const PORTRAIT = { width: 480, height: 710 }

/** That of `npm run dev`. */
const PORT = 8787
const port = (await isFree(PORT)) ? PORT : await findFreePort()
const origin = `http://localhost:${port}`
const state = await mkdtemp(join(tmpdir(), 'edgeway-pictures-'))
await mkdir(IMAGES, { recursive: true })
const server = await startServer({
  configPath: join(PROJECT_DIRECTORY, 'wrangler.toml'),
  port,
  state,
  vars: { EDGEWAY_ORIGIN: 'development', EDGEWAY_PASSPHRASE: PASSPHRASE },
  onLog: (text) => process.stderr.write(text),
})

/** The timeline waits for the next step of a client for 20 seconds before it says that the client has stopped. */
const STOPPED_AFTER_MS = 21_000

const clientOf = async (as: 'claude-code' | 'vscode' | 'chatgpt') => {
  const token = await authorize({ origin, passphrase: PASSPHRASE })
  const send = (request: Request) => {
    request.headers.set('authorization', `Bearer ${token}`)
    return fetch(request)
  }
  const elicit = [{ action: 'accept' as const, content: { remove: true } }]
  return openClient(
    { send, settled: async () => {}, url: `${origin}/mcp` },
    resolveClient({ as, elicit }),
  )
}

const [vscode, chatgpt, claude] = [
  await clientOf('vscode'),
  await clientOf('chatgpt'),
  await clientOf('claude-code'),
]
for (const [title, tag, body] of NOTES) {
  await vscode.callTool('write_note', { title, body, tags: [tag] })
}
await chatgpt.callTool('list_notes', { tags: ['travel'] })
await vscode.callTool('delete_note', { id: 'old-packing-list' })
await claude.callTool('search_notes', { query: 'lisbon hotel "late checkout"' })
await claude.callTool('read_note', { id: 'lisbon-in-may' })

const browser = await chromium.launch({
  executablePath: await findChromium(),
  // Chromium's sandbox does not run as root, as in containers.
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
})

await take('inspector', '/inspect', LANDSCAPE, async (page) => {
  await page.locator('a.row', { hasText: 'delete_note' }).first().click()
  // The question is the second message. The first one is shown without its members.
  await page.locator('.message .json-toggle').first().click()
})

await stopAtRegistration()
await sleep(STOPPED_AFTER_MS)
await take('timeline', '/inspect#/timeline', LANDSCAPE, async (page) => {
  await page.locator('article', { hasText: 'stopped' }).locator('summary').last().click()
})

await take('consent', await consentPath(), PORTRAIT, (page) =>
  page.getByLabel('Passphrase').fill(PASSPHRASE),
)

await browser.close()
await server.stop()
await rm(state, { recursive: true, force: true })
// The connections of the clients are kept alive.
process.exit(0)

/** Takes one picture of a page in each theme. */
async function take(
  name: string,
  path: string,
  viewport: { readonly width: number; readonly height: number },
  prepare: (page: Page) => Promise<void>,
): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    const context = await browser.newContext({ colorScheme, viewport, deviceScaleFactor: 1.5 })
    const page = await context.newPage()
    await page.goto(`${origin}${path}`)
    await prepare(page)
    // The pointer changes what is below it.
    await page.mouse.move(0, 0)
    await writeFile(join(IMAGES, `${name}-${colorScheme}.webp`), await webpOf(page))
    await context.close()
  }
}

/** A client that asks for a redirect that the authorization server refuses. */
async function stopAtRegistration(): Promise<void> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'example-agent/1.0' }
  const post = { method: 'POST', headers }
  await fetch(`${origin}/mcp`, { ...post, body: '{}' })
  for (const path of ['oauth-protected-resource/mcp', 'oauth-authorization-server']) {
    await fetch(`${origin}/.well-known/${path}`, { headers })
  }
  const redirect_uris = ['http://agent.example.com/callback']
  await fetch(`${origin}/register`, {
    ...post,
    body: JSON.stringify({ client_name: 'Example agent', redirect_uris }),
  })
}

/** Where Claude sends a person for consent. */
async function consentPath(): Promise<string> {
  const redirect_uri = 'https://claude.ai/api/mcp/auth_callback'
  const response = await fetch(`${origin}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Claude', redirect_uris: [redirect_uri] }),
  })
  const { client_id } = (await response.json()) as { readonly client_id: string }
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: 'read write',
    state: 'picture',
    resource: `${origin}/mcp`,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  return `/authorize?${query}`
}

/** The page as it is seen, in WebP: Chromium takes pictures in PNG, which are several times as large. */
async function webpOf(page: Page): Promise<Buffer> {
  const png = (await page.screenshot({ animations: 'disabled' })).toString('base64')
  const encoder = await page.context().newPage()
  const url = await encoder.evaluate<string>(`(async () => {
    const image = await createImageBitmap(await (await fetch('data:image/png;base64,${png}')).blob())
    const canvas = new OffscreenCanvas(image.width, image.height)
    canvas.getContext('2d').drawImage(image, 0, 0)
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.85 })
    const reader = new FileReader()
    reader.readAsDataURL(blob)
    await new Promise((resolve) => { reader.onload = resolve })
    return reader.result
  })()`)
  await encoder.close()
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
}
