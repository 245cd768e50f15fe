/** Reads `directory.json`, and names each mistake with its line and column. `listing.ts` has its members. */
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { getNodeValue, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { CommandError } from '../../../text/src/command-error.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { type Listing, listingSchema } from './listing.ts'
import { messagesOf, type Place, syntaxText } from './listing-messages.ts'
import { secretIn } from './secret-text.ts'

export const LISTING_FILE = 'directory.json'

const MAX_BYTES = 1024 * 1024
const MAX_PROBLEMS = 20

interface Problem {
  readonly offset: number
  readonly message: string
}

/**
 * JSON, in which comments and trailing commas are allowed.
 *
 * @throws {CommandError} with a line for each mistake
 */
export function readListing(file: string): Listing {
  const text = readText(file)
  const problems: Problem[] = []
  const root = parse(text, problems)
  if (root !== undefined) problems.push(...nameProblems(root), ...secretProblems(root))
  const result = problems.length === 0 && root ? check(root, problems) : undefined
  if (result !== undefined && problems.length === 0) return result
  throw new CommandError(problemText(file, text, problems))
}

/** The value of a text in the syntax of a listing; undefined for a mistake. */
export function parseCommented(text: string): unknown {
  const root = parse(text, [])
  return root === undefined ? undefined : getNodeValue(root)
}

function readText(file: string): string {
  const name = printable(file, 1000)
  // A dangling link exists, and has nothing to read.
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) {
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
    const why = isLink ? `${name} is a link to a file that does not exist.` : `There is no ${name}.`
    throw new CommandError(`${why} Write a first one: edgeway submit init`)
  }
  if (!found.isFile()) throw new CommandError(`${name} is not a file`)
  if (found.size > MAX_BYTES) throw new CommandError(`${name} is larger than ${MAX_BYTES} bytes`)
  try {
    // Removes a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    const reason =
      error instanceof TypeError
        ? 'is not UTF-8 text'
        : `cannot be read: ${(error as Error).message}`
    throw new CommandError(`${name} ${reason}`)
  }
}

function parse(text: string, problems: Problem[]): Node | undefined {
  const errors: ParseError[] = []
  let root: Node | undefined
  try {
    root = parseTree(text, errors, { allowTrailingComma: true })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    problems.push({ offset: 0, message: 'it is nested too deeply' })
    return undefined
  }
  // Errors after the first one are often its consequences.
  const [first] = errors
  if (first !== undefined) problems.push({ offset: first.offset, message: syntaxText(first.error) })
  else if (root?.type !== 'object')
    problems.push({ offset: 0, message: 'it must be an object: { … }' })
  return problems.length === 0 ? root : undefined
}

/** Names that the value of a parsed object would lose: that of its prototype, and all but the last of one name. */
function nameProblems(node: Node): readonly Problem[] {
  const children = node.children ?? []
  if (node.type !== 'object') return children.flatMap(nameProblems)
  const seen = new Set<string>()
  const own = children.flatMap((property): readonly Problem[] => {
    const [key] = property.children ?? []
    const name = String(key?.value)
    const isRepeated = seen.has(name)
    seen.add(name)
    if (name === '__proto__')
      return [{ offset: property.offset, message: '"__proto__" is no member' }]
    if (!isRepeated) return []
    return [{ offset: property.offset, message: `"${printable(name)}" is there twice` }]
  })
  return [
    ...own,
    ...children.flatMap((property) => nameProblems(property.children?.[1] ?? property)),
  ]
}

/** The file is committed, and its texts are sent to directories. */
function secretProblems(node: Node): readonly Problem[] {
  if (node.type !== 'string') return (node.children ?? []).flatMap(secretProblems)
  const secret = secretIn(String(node.value))
  return secret === undefined ? [] : [{ offset: node.offset, message: secret }]
}

function check(root: Node, problems: Problem[]): Listing | undefined {
  const result = listingSchema.safeParse(getNodeValue(root), { reportInput: true })
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    for (const { message, path, key } of messagesOf(issue)) {
      problems.push({ offset: offsetOf(root, path, key), message })
    }
  }
  return undefined
}

/** Where the value at the path begins, or the innermost one around it that exists. */
function offsetOf(root: Node, path: Place['path'], key: string | undefined): number {
  let node = root
  for (const segment of key === undefined ? path : [...path, key]) {
    const { children = [] } = node
    const next =
      typeof segment === 'number'
        ? children[segment]
        : children.find(({ children: [name] = [] }) => name?.value === segment)
    if (next === undefined) break
    // A wrong name is at fault itself.
    if (segment === key) return next.offset
    node = next.type === 'property' ? (next.children?.[1] ?? next) : next
  }
  return node.offset
}

function problemText(file: string, text: string, problems: readonly Problem[]): string {
  const sorted = [...problems].sort((a, b) => a.offset - b.offset)
  const lines = sorted.slice(0, MAX_PROBLEMS).map(({ offset, message }) => {
    const before = text.slice(0, offset).split(/\r\n|\r|\n/)
    const column = (before.at(-1)?.length ?? 0) + 1
    return `${printable(file, 1000)}:${before.length}:${column}: ${message}`
  })
  const more = sorted.length - lines.length
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}
