/** `edgeway submit DIRECTORY`: writes what a directory wants, and refuses what it would refuse. */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import { loadProject, readProject } from '../../../doctor/src/definition/read-project.ts'
import { accepts } from '../../../publish/src/directories/check.ts'
import type { DirectoryFinding } from '../../../publish/src/directories/finding.ts'
import {
  firstSourceAt,
  firstSourceOf,
  writeFirstListing,
} from '../../../publish/src/submit/first-listing.ts'
import {
  compareOutput,
  isWritten,
  type OutputFile,
  writeOutput,
} from '../../../publish/src/submit/output-folder.ts'
import {
  DIRECTORIES,
  PLUGIN_FOLDER,
  type Prepared,
  prepare,
  TARGETS,
  type Target,
} from '../../../publish/src/submit/prepare.ts'
import { readListing } from '../../../publish/src/submit/read-listing.ts'
import { registryFiles } from '../../../publish/src/submit/registry/registry-files.ts'
import { projectSource, serverSource } from '../../../publish/src/submit/source.ts'
import {
  listingFile,
  projectFolder,
  readSubmission,
} from '../../../publish/src/submit/submission.ts'
import { zipFolder } from '../../../publish/src/submit/zip.ts'
import { shownPath as shown } from '../../../text/src/files/file-error.ts'
import { printable } from '../../../text/src/terminal-text.ts'
import { parseUrl } from './doctor-options.ts'
import { withActivity } from './doctor-output.ts'
import { LOGIN_TIMEOUT_MS, parseToken } from './sign-in-options.ts'

interface Flags {
  readonly listing?: string
  readonly out?: string
  readonly url?: URL
  readonly token?: string
  readonly login: boolean
  readonly check: boolean
  readonly force: boolean
}

const HELP = `
  claude    the texts of the form of the connectors directory, and the plugin
  openai    the plugin with its ZIP, chatgpt-app-submission.json, and what the dashboard asks
  registry  server.json for the MCP registry, and the commands that publish it
  init      writes a first directory.json, with what the definition of the server says

Reads the definition of the project and directory.json, and sends nothing. What the directory would
refuse is named, and nothing is written. A file that you have changed is left alone. A definition that
depends on the caller is read from the running server: --url, with --token or --login.

Exit codes: 0 written, or with --check up to date
            1 the directory would refuse it, or with --check a file differs
            2 the project or directory.json cannot be read`

const EXIT = { done: 0, refused: 1 } as const

export function addSubmitCommand(program: Command): void {
  program
    .command('submit')
    .description('writes what a directory wants of a server that is submitted to it')
    .addArgument(new Argument('<directory>', 'where to submit').choices([...TARGETS, 'init']))
    .argument('[folder]', 'the folder or the configuration file of the project', '.')
    .option('--listing <file>', 'the listing (default: directory.json in the folder)')
    .option('--out <folder>', 'where to write (default: submissions/DIRECTORY beside the listing)')
    .option('--url <url>', 'read the definition from this running server', parseUrl)
    .option('--token <token>', 'with --url: send this access token', parseToken)
    .option('--login', 'with --url: sign in with a browser', false)
    .option('--check', 'write nothing, and fail when a file is not what would be written', false)
    .option('--force', 'replace files that you have changed', false)
    .addHelpText('after', HELP)
    .action(async (target: Target | 'init', folder: string, flags: Flags, command: Command) => {
      checkFlags(target, flags, command)
      process.exitCode = await runSubmit(target, folder, flags)
    })
}

/** Options that do not apply would be ignored without a word. */
function checkFlags(target: Target | 'init', flags: Flags, command: Command): void {
  const given = (names: readonly string[]) =>
    names.find((name) => command.getOptionValueSource(name) === 'cli')
  if (flags.url !== undefined && target === 'registry') {
    command.error(`error: --url is not for ${target}, which reads the project`)
  }
  const signIn = flags.url === undefined ? given(['token', 'login']) : undefined
  if (signIn !== undefined) command.error(`error: --${signIn} needs --url`)
  const ofFiles = target === 'init' ? given(['out', 'check', 'force']) : undefined
  if (ofFiles !== undefined) command.error(`error: --${ofFiles} is not for init`)
}

async function runSubmit(target: Target | 'init', folder: string, flags: Flags): Promise<number> {
  const file = listingFile(folder, flags.listing)
  if (target !== 'init') return submit(target, folder, file, flags)
  const { url, token, login } = flags
  await reading((onLogin) =>
    writeFirstListing(file, async () =>
      url === undefined
        ? firstSourceOf(await readProject(folder))
        : firstSourceAt(url.href, resolve(projectFolder(folder)), {
            ...{ token, login, loginTimeoutMs: LOGIN_TIMEOUT_MS, onLogin },
          }),
    ),
  )
  process.stdout.write(
    `${shown(file)} has been written. Fill in what is empty, then run edgeway submit ${TARGETS.join('|')}\n`,
  )
  return EXIT.done
}

