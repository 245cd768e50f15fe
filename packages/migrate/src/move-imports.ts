/** Moves the imports of a file: changes the specifier where every name moves, and divides a declaration else. */
import type { ExportNamedDeclaration, ImportDeclaration, Node } from '@babel/types'
import MagicString from 'magic-string'
import { type ModuleUse, moduleUses } from './module-uses.ts'
import { type Family, homeOf, isMoved, type NewHome, reasonFor, roleOf } from './modules.ts'
import { type Decision, guide, type Place } from './plan.ts'
import { nameOf, placeOfNode, rangeOf, type SourceFile } from './source-file.ts'

export interface MovedImports {
  /** The families of which a module was found. */
  readonly families: ReadonlySet<Family>
  readonly decisions: readonly Decision[]
}

type Divisible = ImportDeclaration | ExportNamedDeclaration

/** @param output receives the edits */
export function moveImports(file: SourceFile, output: MagicString): MovedImports {
  const families = new Set<Family>()
  const decisions: Decision[] = []
  const uses = moduleUses(file, (specifier) => roleOf(specifier) !== undefined)
  const merging: Merging[] = []
  const isClient = uses.some(({ specifier }) => /\/(?:sdk\/)?client(?:\/|$)/.test(specifier))
  for (const use of uses) {
    const role = roleOf(use.specifier)
    const place = placeOfNode(file, use.literal)
    if (use.kind === 'mock') {
      if (role?.kind === 'moves') decisions.push(mockDecision(use, place))
      continue
    }
    if (role?.kind === 'stays') {
      const { reason } = role
      if (reason !== undefined)
        decisions.push({ ...place, ...reason, why: `${reason.why} (${use.specifier})` })
      continue
    }
    // What a client reads from the types of the SDK stays with the client.
    if (role === undefined || (isClient && /^(?:types|shared\/|experimental)/.test(role.part)))
      continue
    families.add(role.family)
    decisions.push(...moveUse(file, output, use, role.family, merging))
  }
  mergeImports(file, output, merging)
  return { families, decisions }
}

function mockDecision({ specifier }: ModuleUse, place: Place): Decision {
  const why = `The text "${specifier}" names a module that has moved, as the mock of a test does: name edgeway/sdk or edgeway/agents`
  return { ...place, code: 'mocked-module', why, guide: guide.testing }
}

function moveUse(
  file: SourceFile,
  output: MagicString,
  use: ModuleUse,
  family: Family,
  merging: Merging[],
): readonly Decision[] {
  const place = placeOfNode(file, use.literal)
  const { names, divisible } = use
  // Without a name, its effects or the module itself may be meant.
  const isWhole = names === undefined || names.length === 0 || names.includes('default')
  if (isWhole) return [asAWhole(use, place)]
  const homes = names.map((name) => homeOf(family, name))
  const left = names.filter((_, at) => homes[at] === undefined)
  const modules = new Set(homes.map((home) => home?.module))
  const [module] = modules
  const isRenamed = homes.some((home, at) => home !== undefined && home.name !== names[at])
  if (divisible !== undefined) {
    if (module !== undefined && modules.size === 1 && !isRenamed) {
      replaceSpecifier(output, use, module)
      if (divisible.type === 'ImportDeclaration') merging.push({ declaration: divisible, module })
    } else if (homes.some((home) => home !== undefined)) divide(file, output, divisible, homes)
    return left.flatMap((name) => staying(divisible, name, family, file))
  }
  if (module !== undefined && modules.size === 1 && !isRenamed) {
    replaceSpecifier(output, use, module)
    return []
  }
  const known = left.flatMap((name) => decisionFor(name, family, place))
  return known.length > 0 ? known : [asAWhole(use, place)]
}

function asAWhole({ specifier }: ModuleUse, place: Place): Decision {
  const why = `"${specifier}" is used as a whole, so the names that it must have are not known: import them by name from edgeway/sdk or edgeway/agents`
  return { ...place, code: 'module-as-a-whole', why, guide: guide.moving('the-imports') }
}

function staying(
  declaration: Divisible,
  name: string,
  family: Family,
  file: SourceFile,
): readonly Decision[] {
  const specifier = [...declaration.specifiers].find((one) => sourceName(one) === name)
  return decisionFor(name, family, placeOfNode(file, specifier ?? declaration))
}

function decisionFor(name: string, family: Family, place: Place): readonly Decision[] {
  const reason = reasonFor(family, name)
  return reason === undefined ? [] : [{ ...place, ...reason }]
}

function replaceSpecifier(output: MagicString, { literal }: ModuleUse, module: string): void {
  const [start, end] = rangeOf(literal)
  output.update(start + 1, end - 1, module)
}

/** A declaration that has moved as a whole. */
interface Merging {
  readonly declaration: ImportDeclaration
  readonly module: string
}

/** Makes one declaration of several that import from the same module, unless a comment belongs to one. */
function mergeImports(file: SourceFile, output: MagicString, merging: readonly Merging[]): void {
  const firsts = new Map<string, ImportDeclaration>()
  for (const { declaration, module } of merging) {
    const key = `${declaration.importKind} ${module}`
    const first = firsts.get(key)
    if (first === undefined) firsts.set(key, declaration)
    else if (isAlone(file, declaration)) mergeInto(file, output, first, declaration)
  }
}

