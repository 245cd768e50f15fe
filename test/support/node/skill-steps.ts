/**
 * Reads what a skill instructs: its blocks of commands (`sh`), and its files (a block whose info string has a path,
 * such as `ts src/tools.ts`), in the order of the text.
 */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withPublishedStart } from '../../../scripts/support/release-texts.ts'

export const SKILLS = resolve(import.meta.dirname, '../../../skills')

export type Step =
  | { readonly kind: 'commands'; readonly section: string; readonly text: string }
  | {
      readonly kind: 'file'
      readonly section: string
      readonly path: string
      readonly text: string
    }

/** A heading, or a fenced block with its info string. */
const HEADING_OR_BLOCK = /^(#{2,3}) (.+)$|^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm

export const skillText = (name: string) => readFileSync(join(SKILLS, name, 'SKILL.md'), 'utf8')

/** The text as a release changes it, whose commands install the published package. */
export const publishedSkillText = (name: string) => withPublishedStart(skillText(name))

/**
 * Of sections with a third level of headings, which are alternatives, `alternative` names the one that is followed.
 *
 * @throws {Error} for a block that is neither commands nor a file
 */
export function stepsOf(text: string, alternative?: string): readonly Step[] {
  const steps: Step[] = []
  let section = ''
  let isFollowed = true
  for (const [, level, title = '', language = '', path, code = ''] of text.matchAll(
    HEADING_OR_BLOCK,
  )) {
    if (level !== undefined) {
      section = title
      isFollowed = level === '##' || title.replaceAll('`', '') === alternative
    } else if (!isFollowed) {
      // Another alternative.
    } else if (path !== undefined) {
      steps.push({ kind: 'file', section, path, text: code })
    } else if (language === 'sh') {
      steps.push({ kind: 'commands', section, text: code })
    } else {
      throw new Error(`${section} has a block of ${language} that is no file`)
    }
  }
  return steps
}

/** The alternatives of a skill: its headings of the third level. */
export const alternativesOf = (text: string) =>
  [...text.matchAll(/^### (.+)$/gm)].map(([, title = '']) => title.replaceAll('`', ''))

/** The rows of all tables whose two cells are one piece of code each, such as the moves of imports. */
export const codeRowsOf = (text: string) =>
  [...text.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|$/gm)].map(
    ([, before = '', after = '']) => [before, after] as const,
  )
