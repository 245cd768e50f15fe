/** The origins to which the tokens of a connection may be sent. */
import { isLoopbackName } from '../../protocol/loopback-name.ts'

export interface TokenOrigins {
  /** In the words of the option. */
  readonly listed: readonly string[]
  /** Whether a token may be sent to a URL. */
  readonly includes: (url: URL) => boolean
}

/** A host, or `*.` for all hosts below one of at least two labels. */
const FORM = /^(https?):\/\/(\*\.)?([a-z\d.-]+|\[[\da-f:]+\])(:\d{1,5})?$/

/** @throws {TypeError} for no origin, and for one of another form */
export function readOrigins(subject: string, listed: readonly string[] | undefined): TokenOrigins {
  if (!Array.isArray(listed) || listed.length === 0) {
    throw new TypeError(
      `${subject} needs origins: where its tokens may be sent, such as ['https://api.example.com']`,
    )
  }
  const tests = listed.map((origin: string) => testOf(subject, origin))
  return { listed, includes: (url) => tests.some((test) => test(url)) }
}

function testOf(subject: string, origin: unknown): (url: URL) => boolean {
  const [, scheme, star, host = '', port = ''] = FORM.exec(String(origin)) ?? []
  const isSecure = scheme === 'https' || (scheme === 'http' && isLoopbackName(host))
  const isWide = star !== undefined && !host.includes('.')
  if (!isSecure || isWide) {
    throw new TypeError(
      `${subject}: ${JSON.stringify(origin)} must be an https origin without a path, or https://*.example.com`,
    )
  }
  if (star === undefined) return (url) => url.origin === new URL(`${origin}`).origin
  return ({ protocol, hostname, port: own }) =>
    protocol === `${scheme}:` && own === port.slice(1) && hostname.endsWith(`.${host}`)
}
