/**
 * `npm run moved-servers -- LIST.json [NAME…]`: moves servers of others with `edgeway migrate` and compares types,
 * start and the list of tools before and after. The list names folders with sources, which are copied and not changed:
 * `[{ "name", "folder", … }]`, see `Server`. The patch is what a person writes after the
 * command. Prints a table, and what differs to the error output. The sources are those of others, so none is in this project.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  listTools,
  listToolsOverStdio,
  type Run,
  type Started,
  type Tool,
} from './moved-servers/harness.ts'
import { PROJECT_DIRECTORY } from './support/project.ts'

interface Server {
  readonly name: string
  readonly folder: string
  readonly endpoint?: string
  readonly vars?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly rules?: readonly unknown[]
  /** Packages that the project takes from the workspace around it. */
  readonly with?: readonly string[]
  readonly tsconfig?: string
  readonly patch?: string
  /** The program that serves over stdio, where there is no Worker yet. */
  readonly stdio?: string
}

const NOT_STARTED: Started = { tools: [], problem: 'no Worker before' }
const CONFIGURATIONS = ['wrangler.json', 'wrangler.jsonc', 'wrangler.toml']
/** Packages that check the style of the sources, which nothing here needs. */
const TOOLS = /^(?:prettier|eslint.*|@biomejs\/.*|husky|lint-staged|playwright.*)$/
const [list = '', ...wanted] = process.argv.slice(2)
const servers = (JSON.parse(readFileSync(list, 'utf8')) as readonly Server[]).filter(
  ({ name }) => wanted.length === 0 || wanted.includes(name),
)
const tarball = packEdgeway()
const details: string[] = []

