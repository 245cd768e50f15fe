/** An app with personal access tokens, and a person who creates them on the account page. */
import { type EmbeddedOptions, personalAccessTokens } from '../../../../src/auth/index.ts'
import { propsServer } from './api-keys.ts'
import { Browser, type Fields, formOf, type Page } from './browser.ts'
import { featuresWith, openDeployment, PASSPHRASE } from './deployment.ts'

export const DAY_MS = 86_400_000

export function openWithTokens(
  options: Partial<EmbeddedOptions> = {},
  { app = {}, ...setting }: Parameters<typeof openDeployment>[1] = {},
) {
  return openDeployment(
    { features: featuresWith(undefined, personalAccessTokens()), ...options },
    { server: propsServer(), app, ...setting },
  )
}

export async function openOwner(...options: Parameters<typeof openWithTokens>) {
  const server = openWithTokens(...options)
  const browser = new Browser(server)
  await browser.signIn()
  return { server, browser }
}

/** The fields of the form, filled in by the owner. */
export const FORM: Fields = {
  name: 'CI',
  'scope read': 'yes',
  lifetime: String(30 * DAY_MS),
  passphrase: PASSPHRASE,
}

/** Sends the form of the account page, changed by `fields`. */
export async function sendTokenForm(browser: Browser, fields: Fields = {}): Promise<Page> {
  const { csrf } = formOf(await browser.get('/account'))
  return browser.post('/account/tokens', { csrf, ...FORM, ...fields })
}

/** Undefined when the page shows no token. */
export function shownToken({ html }: Page): string | undefined {
  return /<textarea[^>]*>([^<]*)<\/textarea>/.exec(html)?.[1]
}

export async function createToken(browser: Browser, fields: Fields = {}): Promise<string> {
  const page = await sendTokenForm(browser, fields)
  const token = shownToken(page)
  if (token === undefined) throw new Error(`No token: status ${page.status}`)
  return token
}

/** The ids of the tokens on the account page, newest first. */
export async function tokenIds(browser: Browser): Promise<readonly string[]> {
  const { html } = await browser.get('/account')
  return [...html.matchAll(/<button[^>]* name="token" value="([^"]*)"/g)].map(([, id = '']) => id)
}

export async function revokeToken(browser: Browser, token: string | undefined): Promise<Page> {
  const { csrf } = formOf(await browser.get('/account'))
  return browser.post('/account/tokens/revoke', { csrf, token })
}

export const scopeFields = ({ html }: Page) =>
  [...html.matchAll(/name="scope ([^"]*)"/g)].map(([, name]) => name)
