/** The command line. Each command is a file of `commands/`. */
import { Command, CommanderError } from 'commander'
import { fileErrorText } from '../../text/src/files/file-error.ts'
import { printableLines } from '../../text/src/terminal-text.ts'
import { version } from '../../text/src/version.ts'
import { addAdminCommand } from './commands/admin.ts'
import { addContractCommand } from './commands/contract.ts'
import { addDevCommand } from './commands/dev.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { EXIT } from './commands/doctor-output.ts'
import { addInitCommand } from './commands/init.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addServerJsonCommand } from './commands/server-json.ts'
import { addSkillsCommand } from './commands/skills.ts'
import { addSubmitCommand } from './commands/submit.ts'
import { addViewsCommand } from './commands/views.ts'
import { handleEarlyEnd } from './process-end.ts'

const program = new Command('edgeway')
  .description('Tools for MCP servers')
  .version(version)
  .showHelpAfterError('(--help shows all options)')
  .configureHelp({ showGlobalOptions: false })
  .exitOverride()

addDevCommand(program)
addDoctorCommand(program)
addInitCommand(program)
addMigrateCommand(program)
addSkillsCommand(program)
addServerJsonCommand(program)
addSubmitCommand(program)
addAdminCommand(program)
addContractCommand(program)
addViewsCommand(program)

handleEarlyEnd()
try {
  refuseEmptyArguments(process.argv.slice(2))
  await program.parseAsync()
} catch (error) {
  process.exitCode = EXIT.unusable
  if (error instanceof CommanderError) {
    // The library has printed the help or the usage error.
    if (error.exitCode === 0) process.exitCode = 0
  } else
    process.stderr.write(`${printableLines(fileErrorText(error) ?? (error as Error).message)}\n`)
}

/** The value of a variable that is not set. As a path, it would be the current folder. */
function refuseEmptyArguments(args: readonly string[]): void {
  const at = args.findIndex((text) => /^(?:--[\w-]+=)?$/.test(text))
  if (at === -1) return
  const place = args[at] || (at === 0 ? 'the first argument' : `the argument after ${args[at - 1]}`)
  program.error(`error: ${place} is empty. Give it a value`)
}
