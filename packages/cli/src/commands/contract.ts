/** `edgeway contract`: writes the contract of a project, or compares it with the committed one. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { findConfiguration } from '../../../doctor/src/config/wrangler.ts'
import { readProject } from '../../../doctor/src/definition/read-project.ts'
import { compareContracts } from '../../../publish/src/contract/compare/compare-contracts.ts'
import {
  DIFFERENCE_KINDS,
  type Difference,
  type DifferenceKind,
} from '../../../publish/src/contract/compare/difference.ts'
import { type Contract, createContract } from '../../../publish/src/contract/contract.ts'
import {
  contractText,
  type ReadContract,
  readContract,
} from '../../../publish/src/contract/contract-file.ts'
import { projectSources } from '../../../publish/src/contract/project-source.ts'
import { differencesText, overdueTools, sizeText } from '../../../publish/src/contract/report.ts'
import { readServerSource, withServer } from '../../../publish/src/contract/server-source.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { shownPath as shown, useFile } from '../../../text/src/files/file-error.ts'
import { replaceFile } from '../../../text/src/files/replace-file.ts'
import { shellArgument } from '../../../text/src/shell-argument.ts'
import { printableJson } from '../../../text/src/terminal-text.ts'
import { addHeader, parseSeconds, parseUrl } from './doctor-options.ts'
import { LOGIN_TIMEOUT_MS, parseToken, showPage } from './sign-in-options.ts'

const FILE_NAME = 'contract.json'

const EXIT = { current: 0, breaking: 1, outdated: 3 } as const

interface Flags {
  readonly check: boolean
  readonly url?: URL
  readonly token?: string
  readonly header?: Readonly<Record<string, string>>
  readonly login: boolean
  readonly timeout: number
  readonly file?: string
  readonly against?: string
  readonly allow?: readonly DifferenceKind[]
  readonly json: boolean
}

const HELP = `
The contract is what clients see: tools, prompts, resources, templates and events, each with a fingerprint, its bytes
and its tokens. Commit contract.json, and run edgeway contract --check in CI:

  breaking   a client that worked may fail: an argument that is required now, a result that may have another type
  announced  it breaks, and the deprecation of the tool announced it for a time that has passed
  additive   only new clients use it: a tool, an optional argument
  textual    titles, descriptions, and what else models and people read

A comparison that cannot be decided is breaking. --against compares with the contract of another branch, where only
breaking differences fail: git show origin/main:contract.json > main.json; edgeway contract --check --against main.json

Exit codes: 0 written, or the file is up to date or differs only by what --allow names
            1 a breaking difference
            2 the command line is wrong, or the definition cannot be read
            3 the file is missing or out of date: run edgeway contract and commit it`

export function addContractCommand(program: Command): void {
  program
    .command('contract')
    .description('writes what clients see to contract.json, or names what breaks them')
    .argument('[folder]', 'the folder of the project, or its configuration file (default: .)')
    .option('--check', 'write nothing, and compare with the file', false)
    .option('--file <file>', 'the contract (default: contract.json in the folder)')
    .option('--against <file>', 'with --check: compare with the contract of another branch')
    .option(
      '--allow <kinds>',
      `with --check: differences that do not fail: ${DIFFERENCE_KINDS.join(', ')}`,
      parseKinds,
    )
    .option('--json', 'print the result as JSON', false)
    .option('--url <url>', 'read a running server instead of a project', parseUrl)
    .option('--token <token>', 'with --url: an access token for it', parseToken)
    .addOption(
      new Option(
        '--header <header>',
        'with --url: send this header ("Name: value") with every request; may be repeated',
      ).argParser((text: string, previous: Flags['header']) => addHeader(text, previous ?? {})),
    )
    .option('--login', 'with --url: sign in with a browser', false)
    .option('--timeout <seconds>', 'with --url: how long to wait for a response', parseSeconds, 10)
    .addHelpText('after', HELP)
    .action(async (folder: string | undefined, flags: Flags, command: Command) => {
      checkFlags(folder, flags, command)
      process.exitCode = await run(folder, flags)
    })
}

const OF_CHECKS = ['against', 'allow']
const OF_SERVERS = ['token', 'header', 'login', 'timeout']

function checkFlags(folder: string | undefined, { check, url }: Flags, command: Command): void {
  const isGiven = (name: string) => command.getOptionValueSource(name) === 'cli'
  const compares = check ? undefined : OF_CHECKS.find(isGiven)
  if (compares !== undefined) command.error(`error: --${compares} compares, so it needs --check`)
  const connects = url === undefined ? OF_SERVERS.find(isGiven) : undefined
  if (connects !== undefined)
    command.error(`error: --${connects} belongs to a server: give its --url`)
  if (url !== undefined && folder !== undefined) {
    command.error('error: --url reads a running server, and a folder is that of a project')
  }
}

function parseKinds(text: string): readonly DifferenceKind[] {
  const names = text.split(',').map((name) => name.trim())
  const kinds = DIFFERENCE_KINDS.filter((kind) => names.includes(kind))
  if (names.length !== kinds.length) {
    throw new InvalidArgumentError(`It is a list of ${DIFFERENCE_KINDS.join(', ')}.`)
  }
  return kinds
}

async function run(folder: string | undefined, flags: Flags): Promise<number> {
  const { file, committed, contract } = await readBoth(folder ?? '.', flags)
  const today = new Date().toISOString().slice(0, 10)
  const differences =
    committed?.state === 'read' ? compareContracts(committed.contract, contract, { today }) : []
  const result = { file, committed, contract, differences, today }
  return flags.check ? check(result, flags, commandOf(folder, flags)) : write(result, flags)
}

interface Result {
  readonly file: string
  readonly committed: Committed
  readonly contract: Contract
  readonly differences: readonly Difference[]
  readonly today: string
}

/** @throws {CommandError} */
async function readBoth(
  folder: string,
  flags: Flags,
): Promise<Pick<Result, 'file' | 'committed' | 'contract'>> {
  // The ranks of the tokenizer are large, so that other commands do not load them.
  const load = async () =>
    (await import('../../../publish/src/contract/count-tokens.ts')).countTokens
  const given = flags.against ?? flags.file
  if (flags.url === undefined) {
    const file = given ?? join(dirname(findConfiguration(folder)), FILE_NAME)
    // Before the project is bundled, which takes seconds.
    const committed = readFile(file, flags)
    const sources = projectSources(await readProject(folder))
    return { file, committed, contract: createContract(sources, await load()) }
  }
  const file = given ?? FILE_NAME
  const committed = readFile(file, flags)
  const known = committed?.state === 'read' ? committed.contract : undefined
  const { token, header, login, timeout } = flags
  const options = { token, login, timeoutMs: timeout * 1000, onLogin: showPage }
  const source = await readServerSource(
    flags.url,
    { ...options, ...(header && { headers: header }), loginTimeoutMs: LOGIN_TIMEOUT_MS },
    known,
  )
  return { file, committed, contract: withServer(known, createContract([source], await load())) }
}

