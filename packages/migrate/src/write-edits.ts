/** Writes the edits of a plan: all of them, or none. */
import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { CommandError } from '../../text/src/command-error.ts'
import { replaceFile } from '../../text/src/files/replace-file.ts'
import { printable } from '../../text/src/terminal-text.ts'
import type { FileEdit } from './plan.ts'

interface Staged extends FileEdit {
  readonly target: string
  readonly stage: string
}

const isNew = ({ before }: FileEdit): boolean => before === undefined

/**
 * The order of writing. New files are last: a project whose run ended in the middle has no configuration yet, so that the
 * next run goes on.
 */
export const inWriteOrder = (edits: readonly FileEdit[]): readonly FileEdit[] => [
  ...edits.filter((edit) => !isNew(edit)),
  ...edits.filter(isNew),
]

/**
 * Each file is written beside its target and renamed, so that none is written in part.
 *
 * @throws {CommandError} when a file has changed since it was read, or cannot be written. Those that were
 *   written are restored; the message names those that could not be.
 */
export function writeEdits(folder: string, edits: readonly FileEdit[]): void {
  const staged = inWriteOrder(edits).map((edit): Staged => {
    const target = join(folder, edit.file)
    return { ...edit, target, stage: join(dirname(target), `.${basename(target)}-${randomUUID()}`) }
  })
  const written: Staged[] = []
  try {
    for (const edit of staged) stageEdit(edit)
    for (const edit of staged) {
      // Fails where a file has been created meanwhile.
      if (isNew(edit)) copyFileSync(edit.stage, edit.target, constants.COPYFILE_EXCL)
      else renameSync(edit.stage, edit.target)
      written.push(edit)
    }
  } catch (error) {
    const lost = written.filter((edit) => !isRestored(edit))
    throw failure(error, lost)
  } finally {
    for (const { stage } of staged) rmSync(stage, { force: true })
  }
}

function stageEdit({ target, stage, before, after, file }: Staged): void {
  if (before === undefined) {
    if (lstatSync(target, { throwIfNoEntry: false }) !== undefined) {
      throw new CommandError(`${printable(file, 1000)} has been created meanwhile`)
    }
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(stage, after)
    return
  }
  const stats = lstatSync(target)
  if (!stats.isFile() || readFileSync(target, 'utf8') !== before) {
    throw new CommandError(`${printable(file, 1000)} has changed since it was read`)
  }
  writeFileSync(stage, after)
  chmodSync(stage, stats.mode)
}

function isRestored({ target, before }: Staged): boolean {
  try {
    if (before === undefined) rmSync(target, { force: true })
    else replaceFile(target, before)
    return true
  } catch {
    return false
  }
}

function failure(error: unknown, lost: readonly Staged[]): CommandError {
  const { message } = error as Error
  const state =
    lost.length === 0
      ? 'Nothing was written'
      : `These files were written and could not be restored: ${lost.map(({ file }) => printable(file, 1000)).join(', ')}`
  return new CommandError(`${printable(message, 400)}. ${state}`, { cause: error })
}
