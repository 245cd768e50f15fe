/**
 * A browser that opens links, submits forms and keeps cookies. It does not follow redirects: their
 * target is returned to the test.
 */

export interface Page {
  readonly url: URL
  readonly status: number
  readonly html: string
  /** The target of a redirect. */
  readonly location: URL | undefined
}

export interface BrowserOptions {
  /** Default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** The cookies of an earlier browser. */
  readonly cookies?: Readonly<Record<string, string>>
}

export interface Browser {
  /** A copy of its cookies. */
  cookies(): Readonly<Record<string, string>>
  /** @param site what sends the browser there. Default: a link of another program, which is no site */
  open(url: URL, site?: 'none' | 'same-origin'): Promise<Page>
  /** Submits the form with an action: its hidden fields, its ticked boxes and the given fields. */
  submit(page: Page, action: string, fields: Readonly<Record<string, string>>): Promise<Page>
}

/** The passphrases of the server's two people. */
export const PASSPHRASES = {
  owner: 'correct horse battery staple',
  guest: 'battery staple correct horse',
} as const

export type Subject = keyof typeof PASSPHRASES

export function openBrowser({
  fetch: request = fetch,
  cookies: earlier = {},
}: BrowserOptions = {}): Browser {
  const cookies = new Map(Object.entries(earlier))

  async function send(url: URL, init: RequestInit): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = new Headers(init.headers)
    if (cookie !== '') headers.set('cookie', cookie)
    const response = await request(new Request(url, { ...init, headers, redirect: 'manual' }))
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
    cookies: () => Object.fromEntries(cookies),
    open: (url, site = 'none') => send(url, { headers: { 'sec-fetch-site': site } }),
    submit: ({ url, html }, action, fields) =>
      send(new URL(action, url), {
        method: 'POST',
        headers: { origin: url.origin, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ ...hiddenFields(html, action), ...fields }),
      }),
  }
}

/**
 * Answers the consent page of an authorization request, with a passphrase when the page asks for one.
 *
 * @returns the callback URL with the authorization response
 */
export async function answerConsent(
  browser: Browser,
  url: URL,
  { as = 'owner', decision = 'approve' }: { as?: Subject; decision?: 'approve' | 'deny' } = {},
): Promise<URL> {
  const page = await browser.open(url)
  if (page.location !== undefined) return page.location
  const fields = { ...decisionOn(page, as), decision }
  const { location, status, html } = await browser.submit(page, '/authorize/decision', fields)
  if (location === undefined) throw new Error(`No redirect: ${status} ${html}`)
  return location
}

/** What a person enters on a consent page to approve. */
export function decisionOn({ html }: Page, as: Subject = 'owner'): Record<string, string> {
  return {
    decision: 'approve',
    ...(html.includes('name="confirmed"') && { confirmed: 'yes' }),
    ...(html.includes('name="passphrase"') && { passphrase: PASSPHRASES[as] }),
  }
}

/** The details of a request on the consent page, by their labels. */
export function detailsOf({ html }: Page): Readonly<Record<string, string>> {
  const details = [...html.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)]
  return Object.fromEntries(
    details.map(([, term = '', detail = '']) => [term, detail.replaceAll(/<[^>]*>/g, '')]),
  )
}

/** The first heading of a page. */
export function headingOf({ html }: Page): string {
  const [, heading = ''] = /<h1>(.*?)<\/h1>/s.exec(html) ?? []
  return heading.replaceAll(/<[^>]*>/g, '')
}

/** What the first form with an action sends without a change: its hidden fields and ticked boxes. */
export function hiddenFields(html: string, action: string): Record<string, string> {
  const [, form] =
    new RegExp(
      `<form[^>]* action="${action.replaceAll(/[.?]/g, '\\$&')}"[^>]*>(.*?)(?:</form>|$)`,
      's',
    ).exec(html) ?? []
  if (form === undefined) throw new Error(`No form with the action ${action}: ${html}`)
  const inputs = form.matchAll(
    /<input type="(hidden|checkbox)" name="([^"]*)" value="([^"]*)"( checked)?/g,
  )
  const sent = [...inputs].filter(([, type, , , checked]) => type === 'hidden' || checked)
  return Object.fromEntries(sent.map(([, , name = '', value = '']) => [name, value]))
}

/** The same authorization request of an app that does not ask for the page at each connection. */
export function withoutPrompt(url: URL): URL {
  const changed = new URL(url)
  changed.searchParams.delete('prompt')
  return changed
}
