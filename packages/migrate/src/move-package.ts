/** Moves the dependencies of `package.json`. */
import { isJsonObject } from '../../../src/protocol/json.ts'
import { CommandError } from '../../text/src/command-error.ts'
import type { Members } from '../../text/src/json/members.ts'
import { version } from '../../text/src/version.ts'
import { offsetOf, readJsonc, removeMember, setMember } from './configuration/jsonc.ts'
import { type Decision, guide } from './plan.ts'
import { placeOf, type SourceText } from './source-text.ts'

export interface PackageNeeds {
  /** Packages that no file of the project names any more. */
  readonly isUnused: (name: string) => boolean
  /** Whether a file imports the types of Workers by their package. */
  readonly namesWorkersTypes: boolean
  readonly importsZod: boolean
  /** The version of zod that another package has brought; undefined where it is not known. */
  readonly zodVersion: string | undefined
  /** Whether the server becomes a Worker, which wrangler starts. */
  readonly becomesWorker: boolean
  /** The packages that a package needs beside it. Empty where that is not known. */
  readonly peersOf: (name: string) => readonly string[]
}

export interface MovedPackage {
  readonly text: string
  readonly decisions: readonly Decision[]
  /** Packages that were removed. */
  readonly removed: readonly string[]
  /** Packages that no file names, each with one that stays and needs it as a peer. */
  readonly peers: ReadonlyMap<string, string>
}

const FILE = 'package.json'
/** Packages that Edgeway replaces, with those that need them beside it. */
const REPLACED: Readonly<Record<string, RegExp>> = {
  '@modelcontextprotocol/sdk':
    /^(?:agents|mcp-handler|@vercel\/mcp-adapter|@modelcontextprotocol\/ext-\w+)$/,
  '@modelcontextprotocol/server':
    /^(?:agents|mcp-handler|@modelcontextprotocol\/(?:node|express|hono|fastify|ext-\w+))$/,
  agents: /^@cloudflare\/(?:ai-chat|codemode|think)$/,
}
const LISTS = [
  'dependencies',
  'devDependencies',
  'peerDependencies',
  'optionalDependencies',
] as const
type List = (typeof LISTS)[number]
/** The types that `agents` brings, and the type checker of a Worker needs. */
const WORKERS_TYPES = '@cloudflare/workers-types'
const WORKERS_TYPES_RANGE = '^5.20261117.1'

/** @throws {CommandError} for a syntax error */
export function movePackage({ text, eol }: SourceText, needs: PackageNeeds): MovedPackage {
  const value = readJsonc(FILE, text)
  const listed = (list: List) => {
    const members = isJsonObject(value) ? value[list] : undefined
    return isJsonObject(members) ? members : {}
  }
  const all = LISTS.flatMap((list) => Object.keys(listed(list)))
  const { removed, peers } = removable(all, needs)
  const without = LISTS.reduce(
    (before, list) =>
      removed
        .filter((name) => Object.hasOwn(listed(list), name))
        .reduce((one, name) => removeMember(one, [list, name]), before),
    text,
  )
  const added: [List, string, string][] = []
  if (!all.includes('edgeway')) added.push(['dependencies', 'edgeway', `^${version}`])
  if (needs.importsZod && !all.includes('zod')) added.push(['dependencies', 'zod', zodRange(needs)])
  if (needs.becomesWorker && !all.includes('wrangler')) {
    added.push(['devDependencies', 'wrangler', '^4.0.0'])
  }
  const losesTypes = needs.becomesWorker || (removed.includes('agents') && needs.namesWorkersTypes)
  if (losesTypes && !all.includes(WORKERS_TYPES)) {
    added.push(['devDependencies', WORKERS_TYPES, WORKERS_TYPES_RANGE])
  }
  const moved = added.reduce(
    (one, [list, name, range]) => addSorted(one, [list, name], range, eol),
    without,
  )
  for (const [list, name] of added) checkAdded(moved, list, name)
  return { text: moved, removed, peers, decisions: zodDecision(text, LISTS.map(listed)) }
}

