/** The text of `edgeway doctor --config --tools`: of each client the ways in which it uses tools, each with its tools. */
import pc from 'picocolors'
import { printable } from '../../../../text/src/terminal-text.ts'
import type { ProjectTools } from '../../config/project-tools.ts'
import type { TerminalOptions } from '../reporters/terminal.ts'
import type { ClientTools, ToolUse } from './tool-uses.ts'

export function toolsText({ config, apps }: ProjectTools, { colors }: TerminalOptions): string {
  const color = pc.createColors(colors)
  const sections = apps.flatMap(({ path, clients }) => [
    ...(apps.length > 1 ? [color.bold(printable(path))] : []),
    ...clients.map((client) => clientText(client, color)),
  ])
  const unusable = new Set(apps.flatMap(({ clients }) => clients.flatMap(unusableOf)))
  const usable =
    unusable.size === 0
      ? color.green('Each client can use each tool.')
      : color.red(
          `Not every client can use ${[...unusable].map((name) => printable(name)).join(', ')}.`,
        )
  const result = [
    usable,
    ...unaskedText(
      apps.flatMap(({ clients }) => clients),
      color,
    ),
  ].join('\n')
  const head = `${color.bold('edgeway doctor')} ${printable(config, 400)}`
  return `${[head, ...sections, result].join('\n\n')}\n`
}

const unusableOf = ({ tools }: ClientTools) =>
  tools.flatMap(({ name, usable }) => (usable ? [] : [name]))

/** Which clients a handler cannot ask. It has the same capabilities in each app. */
function unaskedText(clients: readonly ClientTools[], color: ReturnType<typeof pc.createColors>) {
  const titles = new Set(
    clients.filter(({ unasked }) => unasked.includes('ctx.elicit')).map(({ title }) => title),
  )
  return titles.size === 0
    ? []
    : [
        color.yellow(
          `${[...titles].join(' and ')} cannot be asked: a tool that calls ctx.elicit ends with an error there. Let the model ask (throughModel: true), or take the answer as an argument too.`,
        ),
      ]
}

function clientText(
  { title, tools, unasked }: ClientTools,
  color: ReturnType<typeof pc.createColors>,
) {
  const ways = Map.groupBy(tools, ({ usable, how }) => `${usable ? '✓' : '✗'} ${how}`)
  const lines = [...ways].map(([way, uses]) => {
    const mark = way.startsWith('✓') ? color.green('✓') : color.red('✗')
    return `  ${mark} ${way.slice(2)}: ${namesOf(uses)}`
  })
  const limits =
    unasked.length === 0
      ? []
      : [`  ${color.yellow('!')} ends with an error where the tool calls ${unasked.join(', ')}`]
  return [color.bold(title), ...lines, ...limits].join('\n')
}

/** The tools of one line: a definition may have hundreds. */
const MAX_NAMED = 20

function namesOf(uses: readonly ToolUse[]): string {
  const names = uses.slice(0, MAX_NAMED).map(({ name }) => printable(name))
  const more = uses.length - names.length
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`
}
