/** Checks the options of `serverCard()` when it is called, so that a mistake throws at the start. */
import { CREDENTIAL_HEADERS } from '../../protocol/credential-headers.ts'
import { isJsonObject, type JsonObject } from '../../protocol/json.ts'
import { checkMembers, FLAG, isText, isUrl, type Rules, TEXT, TEXTS } from './check-members.ts'
import type { ServerCardOptions } from './options.ts'

/** Labels with dots between them, a slash, and a name. */
const NAME = /^[a-z\d-]+(?:\.[a-z\d-]+)+\/[\w.-]+$/i

/** A prefix of labels with a slash. @see https://modelcontextprotocol.io/specification/2026-07-28/basic/index#meta */
const META_KEY = /^[a-z][a-z\d-]*(?:\.[a-z][a-z\d-]*)+\/[a-z\d](?:[\w.-]*[a-z\d])?$/i

/** Prefixes in which a label after this one follows belong to the protocol. */
const RESERVED_PREFIX = /(?:^|\.)(?:modelcontextprotocol|mcp)\./i

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\da-z]+$/i

export const MAX_DESCRIPTION = 100

const OPTIONS: Rules = {
  'name!': [
    (value) => typeof value === 'string' && value.length <= 200 && NAME.test(value),
    'a domain of yours in reverse, a slash and a name, such as "com.example/notes", with at most 200 characters',
  ],
  description: [isText(MAX_DESCRIPTION), `a text of 1 to ${MAX_DESCRIPTION} characters`],
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
  'source!': [isText(), 'the service of the repository, such as "github"'],
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
    if (META_KEY.test(key) && !RESERVED_PREFIX.test(key.split('/')[0] ?? '')) continue
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
    throw new TypeError(`${at}.value names {${unknown}}, which ${at}.variables does not have`)
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

/** The domain of a name: `example.com` of `com.example/notes`. */
export function domainOf(name: string): string {
  const [namespace = ''] = name.toLowerCase().split('/')
  return namespace.split('.').reverse().join('.')
}

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
    `serverCard.identifier ${JSON.stringify(identifier)} must begin with "urn:air:${own}:", the domain of ${name}, and name the server: "urn:air:${own}:mcp:${name.split('/')[1]}"`,
  )
}
