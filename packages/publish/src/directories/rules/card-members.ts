/** The members of a Server Card, as its published schema has them. Objects are open. */
import { CREDENTIAL_HEADERS } from '../../../../../src/protocol/credential-headers.ts'
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { listIn } from '../../../../text/src/json/members.ts'
import { quoted } from '../../../../text/src/quoted.ts'
import { isRemote, isText, isVersion, SERVER_NAME } from './server-json.ts'

type Value = Readonly<Record<string, unknown>>
type Check = (value: unknown) => boolean

const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json'

const isString: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const isUri: Check = (value) => typeof value === 'string' && URL.canParse(value)
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)
const listOf =
  (each: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(each)
const recordOf =
  (each: Check): Check =>
  (value) =>
    isJsonObject(value) && Object.values(value).every(each)

/** An object whose members pass, as far as they are present. A member that must be there has a `!` at the end. */
const objectOf =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isJsonObject(value) && wrongIn(value, members) === undefined

function wrongIn(value: Value, members: Readonly<Record<string, Check>>): string | undefined {
  return Object.entries(members)
    .map(([name, check]) => [name.replace('!', ''), name.endsWith('!'), check] as const)
    .find(([name, isNeeded, check]) => {
      const member = value[name]
      return member === undefined ? isNeeded : !check(member)
    })?.[0]
}

const INPUT = {
  description: isString,
  isRequired: isFlag,
  isSecret: isFlag,
  format: oneOf('string', 'number', 'boolean', 'filepath'),
  default: isString,
  placeholder: isString,
  value: isString,
  choices: listOf(isString),
}

const REMOTE = {
  headers: listOf(objectOf({ ...INPUT, 'name!': isString, variables: recordOf(objectOf(INPUT)) })),
  variables: recordOf(objectOf(INPUT)),
  supportedProtocolVersions: listOf(isString),
}

const CARD = {
  '$schema!': oneOf(CARD_SCHEMA),
  'name!': (value: unknown) => isText(value, 200) && SERVER_NAME.test(value),
  'version!': isVersion,
  'description!': (value: unknown) => isText(value, 100),
  title: (value: unknown) => isText(value, 100),
  websiteUrl: isUri,
  repository: objectOf({ 'url!': isUri, 'source!': isString, subfolder: isString, id: isString }),
  icons: listOf(
    objectOf({
      'src!': isUri,
      mimeType: isString,
      sizes: listOf(isString),
      theme: oneOf('light', 'dark'),
    }),
  ),
  remotes: Array.isArray,
  _meta: isJsonObject,
}

/** A card describes the server and not what it offers, which a client reads live. */
const FORBIDDEN = ['tools', 'resources', 'prompts', 'capabilities', 'packages']

/** What is wrong, as a sentence without its full stop; undefined for a valid card. */
export function cardFault(card: Value, isDevelopment: boolean): string | undefined {
  const wrong = wrongIn(card, CARD)
  if (wrong !== undefined) return `${wrong} is ${quoted(card[wrong])}`
  for (const remote of listIn(card, 'remotes')) {
    if (!isRemote(remote, isDevelopment, 'card') || !objectOf(REMOTE)(remote)) {
      return `remotes has ${quoted(remote)}`
    }
    const secret = secretIn(remote)
    if (secret !== undefined) return secret
  }
  const forbidden = FORBIDDEN.find((member) => member in card)
  return forbidden === undefined ? undefined : `It has ${forbidden}`
}

/** Everyone can read a card. The value itself is not repeated. */
function secretIn(remote: unknown): string | undefined {
  const header = listIn(remote, 'headers')
    .filter(isJsonObject)
    .find(({ name, isSecret, value, default: fallback, choices }) => {
      const isFixed = typeof value === 'string' && !/\{[^{}]+\}/.test(value)
      const isCredential = CREDENTIAL_HEADERS.has(String(name).toLowerCase())
      if (isFixed) return isSecret === true || isCredential
      return isSecret === true && (fallback !== undefined || choices !== undefined)
    })
  return header && `The header ${quoted(header.name)} of a remote has a secret as its value`
}
