/** Rules of the Server Card and the AI Catalog. */
import { isObject, listIn, quoted } from '../../doctor/text.ts'
import type { Detected, Rule } from '../finding.ts'
import { isRemote, SERVER_NAME } from './server-json.ts'

const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'

/** A card describes the server and not what it offers, which a client reads live. */
const FORBIDDEN = ['tools', 'resources', 'prompts', 'capabilities', 'packages']

type Value = Readonly<Record<string, unknown>>

export const card: Rule = ({ card: value, isDevelopment = false }) => {
  if (value === undefined) return []
  const seen = isObject(value) ? cardFault(value, isDevelopment) : `It is ${quoted(value)}`
  return seen === undefined ? [] : [{ code: 'card-invalid', seen }]
}

const isText = (value: unknown, max: number) =>
  typeof value === 'string' && value.trim() !== '' && value.length <= max

function cardFault(value: Value, isDevelopment: boolean): string | undefined {
  const { $schema, name, version, title, description, remotes } = value
  const has = (member: string) => `${member} is ${quoted(value[member])}`
  if ($schema !== CARD_SCHEMA) return has('$schema')
  if (!isText(name, 200) || !SERVER_NAME.test(String(name))) return has('name')
  if (!isText(version, 255)) return has('version')
  if (!isText(description, 100)) return has('description')
  if (title !== undefined && !isText(title, 100)) return has('title')
  if (remotes !== undefined) {
    if (!Array.isArray(remotes)) return has('remotes')
    const wrong = remotes.find((remote) => !isRemote(remote, isDevelopment))
    if (wrong !== undefined) return `remotes has ${quoted(wrong)}`
  }
  const forbidden = FORBIDDEN.find((member) => member in value)
  return forbidden === undefined ? undefined : `It has ${forbidden}`
}

export const catalog: Rule = ({ catalog: value }) => {
  if (value === undefined) return []
  const seen = isObject(value) ? catalogFault(value) : `It is ${quoted(value)}`
  if (seen === undefined) return []
  // A site that answers every path with a page has no catalogue.
  const found: Detected = { code: 'catalog-invalid', seen, isDoubtful: typeof value === 'string' }
  return [found]
}

function catalogFault(value: Value): string | undefined {
  const { specVersion, entries } = value
  if (typeof specVersion !== 'string' || !/^1\.\d{1,4}$/.test(specVersion)) {
    return `specVersion is ${quoted(specVersion)}`
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
  isObject(entry) &&
  isText(entry.identifier, 2000) &&
  isText(entry.type, 200) &&
  'url' in entry !== 'data' in entry &&
  (!('url' in entry) || (typeof entry.url === 'string' && URL.canParse(entry.url)))
