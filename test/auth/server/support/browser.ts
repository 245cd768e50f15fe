/** A browser with a cookie jar, which reads pages and sends their forms. */
import { type Deployment, ORIGIN, PASSPHRASE } from './deployment.ts'

type HeaderChanges = Readonly<Record<string, string | null>>
export type Fields = Readonly<Record<string, string | undefined>>

export interface Page {
  readonly status: number
  readonly headers: Headers
  readonly location: string | null
  readonly html: string
  /** The addresses of its forms, in their order. */
  readonly actions: readonly string[]
}

export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #server: Deployment
  readonly #origin: string

  constructor(server: Deployment, origin = ORIGIN) {
    this.#server = server
    this.#origin = origin
  }

  /** A browser of the same person that reaches another app at the same origin. */
  at(server: Deployment): Browser {
    const other = new Browser(server, this.#origin)
    for (const [name, value] of this.cookies) other.cookies.set(name, value)
    return other
  }

  get(path: string, headers: HeaderChanges = {}): Promise<Page> {
    return this.#send(path, {}, headers)
  }

  /** Sends a form as a page of this origin does; a header of null is left out. */
  post(path: string, fields: Fields, headers: HeaderChanges = {}): Promise<Page> {
    const init = { method: 'POST', body: encodeForm(fields) }
    return this.#send(path, init, {
      'content-type': 'application/x-www-form-urlencoded',
      origin: this.#origin,
      'sec-fetch-site': 'same-origin',
      ...headers,
    })
  }

  /** Answers the question of a consent page, and ticks its box where it has one. */
  decide(page: Page, decision: string | undefined, fields: Fields = {}): Promise<Page> {
    const confirmed = fieldOf(page.html, 'confirmed')
    return this.post('/authorize/decision', { ...formOf(page), decision, confirmed, ...fields })
  }

  /** Signs in at the account page. */
  async signIn(passphrase: string = PASSPHRASE): Promise<Page> {
    const { csrf } = formOf(await this.get('/account'))
    return this.post('/login', { csrf, passphrase })
  }

  async #send(path: string, init: RequestInit, changes: HeaderChanges): Promise<Page> {
    const headers = new Headers()
    if (this.cookies.size > 0) {
      headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    }
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) headers.delete(name)
      else headers.set(name, value)
    }
    const response = await this.#server.fetch(`${this.#origin}${path}`, { ...init, headers })
    this.#keep(response)
    const html = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      location: response.headers.get('location'),
      html,
      actions: [...html.matchAll(/<form[^>]* action="([^"]*)"/g)].map(([, action = '']) => action),
    }
  }

  #keep({ headers }: Response): void {
    for (const cookie of headers.getSetCookie()) {
      const [pair = '', ...attributes] = cookie.split('; ')
      const [name = '', value = ''] = pair.split('=')
      if (attributes.includes('Max-Age=0')) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}

/** The hidden fields of a page's first form. */
export function formOf({ html }: Page): { readonly csrf: string; readonly transaction: string } {
  return { csrf: fieldOf(html, 'csrf') ?? '', transaction: fieldOf(html, 'transaction') ?? '' }
}

export function fieldOf(html: string, name: string): string | undefined {
  return new RegExp(`<input[^>]* name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1]
}

/** Every value of the fields of one name. */
export function fieldsOf(html: string, name: string): readonly string[] {
  const fields = html.matchAll(new RegExp(`<input[^>]* name="${name}"[^>]* value="([^"]*)"`, 'g'))
  return [...fields].map(([, value = '']) => value)
}

/** A form body without the fields that are undefined. */
export function encodeForm(fields: Fields): string {
  const sent = Object.entries(fields).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return new URLSearchParams(sent).toString()
}