const reading = <Value>(work: (onLogin: (page: URL) => void) => Promise<Value>) =>
  withActivity('Reading the definition', { json: false }, ({ onLogin }) => work(onLogin))

async function submit(target: Target, folder: string, file: string, flags: Flags): Promise<number> {
  const prepared = await reading((onLogin) => prepareFor(target, folder, file, flags, onLogin))
  if (isRefused(prepared)) {
    process.stderr.write(refusalText(target, prepared))
    return EXIT.refused
  }
  const out = resolve(flags.out ?? join(dirname(file), 'submissions', target))
  const files = plan(out, prepared, flags.force)
  if (flags.check) return report(out, files)
  writeOutput(out, files, flags.force)
  process.stdout.write(writtenText(out, files, prepared, flags.force))
  return EXIT.done
}

async function prepareFor(
  target: Target,
  folder: string,
  file: string,
  { listing, url, token, login }: Flags,
  onLogin: (page: URL) => void,
): Promise<Prepared> {
  if (target === 'registry') {
    // A server may be in the registry alone.
    const hasListing = listing !== undefined || existsSync(file)
    const given = hasListing ? readListing(file) : {}
    return registryFiles(await loadProject(folder), given)
  }
  const options = { token, login, loginTimeoutMs: LOGIN_TIMEOUT_MS, onLogin }
  const submission = await readSubmission(folder, file, async (given) =>
    url === undefined
      ? projectSource(await readProject(folder), given)
      : serverSource(url.href, given, options),
  )
  return prepare(target, submission)
}

function plan(out: string, { files, zip }: Prepared, force: boolean): readonly OutputFile[] {
  if (zip === undefined) return compareOutput(out, files)
  const bytes = zipFolder(out, PLUGIN_FOLDER, files, force)
  return compareOutput(out, new Map([...files, [zip, bytes]]))
}

const isRefused = ({ findings, problems }: Prepared) => problems.length > 0 || !accepts(findings)

function refusalText(target: Target, { findings, problems }: Prepared): string {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const blocks = [
    ...errors.map((finding) => block(finding.code, placed(finding), finding.fix, finding.clause)),
    ...problems.map(({ code, message, fix }) => block(code, message, fix)),
  ]
  const count = blocks.length === 1 ? 'one reason' : `${blocks.length} reasons`
  return `Nothing was written: ${DIRECTORIES[target].title} would refuse it, for ${count}.\n\n${blocks.join('\n')}`
}

const placed = ({ tool, message }: DirectoryFinding) =>
  tool === undefined ? message : `${printable(tool)}: ${message}`

function block(code: string, message: string, fix: string, clause?: string): string {
  const rule = clause === undefined ? '' : `  Rule: ${clause}\n`
  return `${code}: ${message}\n  ${fix}\n${rule}`
}

const REASONS: Readonly<Record<OutputFile['state'], string>> = {
  absent: 'is missing',
  current: 'is up to date',
  outdated: 'is out of date',
  edited: 'has been changed',
  obstructed: 'is a folder or a link, or within one',
}

/** `--check` */
function report(out: string, files: readonly OutputFile[]): number {
  const different = files.filter(({ state }) => state !== 'current')
  if (different.length === 0) {
    process.stdout.write(`${shown(out)} is up to date: ${files.length} files.\n`)
    return EXIT.done
  }
  for (const { path, state, content } of different) {
    const reason = content === undefined ? 'is not part of it any more' : REASONS[state]
    process.stderr.write(`${shown(join(out, path))} ${reason}\n`)
  }
  return EXIT.refused
}

function writtenText(
  out: string,
  files: readonly OutputFile[],
  { guide, findings }: Prepared,
  force: boolean,
): string {
  const written = files.filter((file) => isWritten(file, force) && file.content !== undefined)
  const kept = files.filter((file) => file.state !== 'current' && !isWritten(file, force))
  const isCurrent = files.every(({ state }) => state === 'current')
  const lines = [
    isCurrent
      ? `${shown(out)} is up to date: ${files.length} files.`
      : `${shown(out)} has been written: ${written.length} of ${files.length} files.`,
    ...kept.map(
      ({ path, state }) =>
        `${shown(join(out, path))} ${REASONS[state]} and was left alone${state === 'edited' ? ': --force replaces it' : ''}.`,
    ),
    ...findings.map((finding) => `Warning: ${finding.code}: ${placed(finding)} ${finding.fix}`),
    `${shown(join(out, guide))} has the next steps.`,
  ]
  return `${lines.join('\n')}\n`
}
