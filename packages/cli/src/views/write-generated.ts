/** Writes the files that the views of a project bring. */
import { existsSync, readFileSync } from 'node:fs'
import { CommandError } from '../../../text/src/command-error.ts'
import { shownPath, useFile } from '../../../text/src/files/file-error.ts'
import { replaceFile } from '../../../text/src/files/replace-file.ts'

/**
 * A file that has the text already is left, so that no program that watches it begins anew.
 *
 * @returns whether it was written
 * @throws {CommandError} for a file of another origin
 */
export function writeGenerated(file: string, text: string): boolean {
  const earlier = existsSync(file) ? useFile(file, 'read', () => readFileSync(file, 'utf8')) : ''
  if (earlier === text) return false
  if (earlier !== '' && !/^\/\/ Written by `edgeway views (?:build|types)`/.test(earlier)) {
    throw new CommandError(
      `${shownPath(file)} was not written by edgeway views. Move it. Nothing was written`,
    )
  }
  useFile(file, 'written', () => replaceFile(file, text))
  return true
}
