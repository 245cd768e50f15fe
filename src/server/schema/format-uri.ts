/** The formats of addresses and URIs. @see https://www.rfc-editor.org/rfc/rfc3986#appendix-A */
import { parseIpAddress } from '../../platform/ip-address.ts'

export function isIpv4(text: string): boolean {
  return !text.includes(':') && parseIpAddress(text) !== undefined
}

export function isIpv6(text: string): boolean {
  return text.includes(':') && parseIpAddress(text) !== undefined
}

export function isUri(text: string): boolean {
  return schemeOf(text) !== undefined && isUriReference(text)
}

export function isUriReference(text: string): boolean {
  if (hasOther(text, /[^\w\-.~!$&'()*+,;=:@/?#%[\]]/)) return false
  const [beforeFragment = '', fragment = '', ...more] = text.split('#')
  if (more.length > 0 || hasOther(fragment, /[[\]]/)) return false
  const question = beforeFragment.indexOf('?')
  const query = question === -1 ? '' : beforeFragment.slice(question)
  const hierarchy = question === -1 ? beforeFragment : beforeFragment.slice(0, question)
  if (hasOther(query, /[[\]]/)) return false
  const scheme = schemeOf(hierarchy)
  const part = scheme === undefined ? hierarchy : hierarchy.slice(scheme.length + 1)
  if (!part.startsWith('//')) {
    // The first segment of a relative path has no colon: it would be a scheme.
    const [segment = ''] = part.split('/', 1)
    return !hasOther(part, /[[\]]/) && (scheme !== undefined || !segment.includes(':'))
  }
  const slash = part.indexOf('/', 2)
  const authority = slash === -1 ? part.slice(2) : part.slice(2, slash)
  const path = slash === -1 ? '' : part.slice(slash)
  return !hasOther(path, /[[\]]/) && isAuthority(authority)
}

function schemeOf(text: string): string | undefined {
  const colon = text.indexOf(':')
  const scheme = text.slice(0, Math.max(colon, 0))
  return /^[a-z]/i.test(scheme) && !/[^a-z0-9+.-]/i.test(scheme) ? scheme : undefined
}

function isAuthority(authority: string): boolean {
  const at = authority.indexOf('@')
  const user = authority.slice(0, Math.max(at, 0))
  const host = authority.slice(at + 1)
  if (hasOther(user, /[[\]@]/) || host.includes('@')) return false
  if (!host.startsWith('[')) {
    const [name = '', port = '', ...more] = host.split(':')
    return more.length === 0 && !hasOther(name, /[[\]]/) && !/\D/.test(port)
  }
  const close = host.indexOf(']')
  const literal = host.slice(1, close)
  const rest = host.slice(close + 1)
  if (close === -1 || (rest !== '' && !rest.startsWith(':')) || /\D/.test(rest.slice(1))) {
    return false
  }
  return isIpv6(literal) || /^v[0-9a-f]+\.[\w\-.~!$&'()*+,;=:]+$/i.test(literal)
}

/** Whether a text has one of these characters, or a percent sign without two hexadecimal digits. */
function hasOther(text: string, characters: RegExp): boolean {
  return characters.test(text) || /%(?![0-9a-f]{2})/i.test(text)
}