function isAlone({ text }: SourceFile, declaration: ImportDeclaration): boolean {
  const [start, end] = rangeOf(declaration)
  const isCommented = /\/[/*]/.test(text.slice(text.indexOf('{', start), end))
  const above = declaration.leadingComments?.at(-1)
  const isDescribed = above !== undefined && /^\s*$/.test(text.slice(above.end, start))
  return (
    !isCommented &&
    !isDescribed &&
    /(?:^|\n)$/.test(text.slice(0, start)) &&
    /^[ \t]*\r?\n/.test(text.slice(end))
  )
}

function mergeInto(
  { text, eol }: SourceFile,
  output: MagicString,
  first: ImportDeclaration,
  { specifiers, ...declaration }: ImportDeclaration,
): void {
  const last = first.specifiers.at(-1)
  if (last === undefined) return
  const [lastStart, lastEnd] = rangeOf(last)
  const indent = /\n([ \t]*)$/.exec(text.slice(0, lastStart))?.[1]
  const gap = indent === undefined ? ' ' : `${eol}${indent}`
  const names = specifiers.map((one) => `,${gap}${text.slice(...rangeOf(one))}`)
  output.appendLeft(lastEnd, names.join(''))
  const [start, end] = rangeOf(declaration as ImportDeclaration)
  // With the line break in front: what follows the last import is written behind its end.
  const lineBreak = /\r?\n$/.exec(text.slice(0, start))?.[0] ?? ''
  const spaces = /^[ \t]*/.exec(text.slice(end))?.[0] ?? ''
  output.remove(start - lineBreak.length, end + spaces.length)
}

/** Writes one declaration for each module, in the order of their names, and last what stays. */
function divide(
  { text, eol }: SourceFile,
  output: MagicString,
  declaration: Divisible,
  homes: readonly (NewHome | undefined)[],
): void {
  const [start, end] = rangeOf(declaration)
  const quote = text[rangeOf(declaration.source as Node)[0]] ?? "'"
  const old = (declaration.source as { readonly value: string }).value
  const modules = [...new Set(homes.map((home) => home?.module))].sort(
    (one, other) => Number(one === undefined) - Number(other === undefined),
  )
  const head = text.slice(start, text.indexOf('{', start))
  const tail = text.slice(rangeOf(declaration.source as Node)[1], end)
  const declarations = modules.map((module) => {
    const names = declaration.specifiers.flatMap((specifier, at) =>
      homes[at]?.module === module ? specifierText(text, specifier, homes[at]?.name) : [],
    )
    const source = `${quote}${module ?? old}${quote}`
    return `${head}{ ${names.join(', ')} } from ${source}${tail}`
  })
  // Comments of single names cannot be divided, so they go in front.
  const comments = commentsWithin(text, declaration)
  output.update(start, end, [...comments, ...declarations].join(eol))
}

function commentsWithin(text: string, declaration: Divisible): readonly string[] {
  const inner = [
    ...declaration.specifiers.flatMap((one) => [
      ...(one.leadingComments ?? []),
      ...(one.trailingComments ?? []),
    ]),
    ...(declaration.innerComments ?? []),
  ]
  const ranges = new Map(inner.map((comment) => [comment.start, comment.end]))
  return [...ranges]
    .sort(([one = 0], [other = 0]) => one - other)
    .map(([from, to]) => text.slice(from, to))
}

/** @param name the name in the new module; undefined where it stays the same */
function specifierText(
  text: string,
  specifier: Divisible['specifiers'][number],
  name: string | undefined,
): string {
  const [start, end] = rangeOf(specifier)
  const before = sourceName(specifier)
  if (name === undefined || name === before) return text.slice(start, end)
  const target = 'exported' in specifier ? nameOf(specifier.exported) : specifier.local.name
  const isType = /^type\s/.test(text.slice(start, end))
  return `${isType ? 'type ' : ''}${name === target ? name : `${name} as ${target}`}`
}

/** The name of a specifier in the module that it is imported from. */
function sourceName(specifier: Divisible['specifiers'][number]): string {
  if (specifier.type === 'ImportSpecifier') return nameOf(specifier.imported)
  return specifier.type === 'ExportSpecifier' ? nameOf(specifier.local) : '*'
}

/** Whether a file has to do with the move: it names a module that moves, that has moved, or that must go. */
export function concernsMove(file: SourceFile): boolean {
  return moduleUses(file, (name) => roleOf(name) !== undefined || isMoved(name)).length > 0
}

/** Whether a file imports what moves or has moved, or a transport of servers. Clients do not. */
export function isPartOfServer(file: SourceFile): boolean {
  const { families, decisions } = moveImports(file, new MagicString(file.text))
  const serves = decisions.some(({ code }) => code === 'transport' || code === 'other-handler')
  return families.size > 0 || serves || moduleUses(file, isMoved).length > 0
}