/** @throws {CommandError} for a file that was not written by this command, and for none of another branch */
function readFile(
  file: string,
  { against }: Flags,
): Exclude<ReadContract, { readonly state: 'foreign' }> | undefined {
  const read = existsSync(file)
    ? readContract(useFile(file, 'read', () => readFileSync(file, 'utf8')))
    : undefined
  if (read?.state === 'foreign') {
    const option = against === undefined ? '--file' : '--against'
    throw new CommandError(`${shown(file)} ${read.why}. Name another file: ${option} FILE`)
  }
  if (against === undefined || read?.state === 'read') return read
  const what = read === undefined ? `There is no ${shown(file)}` : `${shown(file)} is damaged`
  throw new CommandError(
    `${what}. Write the contract of the other branch: git show origin/main:contract.json > ${shown(file)}`,
  )
}

type Committed = ReturnType<typeof readFile>

function write({ file, contract, differences, today }: Result, { json }: Flags): number {
  const text = contractText(contract)
  const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === text
  if (!isCurrent) useFile(file, 'written', () => replaceFile(file, text))
  const notes = overdueTools(contract, today)
  if (json) {
    printJson({ file, status: isCurrent ? 'current' : 'written', differences, notes })
    return EXIT.current
  }
  const what = isCurrent ? 'is up to date' : 'has been written'
  process.stdout.write(
    `${differencesText(differences)}${shown(file)} ${what}: ${sizeText(contract)}.\n`,
  )
  printNotes(notes)
  return EXIT.current
}

type Status = keyof typeof EXIT

function check(result: Result, flags: Flags, writes: string): number {
  const { file, contract, differences, today } = result
  const status = statusOf(result, flags)
  const notes = overdueTools(contract, today)
  if (flags.json) {
    printJson({ file, status, differences, notes })
    return EXIT[status]
  }
  process.stdout.write(differencesText(differences))
  const output = status === 'current' ? process.stdout : process.stderr
  output.write(`${verdictOf(status, result, writes)}\n`)
  printNotes(notes)
  return EXIT[status]
}

const NOT_BREAKING = DIFFERENCE_KINDS.filter((kind) => kind !== 'breaking')

function statusOf(
  { committed, differences }: Result,
  { against, allow = against === undefined ? [] : NOT_BREAKING }: Flags,
): Status {
  const refused = differences.filter(({ kind }) => !allow.includes(kind))
  if (refused.some(({ kind }) => kind === 'breaking')) return 'breaking'
  // The contract of another branch is not mended here.
  const isDamaged = against === undefined && (committed?.state !== 'read' || !committed.isIntact)
  return isDamaged || refused.length > 0 ? 'outdated' : 'current'
}

/** What writes the contract of the same project or server. */
function commandOf(folder: string | undefined, { url, file }: Flags): string {
  const given = [
    folder && shellArgument(shown(folder)),
    url && `--url ${shellArgument(url.href)}`,
    file && `--file ${shellArgument(shown(file))}`,
  ]
  return ['edgeway contract', ...given.filter((text) => text !== undefined)].join(' ')
}

function verdictOf(
  status: Status,
  { file, committed, contract, differences }: Result,
  writes: string,
): string {
  const name = shown(file)
  const command = `Run ${writes} and commit the file.`
  if (status === 'breaking') {
    return `Clients that hold the committed contract may fail. Undo what is breaking, or accept it: run ${writes} and commit the file.`
  }
  if (status === 'current') {
    return differences.length > 0
      ? `${name} differs only by what is allowed.`
      : `${name} is up to date: ${sizeText(contract)}.`
  }
  if (committed === undefined) return `There is no ${name}. ${command}`
  if (committed.state === 'damaged') return `${name} is damaged, as by a merge. ${command}`
  const why = differences.length > 0 ? 'is out of date' : 'was changed by hand or by a merge'
  return `${name} ${why}. ${command}`
}

function printNotes(notes: readonly string[]): void {
  for (const note of notes) process.stderr.write(`${note}.\n`)
}

function printJson(result: object): void {
  process.stdout.write(`${printableJson(result, 2)}\n`)
}