/** The version of a package that a project asks for, as it is written. */
export function rangeOfPackage(value: unknown, name: string): string | undefined {
  const lists = LISTS.map((list) => (isJsonObject(value) ? value[list] : undefined))
  const ranges = lists.map((list) => (isJsonObject(list) ? list[name] : undefined))
  return ranges.find((range) => typeof range === 'string')
}

/** @throws {CommandError} when the list has a form that cannot be extended */
function checkAdded(text: string, list: List, name: string): void {
  const value = readJsonc(FILE, text)
  const members = isJsonObject(value) ? value[list] : undefined
  if (isJsonObject(members) && Object.hasOwn(members, name)) return
  throw new CommandError(
    `${FILE} has ${list} of a form that cannot be extended. Correct it, and run the command again`,
  )
}

function removable(
  all: readonly string[],
  { isUnused, peersOf }: PackageNeeds,
): Pick<MovedPackage, 'removed' | 'peers'> {
  const removed: string[] = []
  const peers = new Map<string, string>()
  // A package that goes does not hold the ones that it needs.
  for (const name of ['agents', '@modelcontextprotocol/server', '@modelcontextprotocol/sdk']) {
    if (!all.includes(name) || !isUnused(name)) continue
    const holder = all.find(
      (other) =>
        !removed.includes(other) && (REPLACED[name]?.test(other) || peersOf(other).includes(name)),
    )
    if (holder === undefined) removed.push(name)
    else peers.set(name, holder)
  }
  return { removed, peers }
}

/** The major version that the project has had: another one is not raised by the move. */
function zodRange({ zodVersion = '' }: PackageNeeds): string {
  const [, major = '', minor = ''] = /^(\d+)\.(\d+)\./.exec(zodVersion) ?? []
  const oldest = OLDEST_ZOD[major]
  if (oldest === undefined) return '^4.2.0'
  return Number(minor) < oldest ? `^${major}.${oldest}.0` : `^${zodVersion}`
}

/** Adds a member in alphabetical order, if the others are in it. */
function addSorted(
  text: string,
  path: readonly [List, string],
  range: string,
  eol: string,
): string {
  const [list, name] = path
  const value = readJsonc(FILE, text)
  const members = isJsonObject(value) && isJsonObject(value[list]) ? Object.keys(value[list]) : []
  const isSorted = members.every((one, at) => at === 0 || (members[at - 1] ?? '') <= one)
  const next = isSorted ? members.find((one) => one > name) : undefined
  const before = next === undefined ? undefined : offsetOf(text, [list, next])
  if (before === undefined) return setMember(text, path, range, eol)
  const key = text.lastIndexOf(JSON.stringify(next), before)
  const line = text.lastIndexOf('\n', key) + 1
  const gap = text.slice(line, key).trim() === '' ? `${eol}${text.slice(line, key)}` : ' '
  return `${text.slice(0, key)}${JSON.stringify(name)}: ${JSON.stringify(range)},${gap}${text.slice(key)}`
}

/** The oldest versions whose schemas have JSON Schema, by their major version. */
const OLDEST_ZOD: Readonly<Record<string, number>> = { '3': 24, '4': 2 }

/** A range that admits newer versions is raised by the installation. */
function zodDecision(text: string, lists: readonly Members[]): readonly Decision[] {
  const at = lists.findIndex((list) => typeof list.zod === 'string')
  const range = String(lists[at]?.zod ?? '')
  const [, major = '', minor = ''] = /^[=v~]?\s*(\d+)\.(\d+)(?:\.\d+)?$/.exec(range) ?? []
  const oldest = OLDEST_ZOD[major]
  if (oldest === undefined || Number(minor) >= oldest) return []
  const place = placeOf(text, offsetOf(text, [LISTS[at] ?? '', 'zod']) ?? 0)
  const why = `zod ${range} is older than ${major}.${oldest}, the oldest version whose schemas can be listed: upgrade it`
  return [
    { file: FILE, ...place, code: 'dependency', why, guide: guide.moving('what-does-not-carry') },
  ]
}
