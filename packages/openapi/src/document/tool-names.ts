/** Names for tools and arguments: valid for every client, unique, and the same at every start. */
import { fnv1a } from '../../../../src/platform/fnv.ts'

/** Some hosts refuse longer names of tools, and longer names of arguments. */
export const MAX_NAME_LENGTH = 64

/** The name of an operation, before it is made unique. */
export function operationName(operationId: unknown, method: string, path: string): string {
  const words = typeof operationId === 'string' ? toName(operationId) : ''
  return words === '' ? toName(`${method.toLowerCase()} ${path}`) : words
}

/** A name as people read it: "List pets" of `list_pets`, `listPets` and `list-pets`. */
export function titleOfName(name: string): string {
  const words = name.split(/[_-]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
  const text = words
    .map((word) => (/^[A-Z]?[a-z]/.test(word) ? word.toLowerCase() : word))
    .join(' ')
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`.trim()
}

/** Replaces the characters that a name of a tool cannot have. */
export function toName(text: string): string {
  const words = text.replace(/[^A-Za-z0-9_-]+/g, '_')
  // Not one expression with two quantifiers: it would backtrack.
  const name = words.replace(/^_/, '').replace(/_$/, '')
  return shorten(name)
}

/**
 * Replaces the characters that a name of an argument cannot have. Leading underscores are kept. `<` and `>` become words:
 * they tell the filters `Date<`, `Date` and `Date>` apart.
 */
export function toArgumentName(text: string): string {
  const words = text.replace(/([<>])(=?)/g, (_, sign, equal) => {
    return `_${sign === '<' ? 'l' : 'g'}t${equal === '' ? '' : 'e'}_`
  })
  const name = words.replace(/[^A-Za-z0-9_.-]+/g, '_')
  const trimmed = name === text ? name : name.replace(/^_/, '').replace(/_$/, '')
  return shorten(trimmed === '' ? 'value' : trimmed)
}

/** Cuts a long name, and ends it with a hash of the whole. */
function shorten(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name
  const hash = fnv1a(name).toString(16).padStart(8, '0')
  return `${name.slice(0, MAX_NAME_LENGTH - 9)}_${hash}`
}

/** Returns a name that is not used yet: the name itself, or with the first free number. */
export function uniqueName(name: string, isUsed: (name: string) => boolean): string {
  let unique = name
  for (let count = 2; isUsed(unique); count++) {
    const suffix = `_${count}`
    unique = `${name.slice(0, MAX_NAME_LENGTH - suffix.length)}${suffix}`
  }
  return unique
}
