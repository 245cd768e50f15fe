/** Reads and operates the page of connected apps. */
import { type Browser, hiddenFields, type Page } from './browser.ts'

const ACTION = '/account/disconnect'

export interface ConnectedApp {
  readonly name: string
  /** As the page shows them. */
  readonly permissions: readonly string[]
  /** What its Disconnect form sends. */
  readonly fields: Readonly<Record<string, string>>
}

export interface AccountPage {
  readonly page: Page
  /** The status message of the page. */
  readonly notice: string | undefined
  readonly apps: readonly ConnectedApp[]
}

/** Opens the page in a browser that is signed in. */
export async function openAccount(browser: Browser, origin: string): Promise<AccountPage> {
  return readAccount(await browser.open(new URL('/account', origin)))
}

function readAccount(page: Page): AccountPage {
  if (!page.html.includes('<h1>Connected apps</h1>')) throw new Error(`Not signed in: ${page.html}`)
  const cards = page.html.split('<section').slice(1)
  return {
    page,
    notice: /role="status">([^<]*)</.exec(page.html)?.[1],
    apps: cards.flatMap((card) => {
      const name = only(/<h2[^>]*>(.*?)<\/h2>/s, card).replaceAll(/<[^>]*>/g, '')
      const form = card.split('</form>').find((part) => part.includes(`action="${ACTION}"`)) ?? ''
      // With several connections, the button of each names it.
      const buttons = [...form.matchAll(/<button[^>]* name="client" value="([^"]*)"/g)]
      const named = buttons.map(([, client = '']) => ({ client }))
      return (named.length === 0 ? [{}] : named).map((own) => ({
        name,
        permissions: [...form.matchAll(/<li>(.*?)<\/li>/gs)].map(([, item = '']) =>
          item
            .replaceAll(/<[^>]*>/g, ' ')
            .replaceAll(/\s+/g, ' ')
            .trim(),
        ),
        fields: { ...hiddenFields(form, ACTION), ...own },
      }))
    }),
  }
}

/** Disconnects an app and returns the page that follows. */
export async function disconnect(
  browser: Browser,
  { page, apps }: AccountPage,
  name: string,
): Promise<AccountPage> {
  const found = apps.filter((app) => app.name === name)
  const [app] = found
  if (app === undefined || found.length > 1)
    throw new Error(`${found.length} apps are named ${name}`)
  const { status, location } = await browser.submit(page, ACTION, app.fields)
  if (status !== 303 || location === undefined) throw new Error(`Not disconnected: ${status}`)
  return readAccount(await browser.open(location, 'same-origin'))
}

export async function signOut(browser: Browser, { page }: AccountPage): Promise<void> {
  await browser.submit(page, '/logout', {})
}

function only(pattern: RegExp, text: string): string {
  const [, found] = pattern.exec(text) ?? []
  if (found === undefined) throw new Error(`No ${pattern} in ${text}`)
  return found
}
