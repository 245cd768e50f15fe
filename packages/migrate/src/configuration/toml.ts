/** `wrangler.toml`: insertions that keep every byte of the rest. */
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from 'toml-eslint-parser'
import { CommandError } from '../../../text/src/command-error.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import type { Append, Language, ListEntry, ListPath } from './edit.ts'

export const toml: Language = {
  read: (file, text) => getStaticTOMLValue(parse(file, text)),
  append: appendToList,
}

/** @throws {CommandError} for a syntax error, with its place */
function parse(file: string, text: string): AST.TOMLProgram {
  try {
    return parseTOML(text)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const { lineNumber, column, message } = error
    throw new CommandError(
      `${printable(file, 1000)}:${lineNumber}:${column + 1} cannot be parsed: ${printable(message)}`,
    )
  }
}

function appendToList(text: string, { path, entry }: Append, eol: string): string {
  const program = parse('', text)
  const [top] = program.body
  const list = findArray(top.body, [], path)
  if (list !== undefined) return appendElement(text, program, list, valueText(entry), eol)
  const tables = top.body.filter((node) => node.type === 'TOMLTable')
  if (typeof entry === 'string') {
    return insertKey(text, program, tables, path, `${path.at(-1)} = [${valueText(entry)}]`, eol)
  }
  const last = lastTable(tables, path)
  const neighbour = last ?? neighbourOf(tables, path)
  const at = neighbour === undefined ? text.length : endOfLine(text, program, neighbour.range[1])
  const [header, indent] = indents(text, last)
  const members = Object.entries(entry).map(
    ([name, value]) => `${indent}${name} = ${valueText(value)}`,
  )
  const block = [`${header}[[${path.map(keyText).join('.')}]]`, ...members].join(eol)
  const head = text.slice(0, at)
  if (neighbour !== undefined) return `${head}${eol}${eol}${block}${text.slice(at)}`
  const gap = head === '' ? '' : `${head.endsWith('\n') ? '' : eol}${eol}`
  return `${head}${gap}${block}${eol}`
}

type Entry = AST.TOMLKeyValue | AST.TOMLTable

/** The list that is written as `name = [ … ]`, in a table, an inline table, or by a dotted name. */
function findArray(
  entries: readonly Entry[],
  above: ListPath,
  path: ListPath,
): AST.TOMLArray | undefined {
  for (const entry of entries) {
    const key = [...above, ...entry.key.keys.map(nameOf)]
    if (!key.every((name, at) => path[at] === name)) continue
    const found =
      entry.type === 'TOMLTable' ? findArray(entry.body, key, path) : inValue(entry, key, path)
    if (found !== undefined) return found
  }
  return undefined
}

function inValue(
  { value }: AST.TOMLKeyValue,
  key: ListPath,
  path: ListPath,
): AST.TOMLArray | undefined {
  if (value.type === 'TOMLArray') return key.length === path.length ? value : undefined
  return value.type === 'TOMLInlineTable' ? findArray(value.body, key, path) : undefined
}

const nameOf = (key: AST.TOMLBare | AST.TOMLQuoted): string =>
  key.type === 'TOMLBare' ? key.name : key.value

/** The last table of a list, or one within it, such as `[[migrations.renamed_classes]]`. */
function lastTable(tables: readonly AST.TOMLTable[], path: ListPath): AST.TOMLTable | undefined {
  return tables.findLast(({ key }) => path.every((name, at) => nameAt(key, at) === name))
}

function nameAt({ keys }: AST.TOMLKey, at: number): string | undefined {
  const key = keys[at]
  return key === undefined ? undefined : nameOf(key)
}

/** The table that a new list follows: that of its owner, or those of the objects. */
function neighbourOf(tables: readonly AST.TOMLTable[], path: ListPath): AST.TOMLTable | undefined {
  const owner = path.slice(0, -1)
  if (owner.length > 0) return lastTable(tables, owner) ?? neighbourOf(tables, owner)
  return lastTable(tables, ['durable_objects'])
}

function indents(text: string, table: AST.TOMLTable | undefined): readonly [string, string] {
  const indentAt = (offset: number) => /[ \t]*$/.exec(text.slice(0, offset))?.[0] ?? ''
  if (table === undefined) return ['', '']
  const [first] = table.body
  return [indentAt(table.range[0]), first === undefined ? '' : indentAt(first.range[0])]
}

/** Behind the comment on the line of an offset, if it has one. */
function endOfLine(text: string, { comments }: AST.TOMLProgram, offset: number): number {
  const comment = comments.find(
    ({ range: [start] }) => start >= offset && /^[ \t]*$/.test(text.slice(offset, start)),
  )
  return comment?.range[1] ?? offset
}

function insertKey(
  text: string,
  program: AST.TOMLProgram,
  tables: readonly AST.TOMLTable[],
  path: ListPath,
  line: string,
  eol: string,
): string {
  const owner = path.slice(0, -1)
  const [top] = program.body
  const table = tables.find(
    ({ key, kind }) =>
      kind === 'standard' &&
      key.keys.length === owner.length &&
      lastTable([{ key } as AST.TOMLTable], owner) !== undefined,
  )
  const before =
    owner.length === 0
      ? top.body.filter((node) => node.type === 'TOMLKeyValue').at(-1)
      : (table?.body.at(-1) ?? table?.key)
  if (before === undefined) {
    if (owner.length === 0) return `${line}${eol}${eol}${text}`
    return text
  }
  const end = before.type === 'TOMLKey' ? text.indexOf(']', before.range[1]) + 1 : before.range[1]
  const at = endOfLine(text, program, end)
  const indent =
    before.type === 'TOMLKey' ? '' : /[ \t]*$/.exec(text.slice(0, before.range[0]))?.[0]
  return `${text.slice(0, at)}${eol}${indent}${line}${text.slice(at)}`
}

function appendElement(
  text: string,
  program: AST.TOMLProgram,
  list: AST.TOMLArray,
  inserted: string,
  eol: string,
): string {
  const last = list.elements.at(-1)
  const close = list.range[1] - 1
  if (last === undefined) {
    const inside = text.slice(list.range[0] + 1, close)
    if (inside.trim() === '')
      return `${text.slice(0, list.range[0] + 1)}${inserted}${text.slice(close)}`
    return `${text.slice(0, close)}${inserted}${text.slice(close)}`
  }
  const end = last.range[1]
  const comma = program.tokens.find(
    ({ range, value }) => range[0] >= end && range[0] < close && value === ',',
  )
  const isOnOwnLine = text.slice(list.range[0], last.range[0]).includes('\n')
  const separator = comma === undefined ? ',' : ''
  const trailing = comma === undefined ? '' : ','
  const after = comma === undefined ? end : comma.range[1]
  if (!isOnOwnLine) {
    return `${text.slice(0, end)}${separator}${text.slice(end, after)} ${inserted}${trailing}${text.slice(after)}`
  }
  const rest = endOfLine(text, program, after)
  const line = text.lastIndexOf('\n', last.range[0] - 1) + 1
  const indent = /^[ \t]*/.exec(text.slice(line, last.range[0]))?.[0] ?? ''
  return `${text.slice(0, end)}${separator}${text.slice(end, rest)}${eol}${indent}${inserted}${trailing}${text.slice(rest)}`
}

/** The text of a value. Names of classes and bindings need no escape that JSON has and TOML has not. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value as Exclude<ListEntry, string>)
  return `{ ${members.map(([name, one]) => `${keyText(name)} = ${valueText(one)}`).join(', ')} }`
}

const keyText = (name: string): string => (/^[\w-]+$/.test(name) ? name : JSON.stringify(name))
