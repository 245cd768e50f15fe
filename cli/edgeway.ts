/** The command line. Each command is a file of `commands/`. */
import { Command } from 'commander'
import { addAdminCommand } from './commands/admin.ts'
import { addDoctorCommand, EXIT } from './commands/doctor.ts'
import { addInitCommand } from './commands/init.ts'
import { addMigrateCommand } from './commands/migrate.ts'
import { addSkillsCommand } from './commands/skills.ts'
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
addAdminCommand(program)

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
