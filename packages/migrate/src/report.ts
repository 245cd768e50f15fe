/** What a run of `edgeway migrate` prints: the diff, the report for people, and the report as JSON. */
import { createTwoFilesPatch } from 'diff'
import pc from 'picocolors'
import { printable, printableJson, visibleLine } from '../../text/src/terminal-text.ts'
import type { Decision, FileEdit, Plan } from './plan.ts'

/** What became of the edits. */
export type Outcome = 'written' | 'shown' | 'unchanged'

export interface Terminal {
  readonly colors: boolean
}

/** Lines of the context of a change. */
const CONTEXT = 3

/** A unified diff, which `git apply` and `patch -p1` accept in the folder of the project. */
export function diffOf(edits: readonly FileEdit[]): string {
  return edits
    .map(({ file, before, after }) => {
      const from = before === undefined ? '/dev/null' : `a/${file}`
      const patch = createTwoFilesPatch(from, `b/${file}`, before ?? '', after, '', '', {
        context: CONTEXT,
        headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
      })
      return patch.replace(/^(---|\+\+\+) (.*)\t$/gm, '$1 $2')
    })
    .join('')
}

/** The diff for a terminal, which obeys no control character of a file. */
export function coloredDiff(edits: readonly FileEdit[], { colors }: Terminal): string {
  const paint = pc.createColors(colors)
  const lines = diffOf(edits).split('\n')
  return lines
    .map((line) => {
      const text = visibleLine(line.replace(/\r$/, ''))
      if (/^(?:---|\+\+\+) /.test(text)) return paint.bold(text)
      if (text.startsWith('@@')) return paint.cyan(text)
      if (text.startsWith('+')) return paint.green(text)
      return text.startsWith('-') ? paint.red(text) : text
    })
    .join('\n')
}

export function reportText(plan: Plan, outcome: Outcome, { colors }: Terminal): string {
  const paint = pc.createColors(colors)
  const { edits, decisions, notes, next } = plan
  const sections = [
    paint.bold(headline(plan, outcome)),
    ...(edits.length === 0
      ? []
      : [edits.map(({ file }) => `  ${printable(file, 1000)}`).join('\n')]),
    ...(decisions.length === 0
      ? []
      : [
          `${paint.bold(`A person must decide ${counted(decisions.length, 'thing')}:`)}\n`,
          decisions.map((decision) => decisionText(decision, paint)).join('\n\n'),
        ]),
    ...(notes.length === 0 ? [] : [notes.map((note) => `  ${printable(note, 600)}`).join('\n')]),
    ...(next.length === 0
      ? []
      : [`Next:\n${next.map((one) => `  ${printable(one, 300)}`).join('\n')}`]),
  ]
  return `${sections.join('\n\n').replace(/\n{3,}/g, '\n\n')}\n`
}

function headline({ edits, decisions, from }: Plan, outcome: Outcome): string {
  const files = counted(edits.length, 'file')
  if (outcome === 'written')
    return `${files} changed, from ${from.join(', ') || 'edgeway'} to Edgeway`
  if (outcome === 'shown') return `${files} would be changed. Nothing was written`
  return decisions.length === 0 ? 'Nothing to change, and nothing to decide' : 'Nothing to change'
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function decisionText(
  { file, line, column, why, guide }: Decision,
  paint: ReturnType<typeof pc.createColors>,
): string {
  const place = `${printable(file, 1000)}:${line}:${column}`
  return `  ${paint.yellow(place)}\n    ${printable(why, 600)}\n    ${paint.dim(guide)}`
}

/** `--json`: the stable form of the report. */
export function reportJson(plan: Plan, outcome: Outcome): string {
  const { folder, from, edits, decisions, notes, next } = plan
  const report = {
    folder,
    from,
    written: outcome === 'written',
    files: edits.map(({ file, before }) => ({ file, isNew: before === undefined })),
    decisions,
    notes,
    next,
    ...(outcome === 'shown' && { diff: diffOf(edits) }),
  }
  return `${printableJson(report, 2)}\n`
}
