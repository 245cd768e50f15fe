/** `edgeway contract`: writes the contract of a project, or compares it with the committed one. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { ProjectError } from '../config/project-error.ts'
import { compareContracts } from '../contract/compare/compare-contracts.ts'
import {
  DIFFERENCE_KINDS,
  type Difference,
  type DifferenceKind,
} from '../contract/compare/difference.ts'
import { type Contract, createContract } from '../contract/contract.ts'
import { contractText, type ReadContract, readContract } from '../contract/contract-file.ts'
import { readProjectSources } from '../contract/project-source.ts'
import { differencesText, overdueTools, sizeText } from '../contract/report.ts'
import { printable } from '../doctor/text.ts'

const EXIT = { current: 0, breaking: 1, unusable: 2, outdated: 3 } as const

interface Flags {
  readonly check: boolean
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
    .argument('[folder]', 'the folder of the project, or its configuration file', '.')
    .option('--check', 'write nothing, and compare with the file', false)
    .option('--file <file>', 'the contract (default: contract.json in the folder)')
    .option('--against <file>', 'with --check: compare with the contract of another branch')
    .option(
      '--allow <kinds>',
      `with --check: differences that do not fail: ${DIFFERENCE_KINDS.join(', ')}`,
      parseKinds,
    )
    .option('--json', 'print the result as JSON', false)
    .addHelpText('after', HELP)
    .action(async (folder: string, flags: Flags, command: Command) => {
      const needsCheck = (['against', 'allow'] as const).find((name) => flags[name] !== undefined)
      if (needsCheck !== undefined && !flags.check) {
        command.error(`error: --${needsCheck} compares, so it needs --check`)
      }
      process.exitCode = await run(folder, flags)
    })
}

function parseKinds(text: string): readonly DifferenceKind[] {
  const names = text.split(',').map((name) => name.trim())
  const kinds = DIFFERENCE_KINDS.filter((kind) => names.includes(kind))
  if (names.length !== kinds.length) {
    throw new InvalidArgumentError(`It is a list of ${DIFFERENCE_KINDS.join(', ')}.`)
  }
  return kinds
}

async function run(folder: string, flags: Flags): Promise<number> {
  try {
    const { sources, file: ownFile } = await readProjectSources(folder)
    // The ranks of the tokenizer are large, so that other commands do not load them.
    const { countTokens } = await import('../contract/count-tokens.ts')
    const contract = createContract(sources, countTokens)
    const file = flags.against ?? flags.file ?? ownFile
    const committed = readFile(file)
    return flags.check
      ? check(file, committed, contract, flags)
      : write(file, committed, contract, flags)
  } catch (error) {
    if (!(error instanceof ProjectError)) throw error
    process.stderr.write(`${error.message}\n`)
    return EXIT.unusable
  }
}

/** @throws {ProjectError} for a file that was not written by this command */
function readFile(file: string): Exclude<ReadContract, { readonly state: 'foreign' }> | undefined {
  if (!existsSync(file)) return undefined
  const read = readContract(readFileSync(file, 'utf8'))
  if (read.state !== 'foreign') return read
  throw new ProjectError(`${shown(file)} ${read.why}. Name another file: --file FILE`)
}

const shown = (file: string) => printable(relative('.', file) || file, 1000)

const todayInUtc = () => new Date().toISOString().slice(0, 10)

type Committed = ReturnType<typeof readFile>

function write(file: string, committed: Committed, contract: Contract, { json }: Flags): number {
  const differences =
    committed?.state === 'read'
      ? compareContracts(committed.contract, contract, { today: todayInUtc() })
      : []
  const text = contractText(contract)
  const isCurrent = existsSync(file) && readFileSync(file, 'utf8') === text
  if (!isCurrent) writeFileSync(file, text)
  const status = isCurrent ? 'current' : 'written'
  if (json) printJson({ file, status, differences, notes: overdueTools(contract, todayInUtc()) })
  else {
    const what = isCurrent ? 'is up to date' : 'has been written'
    process.stdout.write(
      `${differencesText(differences)}${shown(file)} ${what}: ${sizeText(contract)}.\n`,
    )
    printNotes(contract)
  }
  return EXIT.current
}

type Status = keyof typeof EXIT

function check(file: string, committed: Committed, contract: Contract, flags: Flags): number {
  const differences =
    committed?.state === 'read'
      ? compareContracts(committed.contract, contract, { today: todayInUtc() })
      : []
  const status = statusOf(committed, differences, flags)
  if (flags.json) {
    printJson({ file, status, differences, notes: overdueTools(contract, todayInUtc()) })
    return EXIT[status]
  }
  process.stdout.write(differencesText(differences))
  const verdict = verdictOf(status, file, committed, contract, differences.length > 0)
  if (status === 'current') process.stdout.write(`${verdict}\n`)
  else process.stderr.write(`${verdict}\n`)
  printNotes(contract)
  return EXIT[status]
}

function statusOf(
  committed: Committed,
  differences: readonly Difference[],
  { against, allow = against === undefined ? [] : ['announced', 'additive', 'textual'] }: Flags,
): Status {
  const refused = differences.filter(({ kind }) => !allow.includes(kind))
  if (refused.some(({ kind }) => kind === 'breaking')) return 'breaking'
  const isDamaged = committed?.state !== 'read' || !committed.isIntact
  return isDamaged || refused.length > 0 ? 'outdated' : 'current'
}

function verdictOf(
  status: Status,
  file: string,
  committed: Committed,
  contract: Contract,
  hasDifferences: boolean,
): string {
  const name = shown(file)
  const command = 'Run edgeway contract and commit the file.'
  if (status === 'breaking') {
    return `Clients that hold the committed contract may fail. Undo what is breaking, or accept it: run edgeway contract and commit ${name}.`
  }
  if (status === 'current') {
    return hasDifferences
      ? `${name} differs only by what is allowed.`
      : `${name} is up to date: ${sizeText(contract)}.`
  }
  if (committed === undefined) return `There is no ${name}. ${command}`
  if (committed.state === 'damaged') return `${name} is damaged, as by a merge. ${command}`
  const why = hasDifferences ? 'is out of date' : 'was changed by hand or by a merge'
  return `${name} ${why}. ${command}`
}

function printNotes(contract: Contract): void {
  for (const note of overdueTools(contract, todayInUtc())) process.stderr.write(`${note}.\n`)
}

function printJson(result: object): void {
  process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`)
}
