/** `edgeway views`: builds the views of a project, and writes the types of the tools that they call. */
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Command } from 'commander'
import { isJsonObject } from '../../../../src/protocol/json.ts'
import type { ExampleCaller } from '../../../doctor/src/config/inspector.ts'
import { readProject } from '../../../doctor/src/definition/read-project.ts'
import { CommandError } from '../../../text/src/command-error.ts'
import { shownPath, useFile } from '../../../text/src/files/file-error.ts'
import { parseJson } from '../../../text/src/json/json-text.ts'
import { buildInDevelopment } from '../dev/view-builder.ts'
import { buildWithReport, writtenText } from '../views/build-report.ts'
import { writeGenerated } from '../views/write-generated.ts'
import { addShotsCommand } from './views-shots.ts'

const HELP = `
A view is a file of the folder: note.tsx or another script, whose document has an element #root, or note.html with its
scripts. Each becomes one document with its styles and images in views.generated.ts beside the folder:

  import { note } from './views.generated.ts'
  server.registerTool('show_note', { ui: note, … }, …)

Files of folders in the folder, and those whose name begins with _, are parts of views.

Exit codes: 0 written, or nothing to write; 2 a view cannot be built: the message says why`

const TYPES_HELP = `
Loads the project, and writes its tools as the interface Tools: connectView<Tools, 'show_note'>({ name: 'note' }). Tools
that are hidden from views are left out.

--caller is for a definition that depends on its caller, such as { "subject": "ada", "scopes": ["read"] }. Its members
params and props are what the factory receives.

Exit codes: 0 written, or nothing to write; 2 the definition cannot be read: the message says why`

const FOLDER = 'src/views'

export function addViewsCommand(program: Command): void {
  const views = program.command('views').description('builds the views of tools')
  views
    .command('build')
    .description('writes the documents of the views to views.generated.ts')
    .argument('[folder]', 'the folder of the views', FOLDER)
    .option('--config <file>', 'a configuration of Vite, for plugins')
    .addHelpText('after', HELP)
    .action(runBuild)
  views
    .command('types')
    .description('writes the types of the tools that views call to views.types.ts')
    .argument('[folder]', 'the folder of the views', FOLDER)
    .option('--project <folder>', 'the project, or its configuration file', '.')
    .option('--caller <file>', 'the caller for whom a factory builds its definition, as JSON')
    .addHelpText('after', TYPES_HELP)
    .action(runTypes)
  addShotsCommand(views)
}

async function runBuild(folder: string, { config }: { readonly config?: string }): Promise<void> {
  const views = { folder: resolve(folder), config: config && resolve(config) }
  const report = (await buildInDevelopment(views)) ?? (await buildWithReport(views))
  for (const warning of report.warnings) process.stderr.write(`${warning}\n`)
  if (report.error !== undefined) throw new CommandError(report.error)
  for (const line of report.lines) process.stdout.write(`${line}\n`)
}

interface TypesFlags {
  readonly project: string
  readonly caller?: string
}

async function runTypes(folder: string, { project, caller }: TypesFlags): Promise<void> {
  const file = join(dirname(folder), 'views.types.ts')
  const example = caller === undefined ? undefined : readCaller(caller)
  const read = await readProject(project, { caller: example }, 'Name one: --caller caller.json')
  const { toolsOf, viewsTypes, withoutResultType } = await import('../views/views-types.ts')
  const tools = toolsOf(read)
  const isNew = writeGenerated(file, viewsTypes(tools))
  for (const name of withoutResultType(tools)) {
    process.stderr.write(
      `Tool "${name}" has a view and no outputSchema, so that structuredContent has no type. Add one.\n`,
    )
  }
  process.stdout.write(`${writtenText(file, isNew)}\n`)
}

/** @throws {CommandError} */
function readCaller(file: string): ExampleCaller {
  const value = parseJson(useFile(file, 'read', () => readFileSync(file, 'utf8')))
  if (!isJsonObject(value) || typeof value.subject !== 'string') {
    throw new CommandError(
      `${shownPath(file)} must be JSON like { "subject": "ada", "scopes": ["read"] }`,
    )
  }
  const { params = {}, ...auth } = value
  const defaults = {
    clientId: 'example',
    scopes: [],
    issuer: 'https://example.com',
    resource: 'https://example.com/mcp',
  }
  return { auth: { ...defaults, ...auth }, params: params as object }
}
