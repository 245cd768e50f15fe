/** Rules of `directory.json`: the fields of the forms, the cases and the justifications. */
import { isJsonObject } from '../../../../../src/protocol/json.ts'
import { listIn, memberAt } from '../../../../text/src/json/members.ts'
import { firstOf, quoted } from '../../../../text/src/quoted.ts'
import type { Detected, Rule } from '../finding.ts'
import type { DirectoryInput } from '../input.ts'
import type { DirectoryName } from '../names.ts'
import { CLAUDE_FIELDS, type Field, OPENAI_FIELDS } from './listing-fields.ts'
import { hasViews } from './views.ts'

const FIELDS: Readonly<Record<DirectoryName, readonly Field[]>> = {
  'claude-directory': CLAUDE_FIELDS,
  'openai-plugins': OPENAI_FIELDS,
  'mcp-registry': [],
}

export const listingFields: Rule = ({ listing, surface }, directory) => {
  if (listing === undefined || FIELDS[directory].length === 0) return []
  if (!isJsonObject(listing)) {
    return [{ code: 'listing-field-invalid', seen: `It is ${quoted(listing)}, and no object` }]
  }
  const missing: string[] = []
  const found: Detected[] = []
  for (const field of FIELDS[directory]) {
    const { members, fromInfo } = field
    const known = members.map((member) => ({ member, value: memberAt(listing, member) }))
    const given = known.find(({ value }) => value !== undefined)
    const info = fromInfo === undefined ? undefined : surface?.info[fromInfo]
    if (given === undefined && info === undefined) {
      if (field.isRequired) missing.push(members[0] ?? '')
      continue
    }
    const subject = given?.member ?? `${fromInfo} of the definition`
    const fault = field.check(given === undefined ? info : given.value, subject)
    if (fault !== undefined) found.push(fault)
  }
  if (missing.length > 0) {
    found.push({ code: 'listing-field-missing', seen: `It has no ${missing.join(', ')}` })
  }
  return found
}

const CASES = { positive: 5, negative: 3 } as const

export const listingCases: Rule = (input, directory) => {
  const { listing, surface } = input
  if (directory !== 'openai-plugins' || !isJsonObject(listing)) return []
  const cases = memberAt(listing, 'cases')
  const found: Detected[] = []
  const counts = Object.entries(CASES).map(([kind, expected]) => ({
    kind,
    expected,
    count: listIn(cases, kind).length,
  }))
  if (counts.some(({ count, expected }) => count !== expected)) {
    const texts = counts.map(({ kind, count }) => `${count} ${kind}`)
    found.push({ code: 'listing-cases', seen: `It has ${texts.join(' and ')}` })
  }
  const names = surface?.tools.map(({ name }) => name)
  for (const kind of Object.keys(CASES)) {
    for (const [index, one] of listIn(cases, kind).entries()) {
      const place = `cases.${kind}[${index}]`
      const blank = blankIn(one, ['description', 'prompt', 'expected'])
      if (blank !== undefined) {
        found.push({ code: 'listing-field-missing', seen: `${place} has no ${blank}` })
      }
      const wrong = toolFault(one, kind === 'positive', names)
      if (wrong !== undefined) found.push({ code: 'listing-case-tool', seen: `${place} ${wrong}` })
    }
  }
  return [...found, ...justifications(input)]
}

const isBlank = (value: unknown) => typeof value !== 'string' || value.trim() === ''

const blankIn = (value: unknown, members: readonly string[]) =>
  members.find((member) => isBlank(isJsonObject(value) ? value[member] : undefined))

function toolFault(
  one: unknown,
  isPositive: boolean,
  names: readonly string[] | undefined,
): string | undefined {
  const tools = listIn(one, 'tools')
  if (!isPositive) return tools.length === 0 ? undefined : `names ${firstOf(tools.map(quoted))}`
  if (tools.length === 0) return 'names no tool'
  const unknown = tools.filter((tool) => names?.includes(tool as string) === false)
  return unknown.length === 0
    ? undefined
    : `names ${firstOf(unknown.map(quoted))}, which the server does not have`
}

function justifications({ listing, surface }: DirectoryInput): Detected[] {
  const all = memberAt(listing, 'justifications')
  return (surface?.tools ?? []).flatMap(({ name }) => {
    const own = isJsonObject(all) && Object.hasOwn(all, name) ? all[name] : undefined
    const missing = ['readOnly', 'openWorld', 'destructive'].filter((hint) =>
      isBlank(isJsonObject(own) ? own[hint] : undefined),
    )
    if (missing.length === 0) return []
    const seen = `${quoted(name)} has no ${missing.join(', ')}`
    return { code: 'listing-justification' as const, tool: name, seen }
  })
}

export const screenshots: Rule = (input, directory) => {
  const { listing } = input
  const views = hasViews(input)
  if (!isJsonObject(listing) || views === undefined) return []
  const place = directory === 'claude-directory' ? 'claude' : 'openai'
  const files = listIn(listing[place], 'screenshots')
  const prompts = listIn(listing, 'starterPrompts').length
  const found = (seen: string): Detected[] => [{ code: 'listing-screenshots', seen }]
  const has = `${place}.screenshots has ${files.length} files`
  if (!views) return files.length === 0 ? [] : found(`${has}, and the server has no views`)
  const type = directory === 'claude-directory' ? /\.png$/i : /\.(?:png|jpe?g)$/i
  const other = files.find((file) => typeof file !== 'string' || !type.test(file))
  if (files.length > 0 && other !== undefined)
    return found(`${place}.screenshots has ${quoted(other)}`)
  if (directory === 'claude-directory') {
    return files.length >= 3 && files.length <= 5 ? [] : found(`${has}, and the server has views`)
  }
  return files.length === 0 || files.length === prompts
    ? []
    : found(`${has}, and there are ${prompts} starter prompts`)
}
