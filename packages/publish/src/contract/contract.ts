/**
 * The contract of a project: what its servers show to clients, with fingerprints and sizes.
 *
 * Compared in the direction in which values flow: for arguments the old schema is the sender, for results the new one.
 * A new member of a closed result is breaking, because clients validate with the list that they hold.
 */
import { createHash } from 'node:crypto'
import { canonicalText } from '../../../../src/protocol/canonical-json.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import type { Surface } from '../../../doctor/src/definition/surface.ts'

/** One tool, prompt, resource, template or event type, as the list has it. */
export interface ContractEntry {
  readonly definition: JsonObject
  /** SHA-256 of the definition in the form of RFC 8785. */
  readonly fingerprint: string
  /** Of that form in UTF-8. */
  readonly bytes: number
  /** Of that form. */
  readonly tokens: number
  /** Absent for an entry of a list. A tool that no list has answers all the same. */
  readonly listed?: false
  /** The scopes that a token needs for it, sorted. Absent for none. */
  readonly scopes?: readonly string[]
}

/** The lists, and the member of a definition that distinguishes it. */
export const LISTS = {
  tools: { key: 'name', kind: 'tool' },
  prompts: { key: 'name', kind: 'prompt' },
  resources: { key: 'uri', kind: 'resource' },
  resourceTemplates: { key: 'uriTemplate', kind: 'resource template' },
  events: { key: 'name', kind: 'event' },
} as const

export type ListName = keyof typeof LISTS
export const LIST_NAMES = Object.keys(LISTS) as readonly ListName[]

export interface ServerContract extends Readonly<Record<ListName, readonly ContractEntry[]>> {
  /** What distinguishes the servers of a Worker, with their paths. */
  readonly audience: string
  /** As patterns. Empty for a server at any path. */
  readonly paths: readonly string[]
  /** The name, titles and instructions. The version is not part of a contract. */
  readonly info: ContractEntry
  readonly fingerprint: string
  readonly bytes: number
  readonly tokens: number
}

export interface Contract {
  /** The version of this form. */
  readonly contract: 1
  readonly tokenizer: typeof TOKENIZER
  readonly fingerprint: string
  readonly servers: readonly ServerContract[]
}

export const TOKENIZER = 'o200k_base; for other models an estimate'

export interface ContractSource {
  readonly audience: string
  readonly paths: readonly string[]
  readonly surface: Surface
}

export type CountTokens = (text: string) => number

export function createContract(
  sources: readonly ContractSource[],
  countTokens: CountTokens,
): Contract {
  const servers = sources.map((source) => serverContract(source, countTokens))
  const sorted = servers.toSorted((a, b) => compareTexts(nameOf(a), nameOf(b)))
  return wholeContract(sorted)
}

export const wholeContract = (servers: readonly ServerContract[]): Contract => ({
  contract: 1,
  tokenizer: TOKENIZER,
  fingerprint: fingerprintOf(servers.map(({ fingerprint }) => fingerprint)),
  servers,
})

/** A server as messages name it. */
export const nameOf = ({ audience, paths }: Pick<ServerContract, 'audience' | 'paths'>): string =>
  paths.length === 0 ? audience : `${audience} (${paths.join(', ')})`

function serverContract(
  { audience, paths, surface }: ContractSource,
  countTokens: CountTokens,
): ServerContract {
  const entryOf = (value: unknown): ContractEntry => {
    // Members that are undefined are absent from JSON.
    const definition = JSON.parse(JSON.stringify(value)) as JsonObject
    const text = canonicalText(definition)
    return {
      definition,
      fingerprint: fingerprintOf(definition),
      bytes: Buffer.byteLength(text),
      tokens: countTokens(text),
    }
  }
  const { name, title, description, websiteUrl } = surface.info
  const { instructions, unlisted = [], hidden = [], scopes = {} } = surface
  const info = entryOf({ name, title, description, websiteUrl, instructions })
  // The keys are all names of lists, which `fromEntries` does not say in its type.
  const lists = Object.fromEntries(
    LIST_NAMES.map((list) => {
      const isTools = list === 'tools'
      const names = new Set(isTools ? [...hidden, ...unlisted.map(({ name }) => name)] : [])
      const needed = list === 'events' ? {} : (scopes[list] ?? {})
      const entries = [...surface[list], ...(isTools ? unlisted : [])].map((value) => {
        const entry = entryOf(value)
        const key = keyOf(list, entry)
        const own = Object.hasOwn(needed, key) ? needed[key] : undefined
        return {
          ...entry,
          ...(names.has(key) && { listed: false as const }),
          ...(own !== undefined && { scopes: own.toSorted() }),
        }
      })
      return [list, entries.toSorted((a, b) => compareTexts(keyOf(list, a), keyOf(list, b)))]
    }),
    // Its keys are all lists, which the compiler does not follow.
  ) as unknown as Record<ListName, readonly ContractEntry[]>
  const all = [info, ...Object.values(lists).flat()]
  // A tool that no list has costs its clients nothing.
  const shown = all.filter(({ listed }) => listed !== false)
  return {
    audience,
    paths,
    info,
    ...lists,
    fingerprint: fingerprintOfServer({ audience, paths, info, ...lists }),
    bytes: shown.reduce((sum, { bytes }) => sum + bytes, 0),
    tokens: shown.reduce((sum, { tokens }) => sum + tokens, 0),
  }
}

export const keyOf = (list: ListName, { definition }: ContractEntry): string =>
  String(definition[LISTS[list].key])

/** Of the definitions alone: another version of the tokenizer does not change it. */
export function fingerprintOfServer({
  audience,
  paths,
  info,
  ...lists
}: Omit<ServerContract, 'fingerprint' | 'bytes' | 'tokens'>): string {
  const prints = LIST_NAMES.map((list) =>
    lists[list].map(({ fingerprint, listed = true, scopes }) => [
      fingerprint,
      listed,
      ...(scopes === undefined ? [] : [scopes]),
    ]),
  )
  return fingerprintOf([audience, paths, info.fingerprint, prints])
}

export const fingerprintOf = (value: unknown): string =>
  `sha256:${createHash('sha256').update(canonicalText(value)).digest('hex')}`

/** By UTF-16 code units, as RFC 8785 sorts the members of objects. */
const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
