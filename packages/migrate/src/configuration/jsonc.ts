/** `wrangler.jsonc` and other JSON with comments: insertions that keep every byte of the rest. */
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import { CommandError } from '../../../text/src/command-error.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { placeOf } from '../source-text.ts'
import type { Append, Language, ListPath } from './edit.ts'

const OPTIONS = { allowTrailingComma: true } as const
/** Members of `SyntaxKind` of the library, an enum that has no value at run time. */
const KIND = { comma: 5, lineBreak: 14, space: 15, end: 17 } as const

export const jsonc: Language = { read: readJsonc, append: appendToList }

/** @throws {CommandError} for a syntax error, with its place */
export function readJsonc(file: string, text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, OPTIONS)
  const [error] = errors
  if (error === undefined) return value
  const { line, column } = placeOf(text, error.offset)
  throw new CommandError(
    `${printable(file, 1000)}:${line}:${column} cannot be parsed: ${printParseErrorCode(error.error)}`,
  )
}

/** The offset of the value at a path; undefined where there is none. */
export function offsetOf(text: string, path: readonly (string | number)[]): number | undefined {
  const root = parseTree(text, [], OPTIONS)
  return root === undefined ? undefined : findNodeAtLocation(root, [...path])?.offset
}

function appendToList(text: string, { path, entry }: Append, eol: string): string {
  const root = parseTree(text, [], OPTIONS)
  const list = root === undefined ? undefined : findNodeAtLocation(root, [...path])
  if (list?.type === 'array') return insertLast(text, list, spaced(entry), eol)
  return setMember(text, path, [entry], eol)
}

/** Sets a member that does not exist, and creates the objects around it. */
export function setMember(text: string, path: ListPath, value: unknown, eol: string): string {
  const root = parseTree(text, [], OPTIONS)
  if (root?.type !== 'object') return text
  let owner = root
  let depth = 0
  for (; depth < path.length - 1; depth++) {
    const next = findNodeAtLocation(root, path.slice(0, depth + 1))
    if (next?.type !== 'object') break
    owner = next
  }
  // A value that is no object cannot be extended.
  if (findNodeAtLocation(root, path.slice(0, depth + 1)) !== undefined) return text
  // The objects that lack, from the inside.
  const nested = path
    .slice(depth + 1)
    .reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
  return insertLast(text, owner, `${JSON.stringify(path[depth])}: ${spaced(nested)}`, eol)
}

/** JSON on one line, with spaces inside of braces. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${spaced(one)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** Inserts an element of an array, or a member of an object, behind the last one. */
function insertLast(text: string, owner: Node, inserted: string, eol: string): string {
  const last = owner.children?.at(-1)
  const open = owner.offset + 1
  const close = owner.offset + owner.length - 1
  if (last === undefined) {
    const inside = text.slice(open, close)
    // Comments alone: they stay in front.
    if (inside.trim() !== '') return insertBeforeEnd(text, owner.offset, close, inserted, eol)
    const padding = owner.type === 'object' ? ' ' : ''
    return text.slice(0, open) + padding + inserted + padding + text.slice(close)
  }
  const end = last.offset + last.length
  const { comma, restOfLine } = behind(text, end, close)
  const isOnOwnLine = text.slice(open, last.offset).includes('\n')
  const head = text.slice(0, end)
  const separator = comma === undefined ? ',' : ''
  const trailing = comma === undefined ? '' : ','
  if (!isOnOwnLine) {
    const after = comma === undefined ? end : comma + 1
    return `${head}${separator}${text.slice(end, after)} ${inserted}${trailing}${text.slice(after)}`
  }
  const indent = lineIndent(text, last.offset)
  return `${head}${separator}${text.slice(end, restOfLine)}${eol}${indent}${inserted}${trailing}${text.slice(restOfLine)}`
}

/** The comma behind the last entry, and where the comments on its line end. */
function behind(
  text: string,
  end: number,
  close: number,
): { comma: number | undefined; restOfLine: number } {
  const scanner = createScanner(text, false)
  scanner.setPosition(end)
  let comma: number | undefined
  let restOfLine = end
  for (let kind: number = scanner.scan(); kind !== KIND.end; kind = scanner.scan()) {
    const start = scanner.getTokenOffset()
    if (start >= close || kind === KIND.lineBreak) break
    if (kind === KIND.comma) comma = start
    if (kind !== KIND.space) restOfLine = start + scanner.getTokenLength()
  }
  // A comma may follow on a later line.
  for (
    let kind: number = scanner.getToken();
    comma === undefined && kind !== KIND.end;
    kind = scanner.scan()
  ) {
    const start = scanner.getTokenOffset()
    if (start >= close) break
    if (kind !== KIND.comma) continue
    comma = start
    restOfLine = start + 1
  }
  return { comma, restOfLine }
}

function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

/** Inserts into brackets that contain comments alone. */
function insertBeforeEnd(text: string, open: number, close: number, inserted: string, eol: string) {
  const line = text.lastIndexOf('\n', close - 1) + 1
  if (text.slice(line, close).trim() !== '') {
    return `${text.slice(0, close)}${inserted} ${text.slice(close)}`
  }
  return `${text.slice(0, line)}${lineIndent(text, open)}  ${inserted}${eol}${text.slice(line)}`
}

/** Removes a member of an object, with its comma and its line. */
export function removeMember(text: string, path: ListPath): string {
  const root = parseTree(text, [], OPTIONS)
  const value = root === undefined ? undefined : findNodeAtLocation(root, [...path])
  const member = value?.parent
  const members = member?.parent?.children
  if (member === undefined || members === undefined) return text
  const at = members.indexOf(member)
  const next = members[at + 1]
  const previous = members[at - 1]
  const end = member.offset + member.length
  if (next !== undefined) return text.slice(0, member.offset) + text.slice(next.offset)
  if (previous === undefined) {
    const { offset = 0, length = 0 } = member.parent ?? {}
    return `${text.slice(0, offset + 1)}${text.slice(offset + length - 1)}`
  }
  return text.slice(0, previous.offset + previous.length) + text.slice(end)
}
