/** Checks the options of `serverCard()` when it is called, so that a mistake throws at the start. */
import { CREDENTIAL_HEADERS } from '../../protocol/credential-headers.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import {
  checkMembers,
  FLAG,
  isText,
  isUrl,
  type Rule,
  type Rules,
  TEXT,
  TEXTS,
} from './check-members.ts'
import type { ServerCardOptions } from './options.ts'

/** Labels with dots between them, a slash, and a name. */
const NAME = /^[a-z\d-]+(?:\.[a-z\d-]+)+\/[\w.-]+$/i

/**
 * A prefix of labels with a slash, and a name. A prefix with a label after `mcp` belongs to the protocol.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta
 */
const META_KEY =
  /^(?!(?:[^/]*\.)?(?:modelcontextprotocol|mcp)\.)[a-z][a-z\d-]*(?:\.[a-z][a-z\d-]*)+\/[a-z\d](?:[\w.-]*[a-z\d])?$/i

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\da-z]+$/i

const MAX_TEXT = 100

const SHORT_TEXT: Rule = [isText(MAX_TEXT), `a text of 1 to ${MAX_TEXT} characters`]

const OPTIONS: Rules = {
  'name!': [
    (value) => typeof value === 'string' && value.length <= 200 && NAME.test(value),
    'a domain of yours in reverse, a slash and a name, such as "com.example/notes"',
  ],
  description: SHORT_TEXT,
  repository: [isJsonObject, 'an object'],
  variables: [isJsonObject, 'an object'],
  headers: [Array.isArray, 'a list'],
  identifier: [
    (value) => typeof value === 'string' && /^[a-z][a-z\d+.-]*:\S+$/i.test(value),
    'a URI, such as "urn:air:example.com:mcp:notes"',
  ],
  tags: TEXTS,
  host: [isJsonObject, 'an object'],
  _meta: [isJsonObject, 'an object'],
}

const REPOSITORY: Rules = {
  'url!': [isUrl('https:'), 'an https: URL'],
  'source!': [isText(), 'a text, such as "github"'],
  subfolder: [
    (value) => isText()(value) && !/^\/|\\|\/$|(?:^|\/)\.{0,2}(?:\/|$)/.test(value),
    'a path below the repository, such as "servers/notes"',
  ],
  id: TEXT,
}

const HOST: Rules = {
  'displayName!': TEXT,
  identifier: TEXT,
  documentationUrl: [isUrl('https:'), 'an https: URL'],
  logoUrl: [isUrl('https:', 'data:'), 'an https: or data: URL'],
}

const FORMATS: readonly unknown[] = ['string', 'number', 'boolean', 'filepath']

/** What a variable of a path has: clients replace all of them, by values of their own. */
const VARIABLE: Rules = {
  description: TEXT,
  isSecret: FLAG,
  format: [(value) => FORMATS.includes(value), '"string", "number", "boolean" or "filepath"'],
  default: TEXT,
  placeholder: TEXT,
  choices: TEXTS,
}

const INPUT: Rules = { ...VARIABLE, isRequired: FLAG, value: TEXT }

const HEADER: Rules = {
  ...INPUT,
  'name!': [
    (value) => typeof value === 'string' && HEADER_NAME.test(value),
    'the name of a header',
  ],
  variables: [isJsonObject, 'an object'],
}

/**
 * @returns a copy of the options, which the author cannot change any more
 * @throws {TypeError} that begins with the option
 */
