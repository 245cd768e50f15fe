/** The figures of README.md, read from the tables of the tests and from the measured records of `docs/speed-and-size.md`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { KNOWN_APPS } from '../../test/clients/auth/client-table.ts'
import { SCENARIOS } from '../../test/conformance/scenarios.ts'
import { PROJECT_DIRECTORY } from './project.ts'

export interface Proof {
  readonly claim: string
  readonly figures: string
  /** The command that repeats it. */
  readonly command: string
  /** The date of the record; undefined for what is counted in the tables of the tests. */
  readonly date?: string
}

const RECORDS = 'docs/speed-and-size.md'

const read = (path: string) => readFileSync(join(PROJECT_DIRECTORY, path), 'utf8')

/** A section of the records: its date, and the cells of each row by the text of its first cell. */
function recordOf(heading: string) {
  const [, section = ''] = read(RECORDS).split(`\n## ${heading}\n`)
  const [text = ''] = section.split('\n## ')
  const [date] = /\b\d{4}-\d\d-\d\d\b/.exec(text) ?? []
  const rows = [...text.matchAll(/^\| (.+) \|$/gm)].map(([, cells = '']) => cells.split(' | '))
  const cell = (row: string, column = 1): string => {
    const value = rows.find(([first]) => first === row)?.[column]
    if (value === undefined) throw new Error(`${RECORDS} has no "${row}" below "${heading}"`)
    return value
  }
  if (date === undefined) throw new Error(`${RECORDS} has no date below "${heading}"`)
  return { date, cell }
}

function conformance(): Proof {
  const { devDependencies } = JSON.parse(read('package.json'))
  const suite = devDependencies['@modelcontextprotocol/conformance']
  const revisions = Object.values(SCENARIOS)
  const passing = revisions.flatMap((revision) => revision.passing).length
  const skipped = revisions.flatMap((revision) => revision.skipped ?? []).length
  return {
    claim: `server scenarios of the official suite (${suite})`,
    figures: `${passing} pass in ${revisions.length} revisions, 0 fail; the suite itself skips ${skipped}`,
    command: 'npx vitest run --project conformance',
  }
}

function clients(): Proof {
  const [, connectors = ''] =
    /const CONNECTORS = \{\n([^}]+)\}/.exec(read('test/clients/connect-client.ts')) ?? []
  const official = connectors.trim().split('\n').length
  const apps = KNOWN_APPS.map(({ name }) => name)
  return {
    claim: 'clients',
    figures: `${official} official ones, and the sign-in of ${KNOWN_APPS.length} apps by name: ${apps.join(', ')}`,
    command: 'npx vitest run --project clients',
  }
}

function kills(): Proof {
  const { date, cell } = recordOf('Kills')
  const done = ['kills', 'operations of clients', 'answered questions']
  const counted = done.map((what) => `${cell(what)} ${what}`).join(', ')
  return {
    claim: 'kills (SIGKILL) under clients of every revision',
    figures: `${counted}: ${cell('lost, repeated or mixed up')} lost, repeated or mixed up`,
    command: `npm run soak -- --kills ${cell('kills')}`,
    date,
  }
}

/** Names in the records, and how the README has them. */
const LIBRARIES = [
  ['Edgeway without `auth`', 'Edgeway'],
  ['official SDK 2.4.0', 'SDK 2.4.0'],
  ['agents 0.32.0, `createMcpHandler`', 'agents 0.32.0'],
  ['mcp-lite 0.10.0', 'mcp-lite 0.10.0'],
] as const

function size(): Proof {
  const { date, cell } = recordOf('Size of complete servers')
  const sizes = LIBRARIES.map(([row, name]) => `${name} ${cell(row)}`)
  return {
    claim: 'size of a server with one tool, KB gzip',
    figures: `${sizes.join(', ')}; with sessions: Edgeway ${cell('Edgeway with `sessions()`')}, agents ${cell('agents 0.32.0, `McpAgent`')}`,
    command: 'npm run bench -- --only footprint',
    date,
  }
}

function processorTime(): Proof {
  const { date, cell } = recordOf('Beside other libraries')
  const times = LIBRARIES.map(([row, name]) => `${name} ${cell(row)}`)
  return {
    claim: 'processor time of `tools/call` without a session',
    figures: times.join(', '),
    command: 'npm run bench -- --only stateless-call',
    date,
  }
}

/** Every figure, in the order of the README. */
export const proofs = (): readonly Proof[] => [
  conformance(),
  clients(),
  kills(),
  size(),
  processorTime(),
]

/** @param today the date of what is counted */
export function proofTable(today: string): string {
  const rows = proofs().map(
    ({ claim, figures, command, date = today }) =>
      `| ${claim} | ${figures} | \`${command}\` | ${date} |`,
  )
  return ['| what | figures | repeat it with | date |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  )
}

const sectionOf = (name: string) =>
  new RegExp(
    `(?<=<!-- ${name}, written by npm run readme-numbers -->\n)[\\s\\S]*(?=\n<!-- /${name} -->)`,
  )

/** The text between the markers of a section. */
export function readSection(document: string, name: string): string {
  const [text] = sectionOf(name).exec(document) ?? []
  if (text === undefined) throw new Error(`README.md has no section ${name}`)
  return text
}

/** Replaces the text between the markers of a section. */
export function withSection(document: string, name: string, text: string): string {
  readSection(document, name)
  return document.replace(sectionOf(name), () => text)
}
