/** Rules of one identity: the documents of a server say the same of it. */
import { firstOf, quoted } from '../../../../text/src/quoted.ts'
import type { Detected, Rule } from '../finding.ts'
import { type Described, describedBy } from './documents.ts'
import { MAX_DESCRIPTION } from './server-json.ts'

export const identity: Rule = (input) => {
  const all = describedBy(input)
  return [
    ...compared(all, 'name', 'name-differs', isSameName),
    ...compared(all, 'version', 'version-differs'),
    ...compared(all, 'title', 'title-differs'),
    ...compared(all, 'description', 'description-differs', isSameDescription),
    ...remoteFaults(all, input.url),
  ]
}

type Member = 'name' | 'version' | 'title' | 'description'
type Compare = (one: string, other: string) => boolean

/** A document without the member agrees with every other one. */
function compared(
  all: readonly Described[],
  member: Member,
  code: Detected['code'],
  isSame: Compare = (one, other) => one === other,
): Detected[] {
  const known = all.flatMap((one) => {
    const value = one[member]
    return value === undefined ? [] : { document: one.document, value }
  })
  for (const [index, one] of known.entries()) {
    const other = known.slice(index + 1).find(({ value }) => !isSame(one.value, value))
    if (other === undefined) continue
    const seen = `${one.document} has ${quoted(one.value)}, and ${other.document} has ${quoted(other.value)}`
    return [{ code, seen }]
  }
  return []
}

/** The registry and the card put a namespace before the name; packages and definitions do not. */
function isSameName(one: string, other: string): boolean {
  const isNamespaced = (name: string) => name.includes('/')
  if (isNamespaced(one) === isNamespaced(other)) return one === other
  const [short, long] = isNamespaced(one) ? [other, one] : [one, other]
  return long.slice(long.indexOf('/') + 1) === short
}

/** The limit of the registry does not bind the definition, so a longer description has a short one beside it. */
const isSameDescription: Compare = (one, other) =>
  one === other || Math.max(one.length, other.length) > MAX_DESCRIPTION

function remoteFaults(all: readonly Described[], url: string | undefined): Detected[] {
  if (url === undefined || !URL.canParse(url)) return []
  const wrong = all.find(({ remotes }) => remotes?.every((remote) => !matchesUrl(remote, url)))
  if (wrong === undefined) return []
  const named = firstOf((wrong.remotes ?? []).map(quoted))
  return [{ code: 'remote-differs', seen: `${wrong.document} names ${named}, not ${quoted(url)}` }]
}

/** A `{variable}` of a remote stands for a part of the URL. */
function matchesUrl(remote: string, url: string): boolean {
  const parts = remote.slice(0, 2000).split(/\{[A-Za-z_]\w{0,100}\}/)
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const plain = (text: string) => text.replace(/\/$/, '')
  if (parts.length === 1)
    return URL.canParse(remote) && plain(new URL(remote).href) === plain(new URL(url).href)
  return parts.length <= 10 && new RegExp(`^${escaped.join('[^/?#]+')}/?$`).test(url)
}
