/**
 * A person with a browser: follows a link, reads the page, presses a button of its form, and is sent
 * on. It goes no further than the server's own pages: where it is sent after that is told to the test.
 */

export interface Page {
  readonly url: URL
  readonly status: number
  readonly html: string
  /** Where the browser is sent instead of being shown anything. */
  readonly location: URL | undefined
}

export interface Browser {
  open(url: URL): Promise<Page>
  /** Sends the form of a page with an action, with what it holds already and what is filled in. */
  submit(page: Page, action: string, fields: Readonly<Record<string, string>>): Promise<Page>
}

/** The passphrases of the two people that the server knows. */
export const PASSPHRASES = {
  owner: 'correct horse battery staple',
  guest: 'battery staple correct horse',
} as const

export type Subject = keyof typeof PASSPHRASES

export function openBrowser(): Browser {
  const cookies = new Map<string, string>()

  async function send(url: URL, init: RequestInit): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = new Headers(init.headers)
    if (cookie !== '') headers.set('cookie', cookie)
    const response = await fetch(url, { ...init, headers, redirect: 'manual' })
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      if (/;\s*max-age=0/i.test(text)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const location = response.headers.get('location')
    return {
      url,
      status: response.status,
      html: await response.text(),
      location: location === null ? undefined : new URL(location, url),
    }
  }

  return {
    // A link that another program hands to the browser comes from no site.
    open: (url) => send(url, { headers: { 'sec-fetch-site': 'none' } }),
    submit: ({ url, html }, action, fields) =>
      send(new URL(action, url), {
        method: 'POST',
        headers: { origin: url.origin, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ ...hiddenFields(html, action), ...fields }),
      }),
  }
}

/**
 * Answers the question whether an app may connect, signing in on the way where that is asked for.
 *
 * @returns where the app is waiting, with the answer
 */
export async function answerConsent(
  browser: Browser,
  url: URL,
  { as = 'owner', decision = 'approve' }: { as?: Subject; decision?: 'approve' | 'deny' } = {},
): Promise<URL> {
  const page = await browser.open(url)
  if (page.location !== undefined) return page.location
  const asks = page.html.includes('name="passphrase"')
  const { location, status, html } = await browser.submit(page, '/authorize/decision', {
    decision,
    ...(asks && { passphrase: PASSPHRASES[as] }),
  })
  if (location === undefined) throw new Error(`Nobody is sent anywhere: ${status} ${html}`)
  return location
}

/** What a page says of a request, by the words it puts before each of its facts. */
export function factsOf({ html }: Page): Readonly<Record<string, string>> {
  const facts = [...html.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)]
  return Object.fromEntries(
    facts.map(([, term = '', fact = '']) => [term, fact.replaceAll(/<[^>]*>/g, '')]),
  )
}

/** The first heading of a page. */
export function headingOf({ html }: Page): string {
  const [, heading = ''] = /<h1>(.*?)<\/h1>/s.exec(html) ?? []
  return heading.replaceAll(/<[^>]*>/g, '')
}

function hiddenFields(html: string, action: string): Record<string, string> {
  const [, form] =
    new RegExp(`<form[^>]* action="${action}"[^>]*>(.*?)</form>`, 's').exec(html) ?? []
  if (form === undefined) throw new Error(`No form leads to ${action}: ${html}`)
  const inputs = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]))
}
