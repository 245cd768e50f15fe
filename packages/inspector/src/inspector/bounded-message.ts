/** A message as the inspector shows it: bounded, and without what may be a secret. */
import { MetaKey } from '../../../../src/protocol/meta.ts'
import { withoutSecrets } from './secret-text.ts'

/** Values of one message. */
const MAX_VALUES = 2_000

/** Members of one object or array. */
const MAX_MEMBERS = 200

/** Nesting of a message. */
const MAX_DEPTH = 24

/** One text, in UTF-16 code units. */
const MAX_TEXT_LENGTH = 2_000

/** All texts and numbers of one message as JSON, in UTF-16 code units. */
const MAX_CHARACTERS = 16 * 1024

/** Stands for what is left out. */
const LEFT_OUT = '…'

/** Members whose values are never shown, in lower case and without separators. */
const SECRET_MEMBER =
  /(?:secret|passphrase|password|authorization|cookie|credential|apikey|assertion|requeststate|privatekey|signature)|(?:^|access|refresh|id|bearer|auth|api|session)token$/

/** Members of a content block that are base64. */
const BINARY_MEMBERS: readonly string[] = ['data', 'blob']

export interface BoundedMessage {
  readonly message: unknown
  readonly cut: boolean
}

/** The message without secrets, and cut where it is too large. */
export function boundMessage(message: unknown): BoundedMessage {
  const budget = { values: MAX_VALUES, characters: MAX_CHARACTERS, cut: false }
  return { message: bound(message, budget, 0), cut: budget.cut }
}

interface Budget {
  values: number
  characters: number
  cut: boolean
}

function bound(value: unknown, budget: Budget, depth: number): unknown {
  budget.values -= 1
  if (typeof value === 'string') return boundText(value, budget)
  if (typeof value !== 'object' || value === null) {
    budget.characters -= String(value).length
    return value
  }
  if (budget.values <= 0 || budget.characters <= 0 || depth > MAX_DEPTH) {
    budget.cut = true
    return LEFT_OUT
  }
  if (Array.isArray(value)) {
    const items: unknown[] = []
    for (const item of value) {
      if (isFull(items.length, budget)) {
        items.push(LEFT_OUT)
        break
      }
      items.push(bound(item, budget, depth + 1))
    }
    return items
  }
  const entries: [string, unknown][] = []
  for (const name of Object.keys(value)) {
    if (isFull(entries.length, budget)) break
    const member: unknown = Reflect.get(value, name)
    entries.push([boundText(name, budget), boundMember(name, member, budget, depth)])
  }
  return Object.fromEntries(entries)
}

function boundMember(name: string, member: unknown, budget: Budget, depth: number): unknown {
  if (isSecret(name) && member !== null && typeof member !== 'boolean') return LEFT_OUT
  if (typeof member === 'string' && BINARY_MEMBERS.includes(name) && member.length > 64) {
    budget.cut = true
    return `${LEFT_OUT} (${member.length} characters)`
  }
  return bound(member, budget, depth + 1)
}

function isFull(length: number, budget: Budget): boolean {
  if (length < MAX_MEMBERS && budget.values > 0 && budget.characters > 0) return false
  budget.cut = true
  return true
}

function boundText(text: string, budget: Budget): string {
  const length = Math.min(MAX_TEXT_LENGTH, Math.max(0, budget.characters))
  const kept = text.slice(0, length)
  // A control character is six characters of JSON.
  budget.characters -= JSON.stringify(kept).length
  if (text.length <= length) return withoutSecrets(text)
  budget.cut = true
  return withoutSecrets(kept).toWellFormed() + LEFT_OUT
}

function isSecret(name: string): boolean {
  return SECRET_MEMBER.test(name.slice(0, 100).toLowerCase().replace(/[-_]/g, ''))
}

/** Members of `params` whose text names a definition or the client, and nothing of a person. */
const OPEN_PARAMS: readonly string[] = ['name', 'protocolVersion', 'clientInfo', 'level']
const OPEN_META: readonly string[] = [MetaKey.protocolVersion, MetaKey.clientInfo]

/** A message of another person: which method it is, and the JSON types of its members. */
export function shapeOfMessage(message: unknown): BoundedMessage {
  const { message: bounded, cut } = boundMessage(message)
  return { message: Array.isArray(bounded) ? bounded.map(shapeOfOne) : shapeOfOne(bounded), cut }
}

function shapeOfOne(message: unknown): unknown {
  if (typeof message !== 'object' || message === null) return typeOf(message)
  const shapes = mapMembers(message, (name, member) => {
    if (name === 'jsonrpc' || name === 'id' || name === 'method') return member
    if (name === 'params') return shapeOfParams(member)
    if (name === 'error')
      return mapMembers(member, (key, part) => (key === 'code' ? part : shape(part)))
    return shape(member)
  })
  return shapes
}

function shapeOfParams(params: unknown): unknown {
  return mapMembers(params, (name, member) => {
    if (OPEN_PARAMS.includes(name)) return member
    if (name !== '_meta') return shape(member)
    return mapMembers(member, (key, part) => (OPEN_META.includes(key) ? part : shape(part)))
  })
}

function shape(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shape)
  return typeof value === 'object' && value !== null
    ? mapMembers(value, (_, member) => shape(member))
    : typeOf(value)
}

function mapMembers(value: unknown, map: (name: string, member: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeOf(value)
  if (Array.isArray(value)) return shape(value)
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, map(name, member)]),
  )
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : typeof value
}
