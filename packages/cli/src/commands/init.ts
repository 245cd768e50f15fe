/** `edgeway init NAME`: reads the command line, asks for what it does not say, writes a new server. */
import { type Command, Option } from 'commander'
import pc from 'picocolors'
import { shellArgument } from '../../../text/src/shell-argument.ts'
import { VIEWS, type ViewsChoice } from '../init/add-views.ts'
import { type ApiDescription, readApiDescription } from '../init/api-description.ts'
import { AUTH_CHOICES, AUTH_NAMES, type AuthChoice } from '../init/auth-choice.ts'
import { checkDestination } from '../init/destination.ts'
import { edgewayPackage } from '../init/edgeway-package.ts'
import { type Answers, askMissing } from '../init/questions.ts'
import { starterFiles } from '../init/starter-files.ts'
import { writeFiles } from '../init/write-files.ts'

interface Flags {
  readonly auth?: AuthChoice
  readonly openapi?: string
  readonly views?: ViewsChoice
  readonly yes: boolean
}

const HELP = `
Sign-in:
${AUTH_NAMES.map((name) => `  ${name.padEnd(12)}${AUTH_CHOICES[name]}`).join('\n')}

Asks for what is not given, unless --yes is, which chooses "open" and no description.
Writes into a new or an empty folder. Installs nothing.

Exit codes: 0 written, 1 the questions were ended, 2 nothing can be written: the message says why`

const EXIT_CANCELLED = 1

export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('writes a new MCP server, with tests, into a new folder')
    .argument('[name]', 'the name of the server and of its folder, or a path of the folder')
    .addOption(new Option('--auth <sign-in>', 'how people sign in').choices(AUTH_NAMES))
    .option('--openapi <file or URL>', 'make a tool of each operation of an OpenAPI description')
    .addOption(
      new Option('--views <framework>', 'give a tool a view, written in this').choices(
        Object.keys(VIEWS),
      ),
    )
    .option('-y, --yes', 'ask nothing', false)
    .addHelpText('after', HELP)
    .action(async (name: string | undefined, flags: Flags) => {
      process.exitCode = await runInit(name, flags)
    })
}

async function runInit(path: string | undefined, { yes, views, ...flags }: Flags): Promise<number> {
  // Before the questions, so that an answer is not lost.
  if (path !== undefined) checkDestination(path)
  const answers = await answersOf(path === undefined ? flags : { ...flags, path }, yes)
  if (answers === undefined) {
    process.stderr.write('Nothing was written.\n')
    return EXIT_CANCELLED
  }
  const { name, directory } = checkDestination(answers.path)
  const { auth, openapi } = answers
  if (views !== undefined && openapi !== undefined) {
    throw new Error(
      '--views gives roll_dice a view, and a server of an OpenAPI description has no such tool',
    )
  }
  const description = openapi === undefined ? undefined : await readApiDescription(openapi)
  const { specifier, tarball } = await edgewayPackage()
  const files = starterFiles({ name, auth, description, views, edgeway: specifier })
  if (tarball !== undefined) files.set(tarball.name, tarball.bytes)
  writeFiles(directory, files)
  process.stdout.write(`
${pc.bold(name)} has been written: ${files.size} files, sign-in: ${auth}.${adviceFor(description)}

  ${answers.path === '.' ? '' : `cd ${shellArgument(answers.path)}\n  `}npm install
  npm run dev

README.md has the next steps.
`)
  return 0
}

/** Models choose worse among more tools, and clients send them with each conversation. */
const MANY_TOOLS = 30

function adviceFor(description: ApiDescription | undefined): string {
  if (description === undefined || description.operations <= MANY_TOOLS) return ''
  return `

The description has ${description.operations} operations, and each becomes a tool. Serve fewer with "include" in src/server.ts, or
add search() of edgeway/search to src/features.ts: node_modules/edgeway/docs/guides/large-catalogues.md has both.`
}

async function answersOf(given: Partial<Answers>, yes: boolean): Promise<Answers | undefined> {
  const { path, auth } = given
  if (yes) {
    if (path === undefined) throw new Error('--yes needs a name: edgeway init my-server --yes')
    return { auth: 'open', ...given, path }
  }
  if (process.stdin.isTTY && process.stdout.isTTY) {
    return askMissing(given, { input: process.stdin, output: process.stdout })
  }
  if (path !== undefined && auth !== undefined) return { ...given, path, auth }
  throw new Error('There is no terminal to ask questions: give a name, and --auth or --yes')
}
