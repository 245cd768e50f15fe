/** `edgeway migrate`: moves a server from the SDKs to Edgeway in its folder. */
import type { Command } from 'commander'
import pc from 'picocolors'
import { CommandError } from '../../../text/src/command-error.ts'
import { inertText, printable } from '../../../text/src/terminal-text.ts'

/** The exit codes, which scripts rely on. That of an error is in `../edgeway.ts`. */
const EXIT = { done: 0, decide: 1 } as const

interface Flags {
  readonly dryRun: boolean
  readonly force: boolean
  readonly json: boolean
}

const HELP = `
Moves a server of @modelcontextprotocol/sdk, @modelcontextprotocol/server or agents/mcp: its imports, the
exports of its Worker, its bindings and migrations in the configuration of wrangler, and its
dependencies. Installs nothing. Reports, with file, line and guide, what a person must decide.

Writes all files or none. A second run changes nothing. Files in node_modules, declarations (.d.ts),
files that git ignores, symbolic links, and other projects below the folder are not changed; a
configuration that git ignores is changed with --force alone.

Exit codes: 0 moved, and nothing to decide, 1 something is left to decide,
            2 the project cannot be moved, and nothing was written: the message says why`

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('moves a server from the MCP SDK or the Agents SDK to Edgeway')
    .argument('[folder]', 'the folder of the project', '.')
    .option('--dry-run', 'show the diff, and write nothing', false)
    .option('--force', 'write into a folder that git has no clean version of', false)
    .option('--json', 'print the report as JSON', false)
    .addHelpText('after', HELP)
    .action(async (folder: string, flags: Flags) => {
      process.exitCode = await runMigrate(folder, flags)
    })
}

/** The parser and its companions are larger than the rest of the command line, so they load here. */
async function runMigrate(folder: string, { dryRun, force, json }: Flags): Promise<number> {
  const { planMigration, ignoredBy, treeState, writeEdits, report } = await import(
    '../../../migrate/src/index.ts'
  )
  const terminal = { colors: process.stdout.isTTY === true && pc.isColorSupported }
  const plan = planMigration(folder)
  const changes = plan.edits.length > 0
  if (changes && !dryRun) {
    if (!force) checkTree(plan)
    writeEdits(plan.folder, plan.edits)
  }
  const outcome = !changes ? 'unchanged' : dryRun ? 'shown' : 'written'
  if (json) process.stdout.write(report.reportJson(plan, outcome))
  else {
    if (outcome === 'shown') process.stdout.write(shownDiff(plan.edits, report, terminal))
    process.stdout.write(report.reportText(plan, outcome, terminal))
  }
  return plan.decisions.length > 0 ? EXIT.decide : EXIT.done

  /** @throws {CommandError} */
  function checkTree({ folder, edits }: ReturnType<typeof planMigration>): void {
    const written = edits.flatMap(({ file, before }) => (before === undefined ? [] : file))
    const state = treeState(folder)
    const [ignored] = state === 'clean' ? ignoredBy(folder, written) : []
    if (state === 'clean' && ignored === undefined) return
    const reasons = {
      changed: 'The git work tree has changes that are not committed. Commit or stash them',
      none: 'The folder is not in a git work tree, so the changes could not be taken back. Commit it to git',
      clean: `Git ignores ${printable(ignored ?? '', 1000)}, so its change could not be taken back. Keep a copy`,
    }
    throw new CommandError(
      `${reasons[state]}, or write nevertheless with --force. --dry-run shows the diff. Nothing was written`,
    )
  }
}

type Report = typeof import('../../../migrate/src/report.ts')

/** A program may read it, and pass it on to a terminal. `--json` has it as it is. */
function shownDiff(
  edits: Parameters<Report['diffOf']>[0],
  { diffOf, coloredDiff }: Report,
  terminal: { readonly colors: boolean },
): string {
  return `${process.stdout.isTTY === true ? coloredDiff(edits, terminal) : inertText(diffOf(edits))}\n`
}
