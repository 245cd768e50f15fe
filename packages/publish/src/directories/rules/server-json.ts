/** Rules of `server.json`, and of what the registry would take from the definition and the Server Card. */

import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { hostKind } from '../../../../client/src/host-kind.ts'
import { jsonOf } from '../../../../text/src/json/json-text.ts'
import { listIn, type Members } from '../../../../text/src/json/members.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { isRegistryIcon } from '../../server-json/server-json.ts'
import type { Detected, Rule } from '../finding.ts'

export const MAX_DESCRIPTION = 100
const MAX_TITLE = 100
const MAX_VERSION = 255
const MAX_META_BYTES = 4096

const SCHEMA =
  /^https:\/\/static\.modelcontextprotocol\.io\/schemas\/(\d{4}-\d{2}-\d{2})\/server\.schema\.json$/
const SCHEMA_OF_RECORD = '2025-12-11'
const PUBLISHER = 'io.modelcontextprotocol.registry/publisher-provided'

/** Members that the registry writes itself. */
const OF_THE_REGISTRY = ['status', 'publishedAt', 'updatedAt', 'isLatest']

export const serverJson: Rule = ({ serverJson: value, isDevelopment = false }) => {
  if (value === undefined) return []
  if (!isJsonObject(value)) return [{ code: 'server-json-invalid', seen: `It is ${quoted(value)}` }]
  return [
    ...formFaults(value),
    ...schemaFaults(value.$schema),
    ...nameFaults(value.name),
    ...versionFaults(value.version),
    ...titleFaults(value.title),
    ...descriptionFaults(value.description),
    ...remoteFaults(value, isDevelopment),
    ...metaFaults(value._meta),
  ]
}

/** Without `server.json`, the definition is what it will be written from. */
export const definition: Rule = ({ surface, serverJson: value, card }) => {
  if (surface === undefined || value !== undefined || card !== undefined) return []
  const { version, title } = surface.info
  // A server may tell nothing of itself.
  return [...(version === '' ? [] : versionFaults(version)), ...titleFaults(title)]
}

/** As JSON Schema counts them: an emoji is one. */
const charactersOf = (text: string) => [...text].length

export const isText = (value: unknown, max: number): value is string =>
  typeof value === 'string' && value.trim() !== '' && charactersOf(value) <= max

const fault = (code: Detected['code'], seen: string): Detected[] => [{ code, seen }]

function formFaults(value: Members): Detected[] {
  const own = OF_THE_REGISTRY.find((member) => member in value)
  if (own !== undefined) return fault('server-json-invalid', `It has ${own}`)
  const lists = ['remotes', 'packages', 'icons'].find(
    (member) => value[member] !== undefined && !Array.isArray(value[member]),
  )
  if (lists !== undefined) {
    return fault('server-json-invalid', `${lists} is ${quoted(value[lists])}`)
  }
  const { websiteUrl, repository } = value
  if (websiteUrl !== undefined && !isHttpsUrl(websiteUrl)) {
    return fault('server-json-invalid', `websiteUrl is ${quoted(websiteUrl)}`)
  }
  const icon = listIn(value, 'icons').find((one) => !isRegistryIcon(one))
  if (icon !== undefined) return fault('server-json-invalid', `icons has ${quoted(icon)}`)
  return repository === undefined || isRepository(repository)
    ? []
    : fault('server-json-invalid', `repository is ${quoted(repository)}`)
}

const isHttpsUrl = (value: unknown): boolean =>
  typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:'

/** @see https://github.com/modelcontextprotocol/registry/blob/main/internal/validators/utils.go */
const REPOSITORIES: ReadonlyMap<unknown, RegExp> = new Map([
  ['github', /^https?:\/\/(?:www\.)?github\.com\/[\w.-]+\/[\w.-]+\/?$/],
  ['gitlab', /^https?:\/\/(?:www\.)?gitlab\.com\/[\w.-]+(?:\/[\w.-]+)+\/?$/],
])

/** The registry knows two sources, and the URL is that of a repository there. */
function isRepository(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { url, source, subfolder = 'a' } = value
  const isPath =
    typeof subfolder === 'string' &&
    subfolder.split('/').every((part) => /^[\w.-]+$/.test(part) && !/^\.{1,2}$/.test(part))
  return isPath && REPOSITORIES.get(source)?.test(String(url)) === true
}

