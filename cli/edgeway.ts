/** The command line. Each command is a file of `commands/`. */
import { Command } from 'commander'
import { addAdminCommand } from './commands/admin.ts'
import { addContractCommand } from './commands/contract.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { EXIT } from './commands/doctor-output.ts'
import { addInitCommand } from './commands/init.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addServerJsonCommand } from './commands/server-json.ts'
import { addSkillsCommand } from './commands/skills.ts'
import { addSubmitCommand } from './commands/submit.ts'
import { version } from './version.ts'

const program = new Command('edgeway')
  .description('Tools for MCP servers')
  .version(version)
  .showHelpAfterError('(--help shows all options)')
  .configureHelp({ showGlobalOptions: false })
  .exitOverride()

addDoctorCommand(program)
addInitCommand(program)
addMigrateCommand(program)
addSkillsCommand(program)
addServerJsonCommand(program)
addSubmitCommand(program)
addAdminCommand(program)
addContractCommand(program)

try {
  await program.parseAsync()
} catch (error) {
  const { code = '', message } = error as { code?: string; message: string }
  // The library has printed the help or the usage error.
  const isHelp =
    code === 'commander.helpDisplayed' || code === 'commander.version' || code === 'commander.help'
  if (!code.startsWith('commander.')) process.stderr.write(`${message}\n`)
  process.exitCode = isHelp ? 0 : EXIT.unusable
}
