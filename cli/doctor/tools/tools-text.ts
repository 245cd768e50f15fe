/** The text of `edgeway doctor --config --tools`: of each client the ways in which it uses tools, each with its tools. */
import pc from 'picocolors'
import type { ProjectTools } from '../../config/project-tools.ts'
import type { TerminalOptions } from '../reporters/terminal.ts'
import { printable } from '../text.ts'
import type { ClientTools, ToolUse } from './tool-uses.ts'

export function toolsText({ config, apps }: ProjectTools, { colors }: TerminalOptions): string {
  const color = pc.createColors(colors)
  const sections = apps.flatMap(({ path, clients }) => [
    ...(apps.length > 1 ? [color.bold(printable(path))] : []),
    ...clients.map((client) => clientText(client, color)),
  ])
  const unusable = new Set(apps.flatMap(({ clients }) => clients.flatMap(unusableOf)))
  const result =
    unusable.size === 0
      ? color.green('Each client can use each tool.')
      : color.red(
          `Not every client can use ${[...unusable].map((name) => printable(name)).join(', ')}.`,
        )
  const head = `${color.bold('edgeway doctor')} ${printable(config, 400)}`
  return `${[head, ...sections, result].join('\n\n')}\n`
}

const unusableOf = ({ tools }: ClientTools) =>
  tools.flatMap(({ name, usable }) => (usable ? [] : [name]))

function clientText({ title, tools }: ClientTools, color: ReturnType<typeof pc.createColors>) {
  const ways = Map.groupBy(tools, ({ usable, how }) => `${usable ? '✓' : '✗'} ${how}`)
  const lines = [...ways].map(([way, uses]) => {
    const mark = way.startsWith('✓') ? color.green('✓') : color.red('✗')
    return `  ${mark} ${way.slice(2)}: ${namesOf(uses)}`
  })
  return [color.bold(title), ...lines].join('\n')
}

/** The tools of one line: a definition may have hundreds. */
const MAX_NAMED = 20

function namesOf(uses: readonly ToolUse[]): string {
  const names = uses.slice(0, MAX_NAMED).map(({ name }) => printable(name))
  const more = uses.length - names.length
  return more === 0 ? names.join(', ') : `${names.join(', ')} and ${more} more`
}
