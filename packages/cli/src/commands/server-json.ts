/** `edgeway server-json`: prints or writes the `server.json` of the MCP registry, from the Server Card of a project. */
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { findConfiguration } from '../../../doctor/src/config/wrangler.ts'
import { loadProject } from '../../../doctor/src/definition/read-project.ts'
import { deploymentOrigin } from '../../../publish/src/server-json/deployment-origin.ts'
import { findCard } from '../../../publish/src/server-json/find-card.ts'
import { mergeServerJson } from '../../../publish/src/server-json/merge.ts'
import { readServerJson } from '../../../publish/src/server-json/read-server-json.ts'
import { type ServerJson, serverJsonOf } from '../../../publish/src/server-json/server-json.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { shownPath as shown, useFile } from '../../../text/src/files/file-error.ts'
import { replaceFile } from '../../../text/src/files/replace-file.ts'
import { shellArgument } from '../../../text/src/shell-argument.ts'
import { printable, printableJson } from '../../../text/src/terminal-text.ts'

interface Flags {
  readonly out?: string
  readonly origin?: string
  readonly env?: string
  readonly name?: string
  readonly write: boolean
  readonly check: boolean
}

const HELP = `
The data are those of the feature serverCard() of the main module, which is bundled and loaded. The
origin is that of the deployment: --origin, or auth({ origin }), EDGEWAY_ORIGIN in the vars, or a route
of the configuration. An existing file keeps the members that do not come from there, such as packages
and _meta.

Publish the file with mcp-publisher: https://modelcontextprotocol.io/registry/quickstart

Exit codes: 0 printed, written or up to date; 1 with --check, the file is out of date;
            2 the project cannot be read, or the file is not JSON`

const EXIT_OUT_OF_DATE = 1

export function addServerJsonCommand(program: Command): void {
  program
    .command('server-json')
    .description('prints or writes server.json, which lists a server in the MCP registry')
    .argument('[folder]', 'the folder of the project, or its configuration file', '.')
    .option('--write', 'write the file', false)
    .option('--check', 'write nothing, and fail when the file is out of date', false)
    .option('--out <file>', 'the file; by default server.json beside the configuration')
    .option('--origin <origin>', 'the origin of the deployment, such as https://mcp.example.com')
    .option('--env <name>', 'the environment of the configuration')
    .option('--name <name>', 'the name of the server, of several with serverCard()')
    .addHelpText('after', HELP)
    .action(async (folder: string, flags: Flags, command: Command) => {
      if (flags.write && flags.check) {
        command.error('error: --check writes nothing: remove it, or --write')
      }
      process.exitCode = await runServerJson(folder, flags)
    })
}

async function runServerJson(folder: string, flags: Flags): Promise<number> {
  const file = flags.out ?? join(dirname(findConfiguration(folder)), 'server.json')
  // Before the project is bundled, which takes seconds.
  const existing = readServerJson(file)
  const { environments, apps } = await loadProject(folder)
  const { app, card } = findCard(apps, flags.name)
  const environment = environments.find(({ name }) => name === flags.env)
  if (environment === undefined) {
    throw new CommandError(`The configuration has no environment ${printable(flags.env ?? '')}`)
  }
  const origin = deploymentOrigin(flags.origin, app, environment.config, card.remotes[0]?.url ?? '')
  if (card.name.includes('your-account')) {
    process.stderr.write(`${card.name} is the name of the template: set yours in serverCard()\n`)
  }
  return finish(file, existing, serverJsonOf(card, origin), flags, commandOf(folder, flags))
}

function finish(
  file: string,
  existing: ServerJson | undefined,
  computed: ServerJson,
  { write, check }: Flags,
  writes: string,
): number {
  const { value, changes } = mergeServerJson(existing, computed)
  const text = `${JSON.stringify(value, undefined, 2)}\n`
  const name = shown(file)
  if (!write && !check) {
    process.stdout.write(`${printableJson(value, 2)}\n`)
    return 0
  }
  if (changes.length === 0) {
    process.stdout.write(`${name} is up to date.\n`)
    return 0
  }
  const lines = changes.map((change) => `  ${change}\n`).join('')
  if (check) {
    process.stderr.write(`${name} is out of date. Run ${writes}:\n${lines}`)
    return EXIT_OUT_OF_DATE
  }
  useFile(file, 'written', () => {
    mkdirSync(dirname(file), { recursive: true })
    replaceFile(file, text)
  })
  process.stdout.write(`${name} has been written${existing === undefined ? '.\n' : `:\n${lines}`}`)
  return 0
}

/** What writes the same file. */
function commandOf(folder: string, { out, origin, env, name }: Flags): string {
  const options = Object.entries({ out, origin, env, name }).flatMap(([option, value]) =>
    value === undefined ? [] : [`--${option}`, shellArgument(value)],
  )
  const given = folder === '.' ? options : [shellArgument(folder), ...options]
  return ['edgeway server-json', ...given, '--write'].join(' ')
}
