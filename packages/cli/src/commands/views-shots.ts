/** `edgeway views shots`: takes pictures of the views of a project from saved results. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { CommandError } from '../../../text/src/command-error.ts'
import { shownPath } from '../../../text/src/files/file-error.ts'
import type { SavedResult } from '../../../view/src/host/saved-results.ts'
import { type BuiltView, buildView } from '../views/build-view.ts'
import { savedResultsOf, type Theme, takeShots } from '../views/shots.ts'
import { viewSources } from '../views/view-sources.ts'

const HELP = `
The results of note.tsx are in note.results.json beside it, as the inspector saves them:

  [{ "name": "milk", "tool": "show_note", "arguments": {…}, "result": { "content": [], "structuredContent": {…} } }]

Each becomes note-milk-light-400.png and so on. The first result of a tool answers calls of the view. Needs
playwright-core, and Chromium or Chrome.

Exit codes: 0 taken; 1 taken, and hosts do not accept something: the messages say what; 2 no pictures: the message says why`

const DEFAULT_WIDTHS: readonly number[] = [400]

interface Flags {
  readonly out: string
  readonly theme: readonly Theme[]
  readonly width: readonly number[]
  readonly config?: string
}

export function addShotsCommand(views: Command): void {
  views
    .command('shots')
    .description('takes pictures of the views, from results that are saved beside them')
    .argument('[folder]', 'the folder of the views', 'src/views')
    .option('--out <folder>', 'the folder of the pictures', 'shots')
    .addOption(
      new Option('--theme <themes...>', 'themes')
        .choices(['light', 'dark'])
        .default(['light', 'dark']),
    )
    .addOption(
      new Option('--width <pixels...>', 'widths, from 200 to 2000')
        .argParser(addWidth)
        .default(DEFAULT_WIDTHS),
    )
    .option('--config <file>', 'a configuration of Vite, for plugins')
    .addHelpText('after', HELP)
    .action(runShots)
}

/** The first value replaces the default. */
function addWidth(text: string, before: readonly number[]): readonly number[] {
  const width = Number(text)
  if (!Number.isInteger(width) || width < 200 || width > 2000) {
    throw new InvalidArgumentError('A width is a number from 200 to 2000.')
  }
  return before === DEFAULT_WIDTHS ? [width] : [...before, width]
}

async function runShots(folder: string, flags: Flags): Promise<void> {
  const warn = (message: string) => void process.stderr.write(`${message}\n`)
  const views = new Map<BuiltView, readonly SavedResult[]>()
  for (const source of viewSources(folder)) {
    const results = savedResultsOf(source)
    if (results.length === 0) warn(`${source.name} has no ${source.name}.results.json.`)
    else views.set(await buildView(source, { config: flags.config, onWarning: warn }), results)
  }
  if (views.size === 0) {
    throw new CommandError(
      `No view of ${shownPath(folder)} has saved results: save one in the inspector, beside the view`,
    )
  }
  const findings = new Set<string>()
  await takeShots(views, {
    out: flags.out,
    themes: flags.theme,
    widths: flags.width,
    onPicture: (file) => void process.stdout.write(`${shownPath(file)}\n`),
    onFinding: (sentence) => void findings.add(sentence),
  })
  for (const finding of findings) warn(finding)
  if (findings.size > 0) process.exitCode = 1
}
