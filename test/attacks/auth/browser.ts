/** A browser for the pages: it stores cookies and submits forms. */
import { type Answer, FORM, type Sending, send } from './send.ts'

export const OWNER = 'correct horse battery staple'
export const GUEST = 'battery staple correct horse'

/** The hidden fields of a form, and its box, which is empty where it has none. */
export interface Form {
  readonly transaction: string
  readonly csrf: string
  readonly confirmed: string
}

export class Browser {
  readonly origin: string
  readonly cookies = new Map<string, string>()

  constructor(origin: string) {
    this.origin = origin
  }

  async get(path: string): Promise<Answer> {
    return this.#storeCookies(await send(this.origin, path, { headers: this.cookieHeader() }))
  }

  async post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Sending['headers'] = [],
  ): Promise<Answer> {
    const body = new URLSearchParams(fields).toString()
    const all = [FORM, ['origin', this.origin] as const, ...headers, ...this.cookieHeader()]
    return this.#storeCookies(await send(this.origin, path, { method: 'POST', headers: all, body }))
  }

  /** Reads the consent page of an authorization request. */
  async consent(query: string): Promise<Form> {
    return formOf(await this.get(`/authorize?${query}`))
  }

  approve(form: Form, passphrase?: string): Promise<Answer> {
    const fields = { ...form, decision: 'approve' }
    return this.post(
      '/authorize/decision',
      passphrase === undefined ? fields : { ...fields, passphrase },
    )
  }

  cookieHeader(): readonly (readonly [string, string])[] {
    if (this.cookies.size === 0) return []
    return [['cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')]]
  }

  #storeCookies(answer: Answer): Answer {
    for (const text of answer.headers.getSetCookie()) {
      const [pair = ''] = text.split(';')
      const equals = pair.indexOf('=')
      const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)]
      if (/max-age=0(?:;|$)/i.test(text)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return answer
  }
}

function formOf({ status, body }: Answer): Form {
  return {
    transaction: fieldOf(body, 'transaction', status),
    csrf: fieldOf(body, 'csrf', status),
    confirmed: body.includes('name="confirmed"') ? fieldOf(body, 'confirmed') : '',
  }
}

function fieldOf(html: string, name: string, status = 200): string {
  const [, value] = new RegExp(`name="${name}"[^>]*value="([^"]*)"`).exec(html) ?? []
  if (value === undefined) throw new Error(`No field ${name} in a page of status ${status}`)
  return value
}