export function checkOptions(given: unknown): ServerCardOptions {
  const options = checkMembers('serverCard', given, OPTIONS)
  const { repository, variables = {}, headers = [], host, _meta = {} } = options
  if (repository !== undefined) checkMembers('serverCard.repository', repository, REPOSITORY)
  if (host !== undefined) checkMembers('serverCard.host', host, HOST)
  for (const [name, input] of Object.entries(variables as JsonObject)) {
    checkInput(`serverCard.variables.${name}`, input, VARIABLE)
  }
  for (const [index, header] of (headers as readonly unknown[]).entries()) {
    checkHeader(`serverCard.headers[${index}]`, header)
  }
  for (const key of Object.keys(_meta as object)) {
    if (META_KEY.test(key)) continue
    throw new TypeError(
      `serverCard._meta: ${JSON.stringify(key)} must have a prefix of yours, such as "com.example/plan"`,
    )
  }
  const copy: ServerCardOptions = copyOf(options)
  checkIdentifier(copy)
  return copy
}

function copyOf<T>(options: unknown): T {
  try {
    return JSON.parse(JSON.stringify(options))
  } catch (cause) {
    throw new TypeError('serverCard: the options must be JSON', { cause })
  }
}

function checkHeader(at: string, given: unknown): void {
  const { name, value, variables = {} } = checkInput(at, given, HEADER)
  for (const [variable, input] of Object.entries(variables as JsonObject)) {
    checkInput(`${at}.variables.${variable}`, input, INPUT)
  }
  if (value === undefined) return
  const named = [...`${value}`.matchAll(/\{([^{}]*)\}/g)].map(([, variable = '']) => variable)
  const unknown = named.find((variable) => !Object.hasOwn(variables as object, variable))
  if (unknown !== undefined) {
    throw new TypeError(`${at}.variables has no ${unknown}, which its value names`)
  }
  if (named.length === 0 && CREDENTIAL_HEADERS.has(`${name}`.toLowerCase())) throw published(at)
}

function checkInput(at: string, given: unknown, rules: Rules): JsonObject {
  const input = checkMembers(at, given, rules)
  const { isSecret, value, default: fallback, choices } = input
  const isFixed = value !== undefined && !/\{[^{}]+\}/.test(`${value}`)
  if (isSecret && (isFixed || fallback !== undefined || choices !== undefined)) throw published(at)
  return input
}

const published = (at: string) =>
  new TypeError(
    `${at} is a secret, and everyone can read the card: remove value, default and choices`,
  )

/** A version that matches several, which registries refuse. */
const RANGE = /^[\^~<>=]|[\s|*]|(?:^|\.)x(?:\.|$)|^latest$/i

const INFO: Rules = {
  'version!': [
    (value) => isText(255)(value) && !RANGE.test(value),
    'one version, such as "1.4.0". For a factory, it is in the option info',
  ],
  title: SHORT_TEXT,
  'description!': [
    isText(MAX_TEXT),
    `a text of 1 to ${MAX_TEXT} characters. Another one for the card is serverCard({ description })`,
  ],
  websiteUrl: [isUrl('https:', 'http:'), 'an https: URL'],
}

/** @throws {TypeError} for values of a definition that no card can have */
export function checkInfo(info: object): void {
  checkMembers('serverCard() needs another definition: info', info, INFO)
}

/** The domain of a name: `example.com` of `com.example/notes`. */
function domainOf(name: string): string {
  const [namespace = ''] = name.toLowerCase().split('/')
  return namespace.split('.').reverse().join('.')
}

export const airOf = (name: string) => `urn:air:${domainOf(name)}:mcp:${name.split('/')[1]}`

/** An identifier of the scheme `urn:air` names the domain of its publisher. */
function checkIdentifier({ name, identifier = '' }: ServerCardOptions): void {
  const air = /^urn:air:(.*)$/i.exec(identifier)?.[1]
  if (air === undefined) return
  const [publisher = '', ...parts] = air.toLowerCase().split(':')
  const own = domainOf(name)
  const isBelow = (domain: string, other: string) => `.${domain}`.endsWith(`.${other}`)
  const isOwn = publisher.includes('.') && (isBelow(own, publisher) || isBelow(publisher, own))
  if (isOwn && parts.length > 0 && !parts.includes('')) return
  throw new TypeError(
    `serverCard.identifier must name your domain, as in "${airOf(name)}", or have another scheme`,
  )
}
