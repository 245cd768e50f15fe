/** The formats of addresses and URIs. @see https://www.rfc-editor.org/rfc/rfc3986#appendix-A */

export function isIpv4(text: string): boolean {
  if (text.length > 15) return false
  const parts = text.split('.')
  return (
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && +part < 256)
  )
}

export function isIpv6(text: string): boolean {
  // The longest has six groups of four digits and an IPv4 address.
  if (text.length > 45) return false
  const [head = '', tail, ...rest] = text.split('::')
  if (rest.length > 0) return false
  const groups = head === '' ? 0 : countGroups(head, tail === undefined)
  if (tail === undefined) return groups === 8
  const others = tail === '' ? 0 : countGroups(tail, true)
  return groups + others < 8
}

/** Returns 8 or more for an invalid group: too many in any place. */
function countGroups(text: string, mayEndInIpv4: boolean): number {
  const groups = text.split(':')
  const last = groups.at(-1) ?? ''
  const isMixed = mayEndInIpv4 && isIpv4(last)
  const hex = isMixed ? groups.slice(0, -1) : groups
  if (!hex.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return 9
  return hex.length + (isMixed ? 2 : 0)
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
  return (
    isIpv6(literal) || (/^v[0-9a-f]+\./i.test(literal) && !/[^\w\-.~!$&'()*+,;=:]/.test(literal))
  )
}

/** Whether a text has one of these characters, or a percent sign without two hexadecimal digits. */
function hasOther(text: string, characters: RegExp): boolean {
  return characters.test(text) || /%(?![0-9a-f]{2})/i.test(text)
}