function schemaFaults(schema: unknown): Detected[] {
  if (schema === undefined) return []
  const [, date] = SCHEMA.exec(String(schema)) ?? []
  return date === SCHEMA_OF_RECORD
    ? []
    : fault('server-json-schema', `$schema is ${quoted(schema)}`)
}

export const SERVER_NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/

/** The registry wants letters or digits at both ends of both parts, so each has two characters at least. */
const REGISTRY_NAME = /^[a-z0-9][a-z0-9.-]*[a-z0-9]\/[a-z0-9][a-z0-9._-]*[a-z0-9]$/i

function nameFaults(name: unknown): Detected[] {
  return isText(name, 200) && REGISTRY_NAME.test(name)
    ? []
    : fault('server-name-invalid', `It is ${quoted(name)}`)
}

/** Ranges, and the name that stands for a version. */
const RANGE = /^[\^~<>=]|\s\|\||\s-\s|(?:^|\.)[x*](?:\.|$)|^latest$|[<>=]\s?\d/i

export const isVersion = (value: unknown): boolean =>
  isText(value, MAX_VERSION) && !RANGE.test(value)

function versionFaults(version: unknown): Detected[] {
  return isVersion(version) ? [] : fault('server-version-invalid', `It is ${quoted(version)}`)
}

function titleFaults(title: unknown): Detected[] {
  if (title === undefined || isText(title, MAX_TITLE)) return []
  return fault('server-title-invalid', `It is ${quoted(title)}`)
}

function descriptionFaults(text: unknown): Detected[] {
  if (isText(text, MAX_DESCRIPTION)) return []
  const length = typeof text === 'string' ? ` of ${charactersOf(text)} characters` : ''
  return fault('server-description-invalid', `It is ${quoted(text)}${length}`)
}

function remoteFaults(value: Members, isDevelopment: boolean): Detected[] {
  const remotes = listIn(value, 'remotes')
  if (remotes.length === 0) {
    return listIn(value, 'packages').length > 0
      ? []
      : fault('server-remote-missing', `remotes is ${quoted(value.remotes)}`)
  }
  const wrong = remotes.find((remote) => !isRemote(remote, isDevelopment, 'server.json'))
  return wrong === undefined && !remotes.includes(undefined)
    ? []
    : fault('server-remote-invalid', `It is ${quoted(wrong)}`)
}

const VARIABLE = /\{([^{}]{1,100})\}/g

/** The URL of a remote may begin with a variable in a card, and not in `server.json`. */
export function isRemote(
  remote: unknown,
  isDevelopment: boolean,
  document: 'card' | 'server.json',
): boolean {
  if (!isJsonObject(remote) || typeof remote.url !== 'string') return false
  if (remote.type !== 'streamable-http' && remote.type !== 'sse') return false
  const variables = isJsonObject(remote.variables) ? remote.variables : {}
  const names = [...remote.url.matchAll(VARIABLE)].map(([, name = '']) => name)
  if (names.some((name) => !/^[A-Za-z_]\w*$/.test(name) || !isJsonObject(variables[name])))
    return false
  const whole = document === 'card' ? withOrigin(remote.url) : remote.url
  const concrete = withValues(whole)
  if (/\s/.test(concrete) || !URL.canParse(concrete)) return false
  const url = new URL(concrete)
  if (isDevelopment && hostKind(url) === 'loopback') return true
  return url.protocol === 'https:' && hostKind(url) === 'public'
}

/** In place of a variable at the beginning. */
const withOrigin = (url: string) => url.replace(/^\{[^{}]+\}/, 'https://a.example.com')

/** A URL with a value for each variable: a port, a host, or a part of them or of the path. */
const withValues = (url: string): string =>
  url
    .replace(/:\{[^{}]+\}(?=[/?#]|$)/, ':443')
    .replace(/^(https?:\/\/)\{[^{}]+\}(?=[:/?#]|$)/i, '$1a.example.com')
    .replace(VARIABLE, 'a')

function metaFaults(meta: unknown): Detected[] {
  if (meta === undefined) return []
  if (!isJsonObject(meta)) return fault('server-meta-invalid', `It is ${quoted(meta)}`)
  const other = Object.keys(meta).find((key) => key !== PUBLISHER)
  if (other !== undefined) return fault('server-meta-invalid', `It has ${quoted(other)}`)
  const bytes = Buffer.byteLength(jsonOf(meta) ?? ' '.repeat(MAX_META_BYTES + 1))
  return bytes > MAX_META_BYTES ? fault('server-meta-invalid', `It has ${bytes} bytes`) : []
}
