/** The rule of the AI Catalog. */
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { listIn, memberAt } from '../../../../text/src/json/members.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import type { Detected, Rule } from '../finding.ts'
import { isText } from './server-json.ts'

type Value = Readonly<Record<string, unknown>>

export const catalog: Rule = ({ catalog: value, card, url, deadCardUrl }) => {
  if (value === undefined) return []
  const seen = isJsonObject(value)
    ? (catalogFault(value) ?? deadFault(deadCardUrl) ?? ownEntryFault(value, card, url))
    : `It is ${quoted(value)}`
  if (seen === undefined) return []
  // A site that answers every path with a page has no catalogue.
  const found: Detected = { code: 'catalog-invalid', seen, isDoubtful: typeof value === 'string' }
  return [found]
}

function catalogFault(value: Value): string | undefined {
  const { specVersion, entries, host } = value
  if (typeof specVersion !== 'string' || !/^1\.\d{1,4}$/.test(specVersion)) {
    return `specVersion is ${quoted(specVersion)}`
  }
  if (host !== undefined && !isText(memberAt(host, 'displayName'), 1000)) {
    return `host is ${quoted(host)}`
  }
  if (!Array.isArray(entries)) return `entries is ${quoted(entries)}`
  const seen = new Set<string>()
  for (const entry of listIn(value, 'entries')) {
    if (!isEntry(entry)) return `entries has ${quoted(entry)}`
    const key = JSON.stringify([entry.identifier, entry.version ?? ''])
    if (seen.has(key)) return `entries has ${quoted(entry.identifier)} twice`
    seen.add(key)
  }
  return undefined
}

const isEntry = (entry: unknown): entry is Value =>
  isJsonObject(entry) &&
  isText(entry.identifier, 2000) &&
  isText(entry.type, 200) &&
  'url' in entry !== 'data' in entry &&
  (!('url' in entry) || (typeof entry.url === 'string' && URL.canParse(entry.url)))

const deadFault = (url: string | undefined) =>
  url && `entries leads to ${quoted(url)}, where no Server Card is`

/**
 * The entry of the card of this server names the version of the card, and a domain of its publisher. A name of GitHub
 * says nothing of a domain.
 */
function ownEntryFault(value: Value, card: unknown, url: string | undefined): string | undefined {
  const own = listIn(value, 'entries').find(
    (entry) => url !== undefined && memberAt(entry, 'url') === `${url}/server-card`,
  )
  if (!isJsonObject(own) || !isJsonObject(card)) return undefined
  const { identifier, version } = own
  if (version !== undefined && version !== card.version) {
    return `The version of ${quoted(identifier)} is ${quoted(version)}, and that of its card ${quoted(card.version)}`
  }
  const publisher = /^urn:air:([^:]+):/i.exec(String(identifier))?.[1]?.toLowerCase()
  const [namespace = ''] = String(card.name).toLowerCase().split('/')
  if (publisher === undefined || namespace.startsWith('io.github.')) return undefined
  const owner = namespace.split('.').toReversed().join('.')
  const isBelow = (domain: string, other: string) => `.${domain}`.endsWith(`.${other}`)
  if (isBelow(owner, publisher) || isBelow(publisher, owner)) return undefined
  return `${quoted(identifier)} names another publisher than the card, whose name is ${quoted(card.name)}`
}
