/** E-mail addresses and their domains in one comparable form. */
import { asciiLowerCase } from '../../platform/ascii-lower-case.ts'

/** RFC 5321 §4.5.3.1.3 allows 254 characters for a path with an address. */
const MAX_LENGTH = 254

/** Without quoted local parts: what they may contain looks like another address. */
const ADDRESS = /^([^\s\p{C}"(),:;<>@[\\\]]+)@([^\s\p{C}"(),:;<>@[\\\]]+)$/u

export interface EmailAddress {
  /** With ASCII letters in lower case. */
  readonly address: string
  readonly domain: string
}

/** Undefined for text that is not one plain address. */
export function parseEmail(text: string): EmailAddress | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const [, local, host] = ADDRESS.exec(text) ?? []
  const domain = host && normaliseDomain(host)
  if (local === undefined || !domain) return undefined
  return { address: `${asciiLowerCase(local)}@${domain}`, domain }
}

/**
 * A domain in ASCII, in lower case and without the dot of the root; undefined for text that is none.
 *
 * A label in another script becomes its A-label (`xn--…`), so that it never equals a label in Latin. A
 * label that only looks different, such as `ａｃｍｅ`, has none and is refused: whether it is the same name
 * depends on the software.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5891#section-5
 */
export function normaliseDomain(text: string): string | undefined {
  const labels = text.replace(/\.$/, '').split('.').map(normaliseLabel)
  const domain = labels.join('.')
  return labels.includes(undefined) || domain.length > MAX_LENGTH ? undefined : domain
}

function normaliseLabel(label: string): string | undefined {
  if (/^[A-Za-z\d](?:[A-Za-z\d-]{0,61}[A-Za-z\d])?$/.test(label)) return asciiLowerCase(label)
  if (!/^[\p{L}\p{M}\p{N}-]{1,63}$/u.test(label)) return undefined
  // A suffix keeps the URL parser from reading a label of digits as an address.
  const host = URL.parse(`https://${label}.example`)?.hostname.replace(/\.example$/, '')
  return host !== undefined && /^xn--[a-z\d-]+$/.test(host) ? host : undefined
}