process.stdout.write(`
| server | files | lines | decisions | by a person | new type errors | starts | tools |
| --- | --- | --- | --- | --- | --- | --- | --- |
`)
for (const server of servers) {
  const copy = mkdtempSync(join(tmpdir(), 'moved-server-'))
  try {
    process.stdout.write(`${await moveServer(server, copy)}\n`)
  } catch (error) {
    process.stdout.write(
      `| ${server.name} | failed: ${(error as Error).message.split('\n')[0]} |\n`,
    )
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
  for (const line of details.splice(0)) process.stderr.write(`${line}\n`)
}

/** The row of the table. */
async function moveServer(server: Server, copy: string): Promise<string> {
  const { name, folder, endpoint = '/mcp', vars = {}, headers = {}, rules = [], patch } = server
  const run: Run = { endpoint, vars, headers, rules }
  const source = resolve(dirname(list), folder)
  cpSync(source, copy, { recursive: true, filter: (path) => basename(path) !== 'node_modules' })
  const configuration = CONFIGURATIONS.find((file) => existsSync(join(copy, file)))
  withoutTools(copy)
  install(copy, server.with)
  commit(copy, 'before')
  const typesBefore = typeErrors(copy, server.tsconfig)
  const before = await startedBefore(copy, configuration, run, server.stdio)
  const report = migrate(copy)
  const changed = changedLines(copy)
  commit(copy, 'moved')
  const again = migrate(copy)
  if (again.files.length > 0)
    details.push(`${name}: the second run changes ${again.files.length} files`)
  let written = 0
  if (patch !== undefined) {
    execFileSync('git', ['apply', resolve(dirname(list), patch)], { cwd: copy })
    written = changedLines(copy).added
    commit(copy, 'by a person')
  }
  withEdgeway(copy)
  install(copy)
  const after = await listTools(
    copy,
    CONFIGURATIONS.find((file) => existsSync(join(copy, file))) ?? '',
    run,
  )
  const typesAfter = typeErrors(copy, server.tsconfig)
  const news = typesAfter.filter((error) => !typesBefore.includes(error))
  const { same, equal, lines } = compare(before, after)
  const row = `| ${name} | ${report.files.length} | ${changed.added} | ${report.decisions.length} | ${written} | ${news.length} (before ${typesBefore.length}) | ${startOf(before)} / ${startOf(after)} | ${same} of ${before.tools.length}, ${equal} equal |`
  details.push(
    ...report.decisions.map(({ file, line, why }) => `${name}: decide ${file}:${line} ${why}`),
    ...news.slice(0, 12).map((error) => `${name}: types ${error}`),
    ...[before.problem, after.problem].flatMap((problem) =>
      problem === undefined ? [] : `${name}: ${problem}`,
    ),
    ...lines.map((line) => `${name}: ${line}`),
  )
  return row
}

async function startedBefore(
  copy: string,
  configuration: string | undefined,
  run: Run,
  stdio: string | undefined,
): Promise<Started> {
  if (configuration !== undefined) return listTools(copy, configuration, run)
  return stdio === undefined ? NOT_STARTED : listToolsOverStdio(copy, stdio, run.vars)
}

function startOf({ problem }: Started): string {
  return problem === undefined ? 'yes' : 'no'
}

function compare(before: Started, after: Started) {
  const found = new Map(after.tools.map((tool) => [tool.name, tool]))
  const same = before.tools.filter(({ name }) => found.has(name))
  const equal = same.filter((tool) =>
    isDeepStrictEqual(comparable(tool), comparable(found.get(tool.name) ?? tool)),
  )
  const lines = same
    .filter((tool) => !equal.includes(tool))
    .map(
      (tool) =>
        `${tool.name}\n  ${JSON.stringify(comparable(tool))}\n  ${JSON.stringify(comparable(found.get(tool.name) ?? tool))}`,
    )
  const missing = before.tools
    .filter(({ name }) => !found.has(name))
    .map(({ name }) => `lost ${name}`)
  const more = after.tools.filter(({ name }) => !before.tools.some((one) => one.name === name))
  return {
    same: same.length,
    equal: equal.length,
    lines: [...missing, ...more.map(({ name }) => `new ${name}`), ...lines.slice(0, 3)],
  }
}

/** Without what says the same in several ways: the dialect of a schema, and what is empty. */
function comparable({ name, description, inputSchema }: Tool): unknown {
  const schema = { ...(inputSchema as Record<string, unknown>) }
  delete schema.$schema
  if (isDeepStrictEqual(schema.properties, {})) delete schema.properties
  if (isDeepStrictEqual(schema.required, [])) delete schema.required
  return { name, description, schema }
}

function packEdgeway(): string {
  const folder = mkdtempSync(join(tmpdir(), 'moved-servers-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  execFileSync('npm', ['pack', '--pack-destination', folder], {
    cwd: PROJECT_DIRECTORY,
    stdio: 'ignore',
  })
  return join(folder, readdirSync(folder)[0] ?? '')
}

interface PackageFile {
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  scripts?: Record<string, string>
}

function changePackage(folder: string, change: (value: PackageFile) => void): void {
  const file = join(folder, 'package.json')
  const value = JSON.parse(readFileSync(file, 'utf8')) as PackageFile
  change(value)
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`)
}

/** The lockfile of npm stays, so that the server is installed as its author does. */
function withoutTools(folder: string): void {
  const ignored = ['node_modules', '.wrangler', '.moved-servers*', 'package-lock.json']
  appendFileSync(join(folder, '.gitignore'), `\n${ignored.join('\n')}\n`)
  if (existsSync(join(folder, 'package-lock.json'))) return
  changePackage(folder, (value) => {
    const tools = Object.keys(value.devDependencies ?? {}).filter((name) => TOOLS.test(name))
    for (const name of tools) delete value.devDependencies?.[name]
  })
}

function withEdgeway(folder: string): void {
  changePackage(folder, ({ dependencies = {} }) => {
    dependencies.edgeway = `file:${tarball}`
  })
}

/** Peers that contradict each other are installed nevertheless, as their authors do. */
function install(folder: string, packages: readonly string[] = []): void {
  const options = [
    'install',
    ...packages,
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
  ]
  const npm = (...more: string[]) =>
    spawnSync('npm', [...options, ...more], { cwd: folder, encoding: 'utf8' })
  if (npm().status === 0) return
  const { status, stderr } = npm('--legacy-peer-deps')
  if (status !== 0) throw new Error(`npm install: ${stderr.slice(0, 300)}`)
}

function commit(folder: string, message: string): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  if (!existsSync(join(folder, '.git'))) git('init', '--quiet')
  git('add', '-A')
  git(
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@example.com',
    'commit',
    '--quiet',
    '--allow-empty',
    '-m',
    message,
  )
}

function changedLines(folder: string): { readonly added: number } {
  execFileSync('git', ['add', '-A'], { cwd: folder })
  const stat = execFileSync('git', ['diff', '--cached', '--numstat'], {
    cwd: folder,
    encoding: 'utf8',
  })
  const added = stat.split('\n').map((line) => Number(line.split('\t')[0]) || 0)
  return { added: added.reduce((sum, one) => sum + one, 0) }
}

interface Report {
  readonly files: readonly unknown[]
  readonly decisions: readonly {
    readonly file: string
    readonly line: number
    readonly why: string
  }[]
}

function migrate(folder: string): Report {
  const program = join(PROJECT_DIRECTORY, 'dist/cli/edgeway.js')
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [program, 'migrate', folder, '--json'],
    { encoding: 'utf8' },
  )
  if (status === 2) throw new Error(`migrate: ${stderr}`)
  return JSON.parse(stdout) as Report
}

/** Without places, which the move of a line changes. */
function typeErrors(folder: string, tsconfig = 'tsconfig.json'): readonly string[] {
  if (!existsSync(join(folder, tsconfig))) return []
  const program = join(folder, 'node_modules/.bin/tsc')
  if (!existsSync(program)) return []
  const { stdout } = spawnSync(program, ['--noEmit', '-p', tsconfig, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return stdout.split('\n').flatMap((line) => {
    const [, file = '', code] = /^(?:(.+?)\(\d+,\d+\): )?error (TS\d+: .*)$/.exec(line) ?? []
    return code === undefined ? [] : [`${file} ${code}`]
  })
}
